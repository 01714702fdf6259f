// The type of an entity's property; readers of properties from objects, a query and Config.json; and the writer.

import type { AuthorizationRule } from '../broker/contract/entities/authorization-rule.js';
import type { Range } from '../broker/contract/entities/queue-description.js';
import { formatDuration } from './duration.js';
import { durationOrMs } from './property-values.js';
import { suggestion } from './suggestion.js';
import { named, readAllParts, shown, ValueError } from './value-error.js';

/** Reads a span of time and returns milliseconds. */
export type ReadSpan = (value: unknown, range: Range) => number;

export type EntityProperty<Given> = {
  /** The name in the options of the SDK's administration client. Config.json writes it with a capital. */
  readonly name: string;
  readonly field: keyof Given & string;
  /** The type to which a text in a spec is converted before `read`. */
  readonly type: 'duration' | 'number' | 'boolean' | 'text' | 'list';
  /** All possible values, if there are only a few. */
  readonly values?: readonly string[];
  /** Throws a ValueError if the value is not allowed. */
  readonly read: (value: unknown, readSpan: ReadSpan) => Given;
};

export type PropertyTable<Given> = readonly EntityProperty<Given>[];

/** Returns `LockDuration` for `lockDuration`. */
export function officialName(propertyName: string): string {
  return propertyName.charAt(0).toUpperCase() + propertyName.slice(1);
}

export function findByName<Property extends { readonly name: string }>(
  table: readonly Property[],
  key: string,
): Property | undefined {
  return table.find(({ name }) => name.toLowerCase() === key.toLowerCase());
}

/**
 * Reads the SDK's names, in any case, with JSON values; durations are texts or milliseconds. A null stands for the value in `defaults`;
 * undefined is skipped. Throws a ValueError with all problems, each at its name.
 */
export function readProperties<Given extends object>(
  given: Readonly<Record<string, unknown>>,
  table: PropertyTable<Given>,
  defaults: Given,
): Partial<Given> {
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  const read = readAllParts(
    present.map(([key, value]) => (): Partial<Given> => {
      const property = findByName(table, key) ?? failUnknown(key, table);
      if (value === null) return { [property.field]: defaults[property.field] } as Partial<Given>;
      return named(property.name, () => property.read(value, durationOrMs));
    }),
  );
  return Object.assign({}, ...read);
}

/** The properties of a description by the SDK's names, with their keys, as `readProperties` reads them. */
export function propertiesOf<Given>(
  description: Given,
  table: PropertyTable<Given>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(table.map(({ name, field }) => [name, description[field]]));
}

export type WrittenValue = string | number | boolean | readonly unknown[];

/** Writes the properties by the SDK's names, as `readProperties` reads them. Leaves out those without a value, and keys. */
export function writeProperties(
  description: object,
  table: readonly { readonly name: string; readonly field: string; readonly type: string }[],
): Readonly<Record<string, WrittenValue>> {
  const written: Record<string, WrittenValue> = {};
  for (const { name, field, type } of table) {
    const value = (description as Readonly<Record<string, unknown>>)[field];
    if (value === undefined) continue;
    written[name] = type === 'duration' ? formatDuration(Number(value)) : withoutKeys(value as WrittenValue);
  }
  return written;
}

/** Authorization rules are the only list. Their keys are secrets, which ATOM alone gives to those who may manage the entity. */
function withoutKeys(value: WrittenValue): WrittenValue {
  if (!Array.isArray(value)) return value;
  return (value as readonly AuthorizationRule[]).map(({ keyName, rights }) => ({
    keyName,
    accessRights: rights,
  }));
}

/** Reads names, in any case, with values as text. Throws a ValueError, for example if a name comes twice. */
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
      ...named(property.name, () => {
        if (property.type === 'duration') refuseWithoutUnit(value);
        return property.read(valueOfText(property.type, value), durationOrMs);
      }),
    };
  }
  return read;
}

/** Refuses a number that would be less than a second: whoever writes 30 on a command line means 30 seconds. */
function refuseWithoutUnit(value: string): void {
  const number = /^\d{1,3}$/.test(value) ? Number(value) : 0;
  if (number === 0) return;
  const [seconds, milliseconds] = [formatDuration(number * 1000), formatDuration(number)];
  throw new ValueError(
    `must have a unit: ${value} would be ${value} ms. Write ${seconds} for ${value} s, or ${milliseconds} for ${value} ms`,
  );
}

export function failUnknown(key: string, table: readonly { readonly name: string }[]): never {
  const names = table.map(({ name }) => name);
  throw new ValueError(`there is no property ${shown(key)}.${suggestion(key, names)}`);
}

/** Converts a text to the type of its property. Leaves text of another type as it is, so that the reader refuses it. */
export function valueOfText(type: EntityProperty<unknown>['type'], given: string): unknown {
  if ((type === 'number' || type === 'duration') && /^-?\d+$/.test(given)) return Number(given);
  if (type === 'boolean' && /^true$/i.test(given)) return true;
  if (type === 'boolean' && /^false$/i.test(given)) return false;
  if (type === 'list') throw new ValueError('cannot be given in one line: use a Config.json, or an object');
  return given;
}

/** The key of a property in an object of a Config.json: the official one, or the SDK's; undefined if it is missing or null. */
export function keyIn(properties: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const isGiven = (key: string) => properties[key] !== undefined && properties[key] !== null;
  return [officialName(name), name].find(isGiven);
}

/** Reads the properties of a checked Config.json. Skips nulls and unknown keys. */
export function readOfficial<Given>(
  properties: Readonly<Record<string, unknown>>,
  table: PropertyTable<Given>,
): Partial<Given> {
  let read: Partial<Given> = {};
  for (const property of table) {
    const key = keyIn(properties, property.name);
    if (key !== undefined) read = { ...read, ...property.read(properties[key], durationOrMs) };
  }
  return read;
}
