// The types that an option may have: how its flag or variable is read, how a value from a program is checked, how it is shown.

import { formatDuration, parseTimeout } from '../../description/duration.js';
import { named, shown, ValueError } from '../../description/value-error.js';
import { JitneyError } from '../../jitney-error.js';
import {
  freeText,
  readOneOf,
  readPort,
  readPortOrOff,
  readTrueOrFalse,
  splitList,
} from '../setting-readers.js';
import type { Check } from './option.js';

/** Any text, such as a path; `expected` is what the check of a value from code demands. */
export function textType(what: string, expected?: string) {
  return {
    given: 'text',
    typescript: 'string',
    read: freeText(what),
    missing: undefined,
    ...(expected === undefined ? {} : { check: mustBe(expected, isText) }),
  } as const;
}

export function oneOfType<const Word extends string>(words: readonly Word[]) {
  return {
    given: 'text',
    typescript: words.map((word) => `'${word}'`).join(' | '),
    read: readOneOf(words),
    missing: undefined,
    check: mustBeOneOf(words),
  } as const;
}

export const PORT = {
  given: 'text',
  typescript: 'number',
  read: readPort,
  missing: undefined,
  check: mustBe('a port number from 0 (any free one) to 65535', isPort),
} as const;

export const PORT_OR_OFF = {
  given: 'text',
  typescript: "number | 'off'",
  read: readPortOrOff,
  missing: undefined,
  check: mustBe("a port number or 'off'", (value) => value === 'off' || isPort(value)),
} as const;

export const TLS_PORT = {
  ...PORT_OR_OFF,
  typescript: "number | 'off' | 'ifFree'",
  check: mustBe(
    "a port number, 'ifFree' or 'off'",
    (value) => value === 'off' || value === 'ifFree' || isPort(value),
  ),
} as const;

export const TRUE_OR_FALSE = {
  given: 'text',
  typescript: 'boolean',
  read: readTrueOrFalse,
  missing: undefined,
  check: mustBe('true or false', isBoolean),
} as const;

/** A switch whose flag means `true`. */
export const SWITCH = {
  given: 'switch',
  typescript: 'boolean',
  read: (isOn: boolean) => isOn,
  missing: false,
  check: mustBe('true or false', isBoolean),
} as const;

/** A switch whose flag means `'off'`. */
export const SWITCH_OFF = {
  given: 'switch',
  typescript: "'on' | 'off'",
  read: (isOn: boolean) => (isOn ? 'off' : 'on'),
  missing: 'on',
  check: mustBeOneOf(['on', 'off']),
  show: (value: 'on' | 'off') => value === 'off',
} as const;

/** A switch whose flag means `false`. */
export const SWITCH_FALSE = {
  given: 'switch',
  typescript: 'boolean',
  read: (isOn: boolean) => !isOn,
  missing: true,
  check: mustBe('true or false', isBoolean),
  show: (value: boolean) => !value,
} as const;

/** A time, or `off`; in code a number of milliseconds. */
export const TIMEOUT = {
  given: 'text',
  typescript: "number | 'off'",
  read: parseTimeout,
  missing: undefined,
  check: mustBe(
    "a whole number of milliseconds above 0, or 'off'",
    (value) => value === 'off' || (isWhole(value) && value > 0),
  ),
  show: (value: number | 'off' | undefined) =>
    typeof value === 'number' ? formatDuration(value) : (value ?? null),
} as const;

/** A repeated flag whose items `read` checks. */
export function listOf(read: (item: string) => string) {
  return {
    given: 'list',
    typescript: 'readonly string[]',
    read: (items: readonly string[]): readonly string[] => items.map(read),
    missing: [] as readonly string[],
    check: mustBeTexts(read),
    show: showList,
  } as const;
}

/** A single flag with a comma-separated list whose items `read` checks. */
export function commaListOf(read: (item: string) => string) {
  return {
    given: 'text',
    typescript: 'readonly string[]',
    read: (list: string): readonly string[] => splitList(list).map(read),
    missing: [] as readonly string[],
    check: mustBeTexts(read),
    show: showList,
  } as const;
}

/** Specs of entities, parsed later; in code also objects. */
export function specs(typescript: string, expected: string) {
  return {
    given: 'list',
    typescript,
    read: (items: readonly string[]) => items,
    missing: [] as readonly string[],
    check: mustBe(expected, Array.isArray),
  } as const;
}

/** A value that only a program gives. */
export function codeOnly(typescript: string, check: Check) {
  return { given: 'code', typescript, missing: undefined, check } as const;
}

export const BYTE_COUNT_CHECK = mustBe('a whole number of bytes', (value) => isWhole(value) && value >= 0);

export function mustBe(expected: string, isGood: (value: unknown) => boolean): Check {
  return (name, value) => {
    if (isGood(value)) return;
    throw new JitneyError('bad-option', `${name} must be ${expected}, not ${shown(value)}`);
  };
}

export function mustBeOneOf(words: readonly string[]): Check {
  return mustBe(`one of ${words.join(', ')}`, (value) => words.some((word) => word === value));
}

function mustBeTexts(read: (item: string) => string): Check {
  const checkArray = mustBe('an array of texts', (value) => Array.isArray(value) && value.every(isText));
  return (name, value) => {
    checkArray(name, value);
    for (const item of Array.isArray(value) ? value.map(String) : []) {
      refusing('bad-option', `each of ${name}`, () => read(item));
    }
  };
}

/** Runs a reader; its ValueError becomes a JitneyError that starts with the name. */
export function refusing<T>(kind: 'bad-option' | 'bad-variable', name: string, read: () => T): T {
  try {
    return named(name, read);
  } catch (error) {
    if (error instanceof ValueError) throw new JitneyError(kind, error.message, { cause: error });
    throw error;
  }
}

export function isTexts(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).every(isText);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isPort(value: unknown): boolean {
  return isWhole(value) && value >= 0 && value <= 65_535;
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value);
}

function showList(items: readonly string[]): string | null {
  return items.length === 0 ? null : items.join(',');
}
