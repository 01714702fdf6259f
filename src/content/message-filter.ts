// The filter of a list of messages: words that each message must have, as `body:"x" prop.color=red age:>5m`.

import { unquoted, wordsOf } from './filter-words.js';
import { type ShownBody, textOfBody } from './json-body-text.js';

/** A message as a filter reads it: each field only if a word asks for it. A message of the control interface is one. */
export type FilteredMessage = {
  readonly sequenceNumber: number;
  readonly enqueuedTime: string;
  readonly deliveryCount: number;
  readonly sizeBytes: number;
  readonly messageId?: string | undefined;
  readonly subject?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly correlationId?: string | undefined;
  readonly deadLetterReason?: string | undefined;
  readonly deadLetterErrorDescription?: string | undefined;
  readonly lastHolder?: string | undefined;
  readonly applicationProperties: Readonly<
    Record<string, { readonly type: string; readonly value: unknown }>
  >;
  readonly body: ShownBody;
};

/** A word of the filter, and whether a message has what it asks for. `now` is in milliseconds since 1970. */
export type Term = {
  /** As it was typed. */
  readonly word: string;
  readonly key: string;
  readonly test: (message: FilteredMessage, now: number) => boolean;
};

export type MessageFilter = {
  readonly terms: readonly Term[];
  /** Says which word cannot be read, and why. The terms are those before it. */
  readonly problem: string | undefined;
};

type Test = Term['test'];
type Property = 'messageId' | 'subject' | 'sessionId' | 'correlationId';

const PROPERTIES: Readonly<Record<string, Property>> = {
  id: 'messageId',
  subject: 'subject',
  session: 'sessionId',
  correlation: 'correlationId',
};
const NUMBERS: Readonly<Record<string, 'sizeBytes' | 'deliveryCount' | 'sequenceNumber'>> = {
  size: 'sizeBytes',
  deliveries: 'deliveryCount',
  number: 'sequenceNumber',
};
const KEYS = [...Object.keys(PROPERTIES), ...Object.keys(NUMBERS), 'body', 'reason', 'age'];

const UNITS_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const PROPERTY_WORD = /^prop\.("(?:\\.|[^"\\])*"|[^=<>!\s"]+)(!=|>=|<=|=|>|<)(.*)$/s;
const KEY_WORD = /^([a-z]+):(.*)$/is;
const NOT = '-';

export function parseFilter(text: string): MessageFilter {
  const terms: Term[] = [];
  for (const word of wordsOf(text)) {
    const read = readWord(word);
    if ('problem' in read) return { terms, problem: `${word}: ${read.problem}` };
    terms.push({ word, ...read });
  }
  return { terms, problem: undefined };
}

/** Whether a message has all that the filter asks for. */
export function matches({ terms }: MessageFilter, message: FilteredMessage, now: number): boolean {
  return terms.every(({ test }) => test(message, now));
}

type Read = Pick<Term, 'key' | 'test'> | { readonly problem: string };

