// The range and the default of a property, as the documentation writes them.

import type { EntityType } from '../../src/broker/contract/entities/entity.js';
import {
  describeQueue,
  MAX_USER_METADATA_LENGTH,
  QUEUE_RANGES,
  type Range,
} from '../../src/broker/contract/entities/queue-description.js';
import { describeSubscription, describeTopic } from '../../src/broker/contract/entities/topic-description.js';
import { NEVER } from '../../src/broker/contract/instant.js';
import { formatDuration } from '../../src/description/duration.js';
import type { EntityProperty } from '../../src/description/entity-property.js';

export type Property = Pick<EntityProperty<unknown>, 'name' | 'type' | 'values'> & { readonly field: string };

const RANGES: Readonly<Record<string, Range>> = QUEUE_RANGES;
const DEFAULTS: Readonly<Record<EntityType, object>> = {
  queue: describeQueue('a'),
  topic: describeTopic('a'),
  subscription: describeSubscription('a'),
};

/** Undefined for a property without a range. */
export function rangeOf({
  name,
  field,
  type,
}: Property): { readonly least: string; readonly most: string } | undefined {
  if (name === 'userMetadata') return { least: '0', most: `${MAX_USER_METADATA_LENGTH} characters` };
  const range = RANGES[field];
  if (range === undefined) return undefined;
  const text = (value: number) => (type === 'duration' ? durationText(value) : String(value));
  return { least: text(range.least), most: text(range.most) };
}

/** Azure's default; undefined if there is none. */
export function defaultOf({ field, type }: Property, entity: EntityType): string | undefined {
  const value: unknown = Reflect.get(DEFAULTS[entity], field);
  if (value === undefined || type === 'list') return undefined;
  return type === 'duration' ? formatDuration(Number(value)) : String(value);
}

function durationText(milliseconds: number): string {
  if (milliseconds === 1) return 'just above PT0S';
  return milliseconds === NEVER ? 'without end' : formatDuration(milliseconds);
}
