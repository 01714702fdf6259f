// Sorts entities that one command creates: a destination must exist before an entity that forwards to it.

import { type Named, nameOf } from './read-specs.js';

/**
 * Keeps the order, but puts each queue and topic before the entities that forward to it. In a circle one entity comes before its
 * destination, and the service refuses it.
 */
export function destinationsFirst(named: readonly Named[]): readonly Named[] {
  const byName = new Map(named.filter(isDestination).map((one) => [nameOf(one).toLowerCase(), one]));
  const ordered: Named[] = [];
  const seen = new Set<Named>();
  const add = (one: Named) => {
    if (seen.has(one)) return;
    seen.add(one);
    for (const name of destinationsOf(one)) {
      const destination = byName.get(name.toLowerCase());
      if (destination !== undefined) add(destination);
    }
    ordered.push(one);
  };
  for (const one of named) add(one);
  return ordered;
}

function isDestination({ type }: Named): boolean {
  return type === 'queue' || type === 'topic';
}

function destinationsOf(one: Named): readonly string[] {
  if (one.type === 'rule') return [];
  const { forwardTo, forwardDeadLetteredMessagesTo } = one.given;
  return [forwardTo, forwardDeadLetteredMessagesTo].filter((name) => name !== undefined);
}
