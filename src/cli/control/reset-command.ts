// `jitney reset`: removes the messages of all entities from the running emulator.

import { countOf } from '../output/output.js';
import { confirmRemoval } from './confirm-removal.js';
import type { ControlClient } from './control-client.js';
import type { ManageContext } from './manage-command.js';

type Reset = { readonly isAll: boolean; readonly isAgreed: boolean; readonly isJson: boolean };
type RemovedAnswer = { readonly count: number };

/** With `isAll`, exactly the configured entities are brought back, too. Resolves with the exit code: 1 if the answer is no. */
export async function resetEmulator(
  client: ControlClient,
  { isAll, isAgreed, isJson }: Reset,
  context: ManageContext,
): Promise<number> {
  if (!isAgreed && !(await confirmRemoval(client, isAll ? 'all' : 'messages', context))) return 1;
  const call = { method: 'POST', name: 'reset', body: { all: isAll } } as const;
  const answer = await client.call<RemovedAnswer>(call);
  const entities = isAll ? '; its entities are those that it started with' : '';
  const text = `Removed ${countOf(answer.count, 'message')} from the emulator at ${client.url}${entities}.`;
  context.stdout(`${isJson ? JSON.stringify(answer) : text}\n`);
  return 0;
}
