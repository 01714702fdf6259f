// The paths of all entities, for "did you mean".

import { pathOf } from '../broker/contract/entities/entity.js';
import { nearestWord } from '../description/suggestion.js';
import { type Ask, listAllEntities } from './list-entities.js';

/** Returns ` Did you mean 'orders'?` with a leading space, or an empty text when no entity has a similar path. */
export async function suggestEntity(path: string, ask: Ask): Promise<string> {
  return suggestedPath(path, await listPaths(ask));
}

/** Returns a `suggestEntity` whose calls share the list of all entities while it is being made: many names may be missing at once. */
export function sharedSuggestions(ask: Ask): (path: string) => Promise<string> {
  let listing: Promise<readonly string[]> | undefined;
  return async (path) => {
    listing ??= listPaths(ask).finally(() => {
      listing = undefined;
    });
    return suggestedPath(path, await listing);
  };
}

/**
 * Like `suggestion`, but also finds a subscription by topic and name without `Subscriptions`, as options of a start name it. Suggests nothing
 * for a path that is there, such as the path of a topic that a receiver has named.
 */
export function suggestedPath(wanted: string, paths: readonly string[]): string {
  const nearest = nearestPath(wanted, paths);
  return nearest === undefined ? '' : ` Did you mean '${nearest}'?`;
}

export function nearestPath(wanted: string, paths: readonly string[]): string | undefined {
  if (paths.some((path) => path.toLowerCase() === wanted.toLowerCase())) return undefined;
  const short = paths.map((path) => path.replace('/Subscriptions/', '/').toLowerCase());
  const withShort = (word = '') => paths[short.indexOf(word)];
  return (
    withShort(wanted.toLowerCase()) ?? nearestWord(wanted, paths) ?? withShort(nearestWord(wanted, short))
  );
}

async function listPaths(ask: Ask): Promise<string[]> {
  return (await listAllEntities(ask)).map(pathOf);
}
