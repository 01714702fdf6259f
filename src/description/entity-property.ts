// One thing that can be said about an entity, and how such things are read: from an object, from a query, from Config.json.

import type { Range } from '../broker/entity/queue-limits.js';
import { duration, text, wholeNumber } from './property-values.js';
import { suggestion } from './suggestion.js';
import { named, shown, ValueError } from './value-error.js';

/** A span of time, in milliseconds. */
export type ReadSpan = (value: unknown, range: Range) => number;

export type EntityProperty<Given> = {
  /** As in the options of the SDK's administration client. Config.json has the same with a capital. */
  readonly name: string;
  readonly field: keyof Given & string;
  /** What its text in a spec is converted to before it is read. */
  readonly type: 'duration' | 'number' | 'boolean' | 'text' | 'list';
  /** All there are, when it is one of a few. */
  readonly values?: readonly string[];
  /** Throws a ValueError when the value will not do. */
  readonly read: (value: unknown, readSpan: ReadSpan) => Given;
};

export type PropertyTable<Given> = readonly EntityProperty<Given>[];

/** `LockDuration` for `lockDuration`. */
export function officialName(propertyName: string): string {
  return propertyName.charAt(0).toUpperCase() + propertyName.slice(1);
}

export function findByName<Property extends { readonly name: string }>(
  table: readonly Property[],
  key: string,
): Property | undefined {
  return table.find(({ name }) => name.toLowerCase() === key.toLowerCase());
}

/** Of a description that a program gives back: what a client has said that means nothing here. */
const OTHER_PROPERTIES = 'otherProperties';

/** By the names of fields, spans in milliseconds; what is undefined is not given. Throws a ValueError. */
export function readObject<Given>(
  given: Readonly<Record<string, unknown>>,
  table: PropertyTable<Given>,
): Partial<Given> {
  let read: Partial<Given> = {};
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (key === OTHER_PROPERTIES) {
      read = { ...read, [key]: named(key, () => text(value, Number.POSITIVE_INFINITY)) };
      continue;
    }
    const property = table.find(({ field }) => field === key);
    if (property === undefined) {
      const fields = table.map(({ field }) => field);
      throw new ValueError(`there is no property ${shown(key)}.${suggestion(key, fields)}`);
    }
    read = { ...read, ...named(key, () => property.read(value, wholeNumber)) };
  }
  return read;
}

/** Keys in any case and values as text, each once. Throws a ValueError. */
export function readQuery<Given>(
  entries: Iterable<readonly [string, string]>,
  table: PropertyTable<Given>,
): Partial<Given> {
  let read: Partial<Given> = {};
  const seen = new Set<EntityProperty<Given>>();
  for (const [key, value] of entries) {
    const property = findByName(table, key) ?? failUnknown(key, table);
    if (seen.has(property)) throw new ValueError(`${property.name} is given twice`);
    seen.add(property);
    read = {
      ...read,
      ...named(property.name, () => property.read(toValue(property.type, value), duration)),
    };
  }
  return read;
}

export function failUnknown(key: string, table: readonly { readonly name: string }[]): never {
  const names = table.map(({ name }) => name);
  throw new ValueError(`there is no property ${shown(key)}.${suggestion(key, names)}`);
}

/** What the text would be in JSON; text that is no such value is left for the reader to complain about. */
function toValue(type: EntityProperty<unknown>['type'], given: string): unknown {
  if (type === 'number' && /^-?\d+$/.test(given)) return Number(given);
  if (type === 'boolean' && /^true$/i.test(given)) return true;
  if (type === 'boolean' && /^false$/i.test(given)) return false;
  if (type === 'list') throw new ValueError('cannot be given in one line: use a Config.json, or an object');
  return given;
}

/** Of a file that has been checked; null is not given, and keys that are not known are not read. */
export function readOfficial<Given>(
  properties: Readonly<Record<string, unknown>>,
  table: PropertyTable<Given>,
): Partial<Given> {
  let read: Partial<Given> = {};
  for (const property of table) {
    const value = properties[officialName(property.name)];
    if (value !== undefined && value !== null) read = { ...read, ...property.read(value, duration) };
  }
  return read;
}
