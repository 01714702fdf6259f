// Who sends to which entity, and who receives from it: the clients of the last five minutes, and those whose links are attached.

import type { ConnectionsAnswer } from '../../../http/control/control-schemas.js';
import { clientName, linkClientName } from '../../state/format.js';
import type { PageEvent } from '../../state/page-event.js';

/** A client is forgotten this long after its last message. */
const KEPT_MS = 300_000;
/** Connections of one entity and side; those that were seen last stay. */
const MAX_CONNECTIONS = 200;

const SENT: ReadonlySet<string> = new Set(['accepted', 'enqueued', 'scheduled', 'duplicate']);
const RECEIVED: ReadonlySet<string> = new Set(['locked', 'consumed', 'completed']);
const SIDES: Readonly<Record<string, Side>> = {
  sender: 'senders',
  receiver: 'receivers',
  'session-receiver': 'receivers',
};

export type Side = 'senders' | 'receivers';
export type ClientGroup = { readonly name: string; readonly connectionCount: number };
/** The names of clients by their connections. */
type Seen = Map<string, { readonly name: string; readonly at: number }>;

export class FlowClients {
  readonly #seen = new Map<string, Seen>();
  #attached = new Map<string, Seen>();

  add({ kind, path, client, time }: PageEvent): void {
    const side = SENT.has(kind) ? 'senders' : RECEIVED.has(kind) ? 'receivers' : undefined;
    if (side === undefined || path === undefined || client === undefined) return;
    const seen = seenAt(this.#seen, side, path);
    const name = clientName(client);
    const key = `${client.connectionId} ${name}`;
    // The newest at the end.
    seen.delete(key);
    seen.set(key, { name, at: Date.parse(time) });
    const [oldest] = seen.keys();
    if (seen.size > MAX_CONNECTIONS && oldest !== undefined) seen.delete(oldest);
  }

  /** Takes note of all links that are attached now. */
  attach({ connections }: ConnectionsAnswer): void {
    this.#attached = new Map();
    for (const { connectionId, label, links } of connections) {
      for (const { role, path, identifier } of links) {
        const side = SIDES[role];
        if (side === undefined) continue;
        const name = linkClientName(label, identifier);
        const at = Number.POSITIVE_INFINITY;
        seenAt(this.#attached, side, path).set(`${connectionId} ${name}`, { name, at });
      }
    }
  }

  /** The clients of an entity by their names, those with the most connections first. */
  of(side: Side, path: string, now: number): readonly ClientGroup[] {
    const key = `${side} ${path.toLowerCase()}`;
    const counts = new Map<string, number>();
    const all = new Map([...(this.#seen.get(key) ?? []), ...(this.#attached.get(key) ?? [])]);
    for (const { name, at } of all.values()) {
      if (now - at <= KEPT_MS) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    return [...counts]
      .map(([name, connectionCount]) => ({ name, connectionCount }))
      .sort((a, b) => b.connectionCount - a.connectionCount);
  }

  clear(): void {
    this.#seen.clear();
  }
}

function seenAt(all: Map<string, Seen>, side: Side, path: string): Seen {
  const key = `${side} ${path.toLowerCase()}`;
  const known = all.get(key) ?? new Map();
  all.set(key, known);
  return known;
}
