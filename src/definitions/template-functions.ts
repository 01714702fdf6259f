// The functions of template expressions that need nothing from Azure. Names are in lower case, because case does not count.

import { isJsonObject, type JsonObject, valueIn } from './json-object.js';

type Argument = unknown;
type TemplateFunction = (...given: readonly Argument[]) => unknown;

/** Functions whose result keeps the parts of a text that are not known: the rest may be all that is needed. */
export const KEEPING_UNKNOWN: readonly string[] = [
  'concat',
  'format',
  'tolower',
  'toupper',
  'string',
  'replace',
];

/** Functions that look at no value within a list or an object, so that some of these need not be known. */
export const LOOKING_AT_SHAPES: readonly string[] = [
  ...['length', 'empty', 'coalesce', 'first', 'last', 'array', 'union', 'take', 'skip', 'flatten'],
  ...['items', 'objectkeys', 'tryget'],
];

/** A function returns undefined for arguments that it cannot take. */
export const TEMPLATE_FUNCTIONS: Readonly<Record<string, TemplateFunction>> = {
  concat: (...given) => (given.every(Array.isArray) ? given.flat() : given.map(textOf).join('')),
  format: (pattern, ...given) => format(String(pattern), given),
  tolower: (text) => textOf(text).toLowerCase(),
  toupper: (text) => textOf(text).toUpperCase(),
  trim: (text) => textOf(text).trim(),
  string: textOf,
  replace: (text, from, to) => textOf(text).replaceAll(textOf(from), () => textOf(to)),
  substring: (text, start = 0, length = undefined) =>
    textOf(text).substr(Number(start), length === undefined ? undefined : Number(length)),
  split: (text, separators) => split(textOf(text), Array.isArray(separators) ? separators : [separators]),
  join: (parts, separator) => (Array.isArray(parts) ? parts.map(textOf).join(textOf(separator)) : undefined),
  startswith: (text, start) => textOf(text).toLowerCase().startsWith(textOf(start).toLowerCase()),
  endswith: (text, end) => textOf(text).toLowerCase().endsWith(textOf(end).toLowerCase()),
  padleft: (text, length, fill = ' ') => textOf(text).padStart(Number(length), textOf(fill)),
  int: (value) => (Number.isInteger(Number(value)) ? Number(value) : undefined),
  bool: (value) => (typeof value === 'boolean' ? value : /^(true|1)$/i.test(textOf(value))),
  json: (text) => parsed(textOf(text)),
  null: () => null,
  true: () => true,
  false: () => false,
  not: (value) => value !== true,
  and: (...given) => given.every((value) => value === true),
  or: (...given) => given.some((value) => value === true),
  if: (condition, then, otherwise) => (condition === true ? then : otherwise),
  equals: (a, b) => isEqual(a, b),
  greater: (a, b) => Number(a) > Number(b),
  greaterorequals: (a, b) => Number(a) >= Number(b),
  less: (a, b) => Number(a) < Number(b),
  lessorequals: (a, b) => Number(a) <= Number(b),
  add: (a, b) => Number(a) + Number(b),
  sub: (a, b) => Number(a) - Number(b),
  mul: (a, b) => Number(a) * Number(b),
  div: (a, b) => (Number(b) === 0 ? undefined : Math.trunc(Number(a) / Number(b))),
  mod: (a, b) => (Number(b) === 0 ? undefined : Number(a) % Number(b)),
  coalesce: (...given) => given.find((value) => value !== null) ?? null,
  empty: (value) => value === null || lengthOf(value) === 0,
  length: lengthOf,
  contains,
  first: (value) => (Array.isArray(value) ? value[0] : textOf(value).charAt(0)),
  last: (value) => (Array.isArray(value) ? value.at(-1) : textOf(value).slice(-1)),
  createarray: (...given) => given,
  array: (value) => (Array.isArray(value) ? value : [value]),
  createobject: (...given) => createObject(given),
  union: (...given) => union(given),
  range: (start, count) => range(Number(start), Number(count)),
  take: (value, count) => sliced(value, 0, Number(count)),
  skip: (value, count) => sliced(value, Number(count), undefined),
  flatten: (value) => (Array.isArray(value) ? value.flat() : undefined),
  items: (value) =>
    isJsonObject(value)
      ? Object.keys(value)
          .sort()
          .map((key) => ({ key, value: value[key] }))
      : undefined,
  objectkeys: (value) => (isJsonObject(value) ? Object.keys(value).sort() : undefined),
  tryget: (value, ...steps) => steps.reduce((part, step) => propertyOf(part, step) ?? null, value),
};

const MOST_ITEMS = 10_000;

/** As .NET writes a value in a text. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Undefined for a pattern with alignments or formats of numbers. */
function format(pattern: string, given: readonly unknown[]): string | undefined {
  let isPlain = true;
  const text = pattern.replace(/\{\{|\}\}|\{([^{}]*)\}/g, (found, index: string | undefined) => {
    if (index === undefined) return found.charAt(0);
    if (!/^\d+$/.test(index) || given.length <= Number(index)) isPlain = false;
    return textOf(given[Number(index)]);
  });
  return isPlain ? text : undefined;
}

function split(text: string, separators: readonly unknown[]): string[] {
  return separators.reduce<string[]>(
    (parts, one) => parts.flatMap((part) => part.split(textOf(one))),
    [text],
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Case counts in texts, as in Azure's `equals`. */
function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function lengthOf(value: unknown): number | undefined {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : undefined;
}

function contains(container: unknown, item: unknown): boolean {
  if (typeof container === 'string') return container.includes(textOf(item));
  if (Array.isArray(container)) return container.some((one) => isEqual(one, item));
  return propertyOf(container, item) !== undefined;
}

function createObject(given: readonly unknown[]): object {
  const names = given.filter((_, index) => index % 2 === 0);
  return Object.fromEntries(names.map((name, index) => [textOf(name), given[2 * index + 1]]));
}

/** Objects within objects are joined too, and the last value of a name wins. */
function union(given: readonly unknown[]): unknown {
  if (given.every(Array.isArray)) {
    const all = given.flat();
    return all.filter((one, index) => all.findIndex((other) => isEqual(one, other)) === index);
  }
  return given.every(isJsonObject) ? given.reduce(unionOfTwo) : undefined;
}

function unionOfTwo(a: JsonObject, b: JsonObject) {
  const joined = { ...a };
  for (const [name, value] of Object.entries(b)) {
    const before = joined[name];
    joined[name] = isJsonObject(before) && isJsonObject(value) ? unionOfTwo(before, value) : value;
  }
  return joined;
}

function range(start: number, count: number): number[] | undefined {
  if (!(count >= 0 && count <= MOST_ITEMS)) return undefined;
  return Array.from({ length: count }, (_, index) => start + index);
}

function sliced(value: unknown, start: number, end: number | undefined): unknown {
  return typeof value === 'string' || Array.isArray(value) ? value.slice(Math.max(0, start), end) : undefined;
}

/** A property of an object, in any case, or an item of a list; undefined if there is none. */
export function propertyOf(value: unknown, step: unknown): unknown {
  if (Array.isArray(value)) return typeof step === 'number' ? value[step] : undefined;
  return typeof step === 'string' ? valueIn(value, step) : undefined;
}
