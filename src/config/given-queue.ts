// A queue given as an object by a program, which may be JavaScript: every value is looked at, the rest has Azure's defaults.

import { describeQueue, type QueueDescription } from '../broker/entity/queue-description.js';
import { QUEUE_RANGES, type Range } from '../broker/entity/queue-limits.js';
import { ConfigError } from './config-error.js';
import { checkEntityName } from './entity-name.js';
import { wholeNumber } from './property-values.js';
import { type GivenProperties, QUEUE_PROPERTIES, type QueueProperty } from './queue-properties.js';
import { suggestion } from './suggestion.js';
import { named, shown, ValueError } from './value-error.js';

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
      named('its name', () => readName(name)),
      readProperties(properties),
    );
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new ConfigError('bad-queue', `Queue ${shown(name ?? given)}: ${error.message}`, [], error);
  }
}

function readName(name: unknown): string {
  if (typeof name !== 'string') throw new ValueError(`must be a text, not ${shown(name)}`);
  return checkEntityName(name);
}

/** What is undefined is not given. */
function readProperties(properties: Readonly<Record<string, unknown>>): GivenProperties {
  let given: GivenProperties = {};
  for (const [key, value] of Object.entries(properties)) {
    const property = findProperty(key);
    if (value === undefined) continue;
    given = { ...given, ...named(key, () => readValue(property, value)) };
  }
  return given;
}

function findProperty(key: string): QueueProperty {
  const property = QUEUE_PROPERTIES.find(({ field }) => field === key);
  if (property !== undefined) return property;
  const fields = QUEUE_PROPERTIES.map(({ field }) => field);
  throw new ValueError(`there is no property ${shown(key)}.${suggestion(key, fields)}`);
}

/** Durations are milliseconds here, everything else is as in JSON. */
function readValue({ field, type, read }: QueueProperty, value: unknown): GivenProperties {
  if (type !== 'duration') return read(value);
  const ranges: Readonly<Record<string, Range | undefined>> = QUEUE_RANGES;
  const range = ranges[field];
  if (range === undefined) throw new Error(`${field} is a duration without a range`);
  return { [field]: wholeNumber(value, range) };
}
