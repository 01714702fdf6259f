// Compares a message with what a test expects of it: the fields that the test names, and no others.

import { suggestion } from '../description/suggestion.js';
import { isAsymmetric, isBytes, isDate, isPlainObject, isRegExp } from './shown-value.js';

/** A message that is there or was there, with the names of the SDK's messages. */
export type SeenMessage = {
  readonly sequenceNumber: number;
  readonly messageId?: string;
  readonly sessionId?: string;
  readonly state?: string;
  readonly body: unknown;
  readonly deadLetterReason?: string;
  readonly deadLetterErrorDescription?: string;
  readonly lastHolder?: string;
};

/** Some of a message's fields, or a function that returns true for it. */
export type ExpectedFields = Readonly<Record<string, unknown>> | ((message: SeenMessage) => unknown);

/** A field that a test names. */
export type Compared = {
  readonly name: string;
  readonly expected: unknown;
  readonly there: unknown;
  readonly isSame: boolean;
};

/** The fields of a message, by which a misspelt one is found: it would match no message, and every `.not`. */
const FIELDS: readonly string[] = [
  ...[
    'sequenceNumber',
    'state',
    'enqueuedTime',
    'expiresAt',
    'scheduledTime',
    'lockedUntil',
    'deliveryCount',
  ],
  ...['enqueuedSequenceNumber', 'partitionId', 'sizeBytes', 'hopCount', 'destination', 'deadLetterReason'],
  ...[
    'deadLetterErrorDescription',
    'deadLetterSource',
    'lastHolder',
    'deadLetteredTime',
    'messageId',
    'subject',
  ],
  ...['correlationId', 'contentType', 'to', 'replyTo', 'sessionId', 'replyToSessionId', 'partitionKey'],
  ...[
    'viaPartitionKey',
    'timeToLiveMs',
    'scheduledEnqueueTime',
    'applicationProperties',
    'annotations',
    'body',
  ],
];

/** Throws a TypeError for anything but a function or an object with fields of a message. */
export function checkExpectedMessage(what: string, expected: unknown): asserts expected is ExpectedFields {
  if (typeof expected === 'function' || isAsymmetric(expected)) return;
  if (!isPlainObject(expected)) {
    throw new TypeError(
      `${what} takes some fields of a message, such as { subject: 'paid' }, or a function that returns true for it, not ${String(expected)}.`,
    );
  }
  const unknown = Object.keys(expected).find((name) => !FIELDS.includes(name));
  if (unknown === undefined) return;
  const near = suggestion(unknown, FIELDS);
  const property = `If it is an application property, write { applicationProperties: { ${unknown}: … } }.`;
  throw new TypeError(`${what}: a message has no field '${unknown}'.${near} ${property}`);
}

/** Throws a TypeError for a function that returns a promise, because a promise would count as true. */
export function isMatch(expected: ExpectedFields, message: SeenMessage): boolean {
  if (typeof expected !== 'function') return compare(expected, message).every(({ isSame }) => isSame);
  const answer = expected(message);
  if (typeof (answer as PromiseLike<unknown> | undefined)?.then !== 'function') return Boolean(answer);
  throw new TypeError('The function returned a promise; it must return true or false at once.');
}

/** The leaves of what is expected, each with what is there. */
export function compare(expected: unknown, there: unknown, name = ''): readonly Compared[] {
  if (isPlainObject(expected) && isPlainObject(there)) {
    return Object.entries(expected).flatMap(([key, value]) =>
      compare(value, there[key], name === '' ? key : `${name}.${key}`),
    );
  }
  if (Array.isArray(expected) && Array.isArray(there) && expected.length === there.length) {
    return expected.flatMap((value, index) => compare(value, there[index], `${name}[${index}]`));
  }
  return [{ name, expected, there, isSame: isSameValue(expected, there) }];
}

function isSameValue(expected: unknown, there: unknown): boolean {
  if (isAsymmetric(expected)) return expected.asymmetricMatch(there);
  if (isRegExp(expected)) return typeof there === 'string' && new RegExp(expected).test(there);
  if (isDate(expected)) return isDate(there) && expected.getTime() === there.getTime();
  if (isBytes(expected)) return isBytes(there) && Buffer.compare(expected, there) === 0;
  // A body that is JSON has no bigint, and an application property has one only beyond 2^53.
  if (typeof expected === 'bigint' && typeof there === 'number')
    return Number.isInteger(there) && expected === BigInt(there);
  return Object.is(expected, there);
}

/** A message that could have been the expected one, with the words that name it. */
export type Candidate = { readonly name: string; readonly message: SeenMessage };
export type NearMiss = { readonly name: string; readonly compared: readonly Compared[] };

/** The candidate with most of the expected fields, of several the newest. Undefined for a function, whose reasons nobody knows. */
export function nearestMiss(
  expected: ExpectedFields,
  candidates: readonly Candidate[],
): NearMiss | undefined {
  if (typeof expected === 'function') return undefined;
  let nearest: NearMiss | undefined;
  let most = -1;
  for (const { name, message } of candidates) {
    const compared = compare(expected, message);
    const count = compared.filter(({ isSame }) => isSame).length;
    if (count < most) continue;
    most = count;
    nearest = { name, compared };
  }
  return nearest;
}
