// `jitney purge` and `jitney reset`: remove the messages of an entity, or of all entities, from the running emulator.

import { oneLine } from '../output/one-line.js';
import { countOf, type Write } from '../output/output.js';
import type { ControlClient } from './control-client.js';

type Output = { readonly stdout: Write; readonly isJson: boolean };
type RemovedAnswer = { readonly count: number };

const DEAD_LETTERS = '/$DeadLetterQueue';

export async function purgeEntity(
  client: ControlClient,
  { entity: given, isDeadLetter }: { readonly entity: string; readonly isDeadLetter: boolean },
  { stdout, isJson }: Output,
): Promise<void> {
  const isNamed = given.toLowerCase().endsWith(DEAD_LETTERS.toLowerCase());
  const entity = isDeadLetter && !isNamed ? given + DEAD_LETTERS : given;
  const call = { method: 'POST', name: 'messages:purge', query: { entity }, body: {} } as const;
  const answer = await client.call<RemovedAnswer>(call);
  const text = `Removed ${countOf(answer.count, 'message')} from '${oneLine(entity)}'.`;
  stdout(`${isJson ? JSON.stringify(answer) : text}\n`);
}

/** With `isAll`, exactly the configured entities are brought back, too. */
export async function resetEmulator(
  client: ControlClient,
  { isAll }: { readonly isAll: boolean },
  { stdout, isJson }: Output,
): Promise<void> {
  const call = { method: 'POST', name: 'reset', body: { all: isAll } } as const;
  const answer = await client.call<RemovedAnswer>(call);
  const entities = isAll ? '; its entities are those that it started with' : '';
  const text = `Removed ${countOf(answer.count, 'message')} from the emulator at ${client.url}${entities}.`;
  stdout(`${isJson ? JSON.stringify(answer) : text}\n`);
}
