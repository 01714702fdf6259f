// The order of the broker's rooms, and the rule that each imports only itself, those before it and the files above them all.
// `BrokerParts` at the top is the exception: its file imports types of every room, and every room may import it.

import type { SourceFile } from './source-file.js';

const ROOMS_IN_ORDER: readonly string[] = [
  ...['rules', 'entities', 'queue', 'sessions'],
  ...['topics', 'namespace', 'transactions', 'control'],
];

/** Types included: two rooms that know each other's types cannot be read one without the other. */
export function findUpwardImports({ path, imports }: SourceFile): string[] {
  const own = rankOf(path);
  if (own < 0) return [];
  return imports
    .filter(({ target }) => rankOf(target) > own)
    .map(({ target }) => `${path} imports ${target}`);
}

/** -1 for a file in no room, which any of them may import. */
function rankOf(path: string): number {
  const [, room = ''] = /^broker\/([^/]+)\//.exec(path) ?? [];
  return ROOMS_IN_ORDER.indexOf(room);
}
