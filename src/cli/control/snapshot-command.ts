// `jitney snapshot`: saves everything that the running emulator has stored in a file, and restores it from there.

import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { JitneyError } from '../../jitney-error.js';
import { oneLine } from '../output/one-line.js';
import { countOf, type Write } from '../output/output.js';
import type { ControlClient } from './control-client.js';

export const SNAPSHOT_WORDS = ['save', 'restore'] as const;
type Word = (typeof SNAPSHOT_WORDS)[number];

type Output = { readonly stdout: Write; readonly isJson: boolean };

/** Throws a JitneyError. */
export async function useSnapshot(
  client: ControlClient,
  { word, file }: { readonly word: string; readonly file: string },
  output: Output,
): Promise<void> {
  switch (checkWord(word)) {
    case 'save':
      return save(client, file, output);
    case 'restore':
      return restore(client, file, output);
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

/** The file has its name only once it is whole. */
async function save(client: ControlClient, file: string, { stdout, isJson }: Output): Promise<void> {
  const bytes = await client.read({ name: 'snapshot' });
  const part = `${file}.${process.pid}.part`;
  try {
    await writeFile(part, bytes);
    await rename(part, file);
  } catch (cause) {
    await rm(part, { force: true }).catch(() => {});
    throw new JitneyError(
      'output-unwritable',
      `The snapshot cannot be written: ${(cause as Error).message}`,
      { cause },
    );
  }
  const text = `Saved a snapshot of ${client.url} in ${oneLine(file)} (${bytes.length} bytes).`;
  stdout(`${isJson ? JSON.stringify({ file, bytes: bytes.length }) : text}\n`);
}

async function restore(client: ControlClient, file: string, { stdout, isJson }: Output): Promise<void> {
  const body = await readFile(file).catch((cause: Error) => {
    throw new JitneyError('bad-snapshot', `The snapshot cannot be read: ${cause.message}`, { cause });
  });
  const answer = await client.call<{ readonly count: number }>({ method: 'PUT', name: 'snapshot', body });
  const text = `Restored ${countOf(answer.count, 'message')} of ${oneLine(file)} in the emulator at ${client.url}.`;
  stdout(`${isJson ? JSON.stringify(answer) : text}\n`);
}
