// Which queue properties this version keeps but does not obey, and the warnings about them. To be shortened as they come true.

import { describeQueue, type QueueDescription } from '../broker/entity/queue-description.js';
import { QUEUE_PROPERTIES, type QueueField } from './queue-properties.js';

/** Forwarding is not here: the broker refuses a queue that asks for it. */
const NOT_IN_FORCE: ReadonlySet<QueueField> = new Set<QueueField>(['requiresSession']);

const NAMES_SHOWN = 5;

/** One warning for each property and value that asks for something, naming the queues that do. */
export function warnNotInForce(queues: readonly QueueDescription[]): string[] {
  const plain = describeQueue('');
  const queuesOfSetting = new Map<string, string[]>();
  for (const { name, field } of QUEUE_PROPERTIES.filter(({ field }) => NOT_IN_FORCE.has(field))) {
    for (const queue of queues) {
      if (queue[field] === plain[field]) continue;
      const setting = `${name}=${queue[field]}`;
      queuesOfSetting.set(setting, [...(queuesOfSetting.get(setting) ?? []), queue.name]);
    }
  }
  return [...queuesOfSetting].map(
    ([setting, names]) => `${setting} of ${listNames(names)}: kept, but not in force yet`,
  );
}

function listNames(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).map((name) => `'${name}'`);
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : '';
  return `${names.length === 1 ? 'queue' : 'queues'} ${shown.join(', ')}${more}`;
}
