// Reads decoded AMQP values by type. Each function returns undefined if the value is null, absent or of another type.

import type { AmqpValue } from './types.js';

type Maybe = AmqpValue | undefined;

const INTEGER = /^(Small)?(U?)(byte|short|int|long)0?$/i;

/** The text of a string or a symbol. */
export function textOf(value: Maybe): string | undefined {
  return typeof value?.value === 'string' ? value.value : undefined;
}

/** An integer of any width; undefined beyond 2^53. */
export function integerOf(value: Maybe): number | undefined {
  return value !== undefined && INTEGER.test(value.type.name) && typeof value.value === 'number'
    ? value.value
    : undefined;
}

/** A timestamp in milliseconds since 1970. */
export function timestampOf(value: Maybe): number | undefined {
  return value?.type.name === 'Timestamp' ? Number(value.value) : undefined;
}

export function booleanOf(value: Maybe): boolean | undefined {
  if (value?.type.name === 'Boolean') return value.value === 1 || value.value === true;
  return typeof value?.value === 'boolean' ? value.value : undefined;
}

export function bytesOf(value: Maybe): Buffer | undefined {
  return value?.type.name.startsWith('Vbin') === true ? (value.value as Buffer) : undefined;
}

/** A uuid as 32 hexadecimal digits, in the order of its text form. */
export function uuidOf(value: Maybe): string | undefined {
  return value?.type.name === 'Uuid' ? (value.value as Buffer).toString('hex') : undefined;
}

/** The items of a list or an array. */
export function itemsOf(value: Maybe): readonly AmqpValue[] | undefined {
  const name = value?.type.name ?? '';
  return name.startsWith('List') || name.startsWith('Array') ? (value?.value as AmqpValue[]) : undefined;
}

/** The keys and values of a map, in the order in which they were written. */
export function entriesOf(value: Maybe): readonly (readonly [AmqpValue, AmqpValue])[] | undefined {
  if (value?.type.name.startsWith('Map') !== true) return undefined;
  const flat = value.value as AmqpValue[];
  const entries: (readonly [AmqpValue, AmqpValue])[] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) {
    entries.push([flat[index] as AmqpValue, flat[index + 1] as AmqpValue]);
  }
  return entries;
}

/** The value of one key in a map with text keys. */
export function entryOf(map: Maybe, key: string): AmqpValue | undefined {
  return entriesOf(map)?.find(([name]) => textOf(name) === key)?.[1];
}
