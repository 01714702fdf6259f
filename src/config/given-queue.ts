// Reads a queue from a spec such as `orders?lockDuration=PT5S&maxDeliveryCount=3`, or from an object.

import { describeQueue, type QueueDescription } from '../broker/contract/entities/queue-description.js';
import { checkEntityName, readName } from '../description/entity-name.js';
import { type GivenQueueProperties, QUEUE_PROPERTIES } from '../description/entity-properties.js';
import { propertiesOf, readProperties, readQuery } from '../description/entity-property.js';
import { named, shown, ValueError } from '../description/value-error.js';
import { JitneyError } from '../jitney-error.js';
import type { GivenQueue } from './given-entities.js';

/** A comma followed by a possible queue, as in JITNEY_QUEUES. A value such as `a,b` may contain commas too. */
const ANOTHER_QUEUE = /,\s*[\w.~-][\w.~/-]*\s*(?:$|[?,])/;

/** Reads a spec; missing properties get Azure's defaults. Throws a JitneyError. */
export function parseQueueSpec(spec: string): QueueDescription {
  const { name, given } = readQueueSpec(spec);
  return describeQueue(name, given);
}

type QueueSpec = { readonly name: string; readonly given: GivenQueueProperties };

/** Reads the name and the given properties of a spec. Throws a JitneyError. */
export function readQueueSpec(spec: string): QueueSpec {
  const [name, query] = splitSpec(spec);
  try {
    named('its name', () => checkEntityName(name));
    return { name, given: readQuery(new URLSearchParams(query), QUEUE_PROPERTIES) };
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const hints = ANOTHER_QUEUE.test(spec)
      ? ['For several queues, repeat --queue:  --queue a --queue b']
      : [];
    throw new JitneyError('bad-queue', `Queue ${JSON.stringify(spec)}: ${error.message}`, {
      problems: hints,
      cause: error,
    });
  }
}

/** Splits a spec at its first question mark into names and query. */
export function splitSpec(spec: string): readonly [string, string] {
  const mark = spec.indexOf('?');
  return mark < 0 ? [spec, ''] : [spec.slice(0, mark), spec.slice(mark + 1)];
}

/** Checks an object and completes it with Azure's defaults. Throws a JitneyError that names queue, property and value. */
export function completeQueue(given: unknown): QueueDescription {
  if (typeof given !== 'object' || given === null) {
    throw new JitneyError(
      'bad-queue',
      `A queue must be a text or an object with a name, not ${shown(given)}`,
    );
  }
  const { name, ...properties } = given as Record<string, unknown>;
  try {
    const queueName = named('its name', () => readName(name, checkEntityName));
    return describeQueue(queueName, readProperties(properties, QUEUE_PROPERTIES, describeQueue(queueName)));
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new JitneyError('bad-queue', `Queue ${shown(name ?? given)}: ${error.message}`, { cause: error });
  }
}

export function givenQueueOf(description: QueueDescription): GivenQueue {
  return { ...propertiesOf<GivenQueueProperties>(description, QUEUE_PROPERTIES), name: description.name };
}
