// Makes a note if the entity of a fault does not exist. It may be created later, but a misspelt name would otherwise go unnoticed.

import type { Command } from '../broker/contract/command.js';
import type { Result } from '../broker/contract/result.js';

type Look = {
  readonly ask: (command: Command) => Promise<Result>;
  /** Resolves with a sentence such as `Did you mean 'orders'?`; undefined or blank if no name is similar. */
  readonly similarTo: (path: string) => Promise<string | undefined>;
};

/** Resolves with undefined if the entity exists, its path has a `*`, or the broker no longer answers. */
export async function noteOnMissing(path: string, { ask, similarTo }: Look): Promise<string | undefined> {
  if (path.includes('*')) return undefined;
  const owner = path.split('/$', 1)[0] ?? ''; // without a sub-queue
  const found = await ask({ kind: 'find-entity', entityPath: owner });
  if (found.kind !== 'failed' || found.error.reason !== 'entity-not-found') return undefined;
  const similar = (await similarTo(owner))?.trim();
  return [`There is no entity '${path}' yet; the fault waits for it.`, similar].filter(Boolean).join(' ');
}
