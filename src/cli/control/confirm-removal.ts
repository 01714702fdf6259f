// Asks before everything that the running emulator holds is removed.

import { countOf } from '../output/output.js';
import { confirmed } from '../output/question.js';
import type { ControlClient } from './control-client.js';
import type { ManageContext } from './manage-command.js';

type Listed = {
  readonly counts: Readonly<Record<string, number>>;
  readonly subscriptions?: readonly Listed[];
};

/** With `only: 'messages'` the entities stay. True if the answer is yes, or there is nothing to remove. Throws a JitneyError that names --yes if nobody can answer. */
export async function confirmRemoval(
  client: ControlClient,
  only: 'messages' | 'all',
  context: Pick<ManageContext, 'stderr' | 'isTerminal' | 'readAnswer'>,
): Promise<boolean> {
  const { entities } = await client.call<{ readonly entities: readonly Listed[] }>({ name: 'entities' });
  const count = entities.reduce((sum, one) => sum + messagesIn(one), 0);
  const entityCount = only === 'all' ? entities.length : 0;
  if (count + entityCount === 0) return true;
  const messages = countOf(count, 'message');
  const what = only === 'all' ? `${entityCount === 1 ? '1 entity' : `${entityCount} entities`} and ` : '';
  return confirmed(`Remove ${what}${messages} of the emulator at ${client.url}?`, context);
}

function messagesIn({ counts, subscriptions = [] }: Listed): number {
  const own = Object.values(counts).reduce((sum, one) => sum + one, 0);
  return subscriptions.reduce((sum, one) => sum + messagesIn(one), own);
}