function readWord(word: string): Read {
  if (word.startsWith(NOT) && word.length > 1) {
    const read = readWord(word.slice(1));
    if ('problem' in read) return read;
    return { key: read.key, test: (message, now) => !read.test(message, now) };
  }
  if ((word.replace(/\\./g, '').match(/"/g)?.length ?? 0) % 2 === 1) {
    return { problem: 'a quotation mark is missing at the end' };
  }
  const [, name, operator, value] = PROPERTY_WORD.exec(word) ?? [];
  if (name !== undefined && operator !== undefined)
    return readProperty(unquoted(name), operator, value ?? '');
  if (/^prop\b/i.test(word)) return { problem: 'write it as prop.color=red, with =, !=, <, <=, > or >=' };
  const [, key = '', rest = ''] = KEY_WORD.exec(word) ?? [];
  if (key === '') return { key: '', test: anywhere(unquoted(word)) };
  return readKey(key.toLowerCase(), rest);
}

function readKey(key: string, value: string): Read {
  if (!KEYS.includes(key)) {
    return {
      problem: `'${key}' is none of ${KEYS.join(', ')} and prop.…; put quotation marks around text with a colon`,
    };
  }
  if (value === '' || value === '""') return { problem: 'a value is missing behind the colon' };
  const property = PROPERTIES[key];
  if (property !== undefined) {
    const test = patternTest(value);
    return { key, test: (message) => test(message[property]) };
  }
  const number = NUMBERS[key];
  if (number !== undefined) {
    const compare = readComparison(value, (text) => (/^\d+$/.test(text) ? Number(text) : undefined));
    if (compare === undefined) return { problem: 'write a whole number, with <, <=, > or >= if you like' };
    return { key, test: (message) => compare(message[number]) };
  }
  if (key === 'age') return readAge(value);
  if (key === 'reason') {
    const test = patternTest(value);
    return { key, test: ({ deadLetterReason }) => test(deadLetterReason) };
  }
  const wanted = unquoted(value).toLowerCase();
  return { key, test: ({ body }) => textOfBody(body).toLowerCase().includes(wanted) };
}

function readAge(value: string): Read {
  const compare = readComparison(value, durationOf);
  if (compare === undefined || /^[\d.]/.test(value)) {
    return { problem: 'write a duration such as >5m or <2h; the units are ms, s, m, h and d' };
  }
  return { key: 'age', test: ({ enqueuedTime }, now) => compare(now - Date.parse(enqueuedTime)) };
}

function durationOf(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|min|m|h|d)$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * (UNITS_MS[unit] ?? 1);
}

/** A number with an operator before it; `=` without one. */
function readComparison(
  text: string,
  read: (text: string) => number | undefined,
): ((value: number) => boolean) | undefined {
  const [, operator = '=', rest = ''] = /^(>=|<=|>|<|=)?(.*)$/s.exec(text) ?? [];
  const wanted = read(rest);
  return wanted === undefined ? undefined : (value) => compares(value - wanted, operator);
}

function compares(difference: number, operator: string): boolean {
  switch (operator) {
    case '>':
      return difference > 0;
    case '>=':
      return difference >= 0;
    case '<':
      return difference < 0;
    case '<=':
      return difference <= 0;
    default:
      return difference === 0;
  }
}

function readProperty(name: string, operator: string, given: string): Read {
  const key = `prop.${name}`;
  if (operator === '=' || operator === '!=') {
    const test = patternTest(given);
    const isWanted = operator === '=';
    return { key, test: (message) => test(propertyText(message, name)) === isWanted };
  }
  const value = unquoted(given);
  const wanted = numberOrTime(value);
  if (wanted === undefined) {
    return { problem: `${operator} compares numbers and times, and '${value}' is none` };
  }
  return {
    key,
    test: (message) => {
      const found = numberOrTime(propertyText(message, name) ?? '');
      return found !== undefined && compares(found - wanted, operator);
    },
  };
}

function propertyText({ applicationProperties }: FilteredMessage, name: string): string | undefined {
  if (!Object.hasOwn(applicationProperties, name)) return undefined;
  const value = applicationProperties[name]?.value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function numberOrTime(text: string): number | undefined {
  if (text.trim() === '') return undefined;
  const number = Number(text);
  if (!Number.isNaN(number)) return number;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** The whole text, in either case; `*` stands for any characters, and `\*` for itself. Never looks at a character of the text twice per part. */
function patternTest(given: string): (text: string | undefined) => boolean {
  const [first = '', ...parts] = partsOf(given.toLowerCase());
  const last = parts.pop();
  if (last === undefined) return (text) => text?.toLowerCase() === first;
  return (text) => {
    const whole = text?.toLowerCase();
    if (whole === undefined || whole.length < first.length + last.length) return false;
    if (!whole.startsWith(first) || !whole.endsWith(last)) return false;
    let at = first.length;
    for (const part of parts) {
      const found = whole.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= whole.length - last.length;
  };
}

/** The texts between the stars. */
function partsOf(pattern: string): readonly string[] {
  const parts = [''];
  for (const [piece, escaped] of pattern.matchAll(/\\(.)|"|\*|[^\\"*]+/gs)) {
    if (piece === '*') parts.push('');
    else if (piece !== '"') parts.push(`${parts.pop() ?? ''}${escaped ?? piece}`);
  }
  return parts;
}

/** A bare word: the text is anywhere in the message. */
function anywhere(given: string): Test {
  const wanted = given.toLowerCase();
  return (message) => textsOf(message).some((text) => text?.toLowerCase().includes(wanted) === true);
}

function textsOf(message: FilteredMessage): readonly (string | undefined)[] {
  const { messageId, subject, sessionId, correlationId } = message;
  const { deadLetterReason, deadLetterErrorDescription, lastHolder, applicationProperties } = message;
  return [
    ...[messageId, subject, sessionId, correlationId, String(message.sequenceNumber)],
    ...[deadLetterReason, deadLetterErrorDescription, lastHolder, textOfBody(message.body)],
    ...Object.keys(applicationProperties).map((name) => propertyText(message, name)),
  ];
}
