// The places that a search in the bar leads to.

import type { Route } from './route.js';
import type { Listed } from './store.js';

/** The entities that a text may mean, the nearest first. */
export function findEntities(text: string, entities: readonly Listed[]): readonly Route[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return [];
  const ranked = entities.flatMap(({ path }) => {
    const rank = rankOf(path.toLowerCase(), wanted);
    return rank === undefined ? [] : [{ path, rank }];
  });
  ranked.sort((a, b) => a.rank - b.rank || a.path.length - b.path.length);
  return ranked.map(({ path }) => ({ screen: 'entity', path, tab: 'active', filter: '' }));
}

function rankOf(path: string, wanted: string): number | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (path === wanted || name === wanted) return 0;
  if (name.startsWith(wanted)) return 1;
  return path.includes(wanted) ? 2 : undefined;
}
