// A queue in one line of text, for flags, variables and tests: `orders?lockDuration=PT5S&maxDeliveryCount=3`.

import { describeQueue, type QueueDescription } from '../broker/entity/queue-description.js';
import { ConfigError } from './config-error.js';
import { checkEntityName } from './entity-name.js';
import { type GivenProperties, QUEUE_PROPERTIES, type QueueProperty } from './queue-properties.js';
import { suggestion } from './suggestion.js';
import { named, shown, ValueError } from './value-error.js';

/** A comma and then what may be a queue, as in JITNEY_QUEUES; a value such as `a,b` may have commas too. */
const ANOTHER_QUEUE = /,\s*[A-Za-z0-9][\w.~/-]*\s*(?:$|[?,])/;

/** Azure's defaults apply to what is not given. Throws a ConfigError. */
export function parseQueueSpec(spec: string): QueueDescription {
  const mark = spec.indexOf('?');
  const name = mark < 0 ? spec : spec.slice(0, mark);
  const query = mark < 0 ? '' : spec.slice(mark + 1);
  try {
    named('its name', () => checkEntityName(name));
    return describeQueue(name, parseProperties(query));
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const hints = ANOTHER_QUEUE.test(spec)
      ? ['For several queues, repeat --queue:  --queue a --queue b']
      : [];
    throw new ConfigError('bad-queue', `Queue ${JSON.stringify(spec)}: ${error.message}`, hints, error);
  }
}

function parseProperties(query: string): GivenProperties {
  let given: GivenProperties = {};
  const seen = new Set<QueueProperty>();
  for (const [key, text] of new URLSearchParams(query)) {
    const property = findProperty(key);
    if (seen.has(property)) throw new ValueError(`${property.name} is given twice`);
    seen.add(property);
    given = { ...given, ...named(property.name, () => property.read(toValue(property, text))) };
  }
  return given;
}

function findProperty(key: string): QueueProperty {
  const property = QUEUE_PROPERTIES.find(({ name }) => name.toLowerCase() === key.toLowerCase());
  if (property !== undefined) return property;
  const names = QUEUE_PROPERTIES.map(({ name }) => name);
  throw new ValueError(`there is no property ${shown(key)}.${suggestion(key, names)}`);
}

/** What the text would be in JSON; text that is no such value is left for the reader to complain about. */
function toValue({ type }: QueueProperty, text: string): unknown {
  if (type === 'number' && /^-?\d+$/.test(text)) return Number(text);
  if (type === 'boolean' && /^true$/i.test(text)) return true;
  if (type === 'boolean' && /^false$/i.test(text)) return false;
  return text;
}
