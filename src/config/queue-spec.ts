// A queue in one line of text, for flags, variables and tests: `orders?lockDuration=PT5S&maxDeliveryCount=3`.

import { describeQueue, type QueueDescription } from '../broker/entity/queue-description.js';
import { checkEntityName } from '../description/entity-name.js';
import { QUEUE_PROPERTIES } from '../description/entity-properties.js';
import { readQuery } from '../description/entity-property.js';
import { named, ValueError } from '../description/value-error.js';
import { ConfigError } from './config-error.js';

/** A comma and then what may be a queue, as in JITNEY_QUEUES; a value such as `a,b` may have commas too. */
const ANOTHER_QUEUE = /,\s*[\w.~-][\w.~/-]*\s*(?:$|[?,])/;

/** Azure's defaults apply to what is not given. Throws a ConfigError. */
export function parseQueueSpec(spec: string): QueueDescription {
  const [name, query] = splitSpec(spec);
  try {
    named('its name', () => checkEntityName(name));
    return describeQueue(name, readQuery(new URLSearchParams(query), QUEUE_PROPERTIES));
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const hints = ANOTHER_QUEUE.test(spec)
      ? ['For several queues, repeat --queue:  --queue a --queue b']
      : [];
    throw new ConfigError('bad-queue', `Queue ${JSON.stringify(spec)}: ${error.message}`, hints, error);
  }
}

/** What is before the first question mark, and what is behind it. */
export function splitSpec(spec: string): readonly [string, string] {
  const mark = spec.indexOf('?');
  return mark < 0 ? [spec, ''] : [spec.slice(0, mark), spec.slice(mark + 1)];
}
