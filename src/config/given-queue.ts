// A queue given as an object by a program, which may be JavaScript: every value is looked at, the rest has Azure's defaults.

import { describeQueue, type QueueDescription } from '../broker/entity/queue-description.js';
import { checkEntityName, readName } from '../description/entity-name.js';
import { QUEUE_PROPERTIES } from '../description/entity-properties.js';
import { readObject } from '../description/entity-property.js';
import { named, shown, ValueError } from '../description/value-error.js';
import { ConfigError } from './config-error.js';

/** Throws a ConfigError that names the queue, the property and the value. */
export function completeQueue(given: unknown): QueueDescription {
  if (typeof given !== 'object' || given === null) {
    throw new ConfigError(
      'bad-queue',
      `A queue must be a text or an object with a name, not ${shown(given)}`,
    );
  }
  const { name, ...properties } = given as Record<string, unknown>;
  try {
    return describeQueue(
      named('its name', () => readName(name, checkEntityName)),
      readObject(properties, QUEUE_PROPERTIES),
    );
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new ConfigError('bad-queue', `Queue ${shown(name ?? given)}: ${error.message}`, [], error);
  }
}
