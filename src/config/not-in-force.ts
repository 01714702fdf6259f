// Which queue properties this version obeys only in part, and the warnings about them. To be shortened as they come true.

import { describeQueue, type QueueDescription } from '../broker/entity/queue-description.js';
import { QUEUE_PROPERTIES, type QueueField } from './queue-properties.js';

/** What comes of each. Forwarding is not here: the broker refuses a queue that asks for it. */
const CONSEQUENCES: ReadonlyMap<QueueField, string> = new Map<QueueField, string>([
  [
    'requiresSession',
    'message sessions are not there yet, so sends need a session id and nothing can be received',
  ],
]);

const NAMES_SHOWN = 5;

/** One warning for each property and value that asks for something, naming the queues that do. */
export function warnNotInForce(queues: readonly QueueDescription[]): string[] {
  const warnings: string[] = [];
  for (const { name, field } of QUEUE_PROPERTIES) {
    const consequence = CONSEQUENCES.get(field);
    if (consequence === undefined) continue;
    for (const [value, names] of namesByValue(queues, field)) {
      warnings.push(`${name}=${value} of ${listNames(names)}: ${consequence}`);
    }
  }
  return warnings;
}

/** Of the queues that do not have the default. */
function namesByValue(queues: readonly QueueDescription[], field: QueueField): Map<unknown, string[]> {
  const plain = describeQueue('');
  const names = new Map<unknown, string[]>();
  for (const queue of queues) {
    if (queue[field] === plain[field]) continue;
    names.set(queue[field], [...(names.get(queue[field]) ?? []), queue.name]);
  }
  return names;
}

function listNames(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).map((name) => `'${name}'`);
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : '';
  return `${names.length === 1 ? 'queue' : 'queues'} ${shown.join(', ')}${more}`;
}
