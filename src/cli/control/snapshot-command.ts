// `jitney snapshot`: saves everything that the running emulator has stored in a file, and restores it from there.

import { readFile } from 'node:fs/promises';
import { whyUnreadable } from '../../config/why-unreadable.js';
import { JitneyError } from '../../jitney-error.js';
import { oneLine } from '../output/one-line.js';
import { countOf } from '../output/output.js';
import { refuseExistingFile, writeOutputFile } from '../output/output-file.js';
import { confirmRemoval } from './confirm-removal.js';
import type { ControlClient } from './control-client.js';
import type { ManageContext } from './manage-command.js';

export const SNAPSHOT_WORDS = ['save', 'restore'] as const;
type Word = (typeof SNAPSHOT_WORDS)[number];

type Given = {
  readonly file: string;
  readonly isAgreed: boolean;
  readonly isForced: boolean;
  readonly isJson: boolean;
};

/** Resolves with the exit code: 1 if the answer is no. Throws a JitneyError. */
export async function useSnapshot(
  client: ControlClient,
  { word, ...given }: Given & { readonly word: string },
  context: ManageContext,
): Promise<number> {
  switch (checkWord(word)) {
    case 'save':
      return save(client, given, context);
    case 'restore':
      return restore(client, given, context);
  }
}

function checkWord(word: string): Word {
  const known = SNAPSHOT_WORDS.find((each) => each === word);
  if (known !== undefined) return known;
  throw new JitneyError(
    'bad-option',
    `jitney snapshot takes ${SNAPSHOT_WORDS.join(' or ')}, not '${oneLine(word)}'`,
  );
}

async function save(
  client: ControlClient,
  { file, isForced, isJson }: Given,
  { stdout }: ManageContext,
): Promise<number> {
  await refuseExistingFile(file, isForced);
  const bytes = await client.read({ name: 'snapshot' });
  await writeOutputFile(file, bytes);
  const text = `Saved a snapshot of ${client.url} in ${oneLine(file)} (${bytes.length} bytes).`;
  stdout(`${isJson ? JSON.stringify({ file, bytes: bytes.length }) : text}\n`);
  return 0;
}

async function restore(
  client: ControlClient,
  { file, isAgreed, isJson }: Given,
  context: ManageContext,
): Promise<number> {
  const body = await readFile(file).catch(async (cause: Error) => {
    const why = await whyUnreadable(file, cause);
    throw new JitneyError('bad-snapshot', `${oneLine(file)} cannot be read: ${why}`, { cause });
  });
  if (!isAgreed && !(await confirmRemoval(client, 'all', context))) return 1;
  const answer = await client.call<{ readonly count: number }>({ method: 'PUT', name: 'snapshot', body });
  const text = `Restored ${countOf(answer.count, 'message')} of ${oneLine(file)} in the emulator at ${client.url}.`;
  context.stdout(`${isJson ? JSON.stringify(answer) : text}\n`);
  return 0;
}
