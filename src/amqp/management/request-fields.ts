// Reads the fields of a management request's body; one that is not as it must be is an error that says what to send.

import type { SessionClaim } from '../../broker/command.js';
import { type ErrorReason, ServiceBusError } from '../../broker/service-bus-error.js';
import {
  booleanOf,
  entryOf,
  integerOf,
  itemsOf,
  textOf,
  timestampOf,
  uuidOf,
} from '../../codec/read-value.js';
import type { AmqpValue } from '../../codec/types.js';
import { readEntries } from '../../content/items.js';
import { describeValue } from '../describe-value.js';

export type ManagementRequest = {
  readonly entityPath: string;
  /** Of the connection that it came on, whose links hold the sessions it may be about. */
  readonly connectionId: number;
  readonly body: AmqpValue | undefined;
  /** The same as the client encoded it, for values that stay as they are. */
  readonly encodedBody: Uint8Array | undefined;
};

const LOCK_TOKENS = 'lock-tokens';
const SEQUENCE_NUMBERS = 'sequence-numbers';
const SESSION_ID = 'session-id';
const MAP8 = 0xc1;
const MAP32 = 0xd1;

/** Undefined when it is missing or null. */
export function readField({ body }: ManagementRequest, name: string): AmqpValue | undefined {
  const field = entryOf(body, name);
  return field?.value === null ? undefined : field;
}

type Mistake = { readonly name: string; readonly wanted: string; readonly reason?: ErrorReason };

/** The error about a field: what it is, and what it must be. */
export function fieldError(request: ManagementRequest, mistake: Mistake): ServiceBusError {
  return valueError(request, { ...mistake, value: entryOf(request.body, mistake.name) });
}

/** The same about any value in the request; `name` says where it is. */
export function valueError(
  { entityPath }: ManagementRequest,
  { name, value, wanted, reason = 'argument' }: Mistake & { readonly value: AmqpValue | undefined },
): ServiceBusError {
  const seen = describeValue(value);
  return new ServiceBusError(reason, `The field '${name}' of the request is ${seen}; it must be ${wanted}.`, {
    entityPath,
    property: name,
  });
}

export function readLockTokens(request: ManagementRequest): readonly string[] {
  const tokens = readItems(request, LOCK_TOKENS, uuidOf);
  if (tokens !== undefined && tokens.length > 0) return tokens;
  throw fieldError(request, { name: LOCK_TOKENS, wanted: 'an array of one or more uuids' });
}

/** Those beyond 2^53 only nearly: there is no message with such a number. */
export function readSequenceNumbers(
  request: ManagementRequest,
  { canBeEmpty }: { canBeEmpty: boolean },
): readonly number[] {
  const numbers = readItems(request, SEQUENCE_NUMBERS, wholeNumberOf);
  if (numbers !== undefined && (canBeEmpty || numbers.length > 0)) return numbers;
  const wanted = canBeEmpty ? 'an array of longs' : 'an array of one or more longs';
  throw fieldError(request, { name: SEQUENCE_NUMBERS, wanted });
}

export function readSequenceNumber(request: ManagementRequest, name: string): number {
  const number = wholeNumberOf(readField(request, name));
  if (number === undefined) throw fieldError(request, { name, wanted: 'a long' });
  return number;
}

export function readCount(request: ManagementRequest, name: string, { least = 1 } = {}): number {
  const count = wholeNumberOf(readField(request, name));
  if (count === undefined) throw fieldError(request, { name, wanted: `an int of ${least} or more` });
  if (count < least) {
    throw fieldError(request, { name, wanted: `${least} or more`, reason: 'argument-out-of-range' });
  }
  return count;
}

export function readFlag(request: ManagementRequest, name: string): boolean | undefined {
  return readOptional(request, { name, wanted: 'a boolean', of: booleanOf });
}

export function readText(request: ManagementRequest, name: string): string | undefined {
  return readOptional(request, { name, wanted: 'a string', of: textOf });
}

export function readTimestamp(request: ManagementRequest, name: string): number | undefined {
  return readOptional(request, { name, wanted: 'a timestamp', of: timestampOf });
}

/** A map as it was encoded. */
export function readEncodedMap(request: ManagementRequest, name: string): Uint8Array | undefined {
  const { encodedBody } = request;
  if (encodedBody === undefined || readField(request, name) === undefined) return undefined;
  const entries = isMapAt(encodedBody, 0) ? readEntries(encodedBody, 0) : [];
  const entry = entries.find((each) => each.name === name);
  if (entry === undefined || !isMapAt(encodedBody, entry.value)) {
    throw fieldError(request, { name, wanted: 'a map, or left out' });
  }
  return encodedBody.subarray(entry.value, entry.end);
}

/** The empty string is an id like any other. */
export function readSessionId(request: ManagementRequest): string | undefined {
  return readText(request, SESSION_ID);
}

/** The session that the client says it holds on the connection of this request. */
export function readSession(request: ManagementRequest): SessionClaim | undefined {
  const sessionId = readSessionId(request);
  return sessionId === undefined ? undefined : { sessionId, connectionId: request.connectionId };
}

/** The same, where nothing can be done without. */
export function requireSession(request: ManagementRequest): SessionClaim {
  const sessionId = textOf(readField(request, SESSION_ID));
  if (sessionId === undefined) throw fieldError(request, { name: SESSION_ID, wanted: 'a string' });
  return { sessionId, connectionId: request.connectionId };
}

function readOptional<T>(
  request: ManagementRequest,
  { name, wanted, of }: { name: string; wanted: string; of: (value: AmqpValue) => T | undefined },
): T | undefined {
  const field = readField(request, name);
  if (field === undefined) return undefined;
  const value = of(field);
  if (value === undefined) throw fieldError(request, { name, wanted: `${wanted}, or left out` });
  return value;
}

/** Of a list or an array; undefined when one of the items is of another type. */
function readItems<T>(
  request: ManagementRequest,
  name: string,
  of: (value: AmqpValue) => T | undefined,
): readonly T[] | undefined {
  const items = itemsOf(readField(request, name));
  const values = items?.map(of).filter((value) => value !== undefined);
  return values?.length === items?.length ? values : undefined;
}

/** Of any integer type. */
function wholeNumberOf(value: AmqpValue | undefined): number | undefined {
  const isBeyondSafe = typeof value?.value === 'bigint' && timestampOf(value) === undefined;
  return isBeyondSafe ? Number(value.value) : integerOf(value);
}

/** And not a described one. */
function isMapAt(bytes: Uint8Array, offset: number): boolean {
  return bytes[offset] === MAP8 || bytes[offset] === MAP32;
}
