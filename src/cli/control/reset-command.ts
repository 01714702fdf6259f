// `jitney reset`: removes the messages of all entities from the running emulator.

import { countOf, type Write } from '../output/output.js';
import type { ControlClient } from './control-client.js';

type Output = { readonly stdout: Write; readonly isJson: boolean };
type RemovedAnswer = { readonly count: number };

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
