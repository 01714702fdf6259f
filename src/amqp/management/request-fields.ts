// Reads the fields of a management request's body. The error for a wrong field says what to send.

import type { SessionClaim } from '../../broker/contract/command.js';
import { type ErrorReason, ServiceBusError } from '../../broker/contract/service-bus-error.js';
import {
  booleanOf,
  entriesOf,
  entryOf,
  integerOf,
  itemsOf,
  textOf,
  timestampOf,
  uuidOf,
} from '../../codec/read-value.js';
import type { AmqpValue } from '../../codec/types.js';
import { readEntries } from '../../content/encoded-values.js';
import { describeValue } from '../describe-value.js';
import type { ManagementRequest } from './management-operation.js';

const LOCK_TOKENS = 'lock-tokens';
const SEQUENCE_NUMBERS = 'sequence-numbers';
const SESSION_ID = 'session-id';
const MAP8 = 0xc1;
const MAP32 = 0xd1;

/** The field; undefined when it is missing or null. */
export function readField({ body }: ManagementRequest, name: string): AmqpValue | undefined {
  const field = entryOf(body, name);
  return field?.value === null ? undefined : field;
}

type Mistake = { readonly name: string; readonly wanted: string; readonly reason?: ErrorReason };

/** The error for a wrong field, with its value and the expected values. */
export function fieldError(request: ManagementRequest, mistake: Mistake): ServiceBusError {
  return valueError(request, { ...mistake, value: entryOf(request.body, mistake.name) });
}

/** The error for a wrong value anywhere in the request; `name` is the path to it. */
function valueError(
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

/** Reads sequence numbers. Those above 2^53 are rounded, because no message has such a number. */
export function readSequenceNumbers(
  request: ManagementRequest,
  { canBeEmpty }: { canBeEmpty: boolean },
): readonly number[] {
  const numbers = readItems(request, SEQUENCE_NUMBERS, wholeNumberOf);
  if (numbers !== undefined && (canBeEmpty || numbers.length > 0)) return numbers;
  const wanted = canBeEmpty ? 'an array of longs' : 'an array of one or more longs';
  throw fieldError(request, { name: SEQUENCE_NUMBERS, wanted });
}

export function readLong(request: ManagementRequest, name: string): number {
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

/** The bytes of a map, as the client encoded it. */
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

/** The session id, which may be empty; undefined when the field is missing or null. */
export function readSessionId(request: ManagementRequest): string | undefined {
  return readText(request, SESSION_ID);
}

/** The session that the client claims to hold on the connection of this request. */
export function readSession(request: ManagementRequest): SessionClaim | undefined {
  const sessionId = readSessionId(request);
  return sessionId === undefined ? undefined : { sessionId, connectionId: request.connectionId };
}

/** The session that the client claims to hold, where a session is required. */
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

/** The items of a list or an array; undefined when one has another type. */
function readItems<T>(
  request: ManagementRequest,
  name: string,
  of: (value: AmqpValue) => T | undefined,
): readonly T[] | undefined {
  const items = itemsOf(readField(request, name));
  const values = items?.map(of).filter((value) => value !== undefined);
  return values?.length === items?.length ? values : undefined;
}

/** A whole number of any integer type. */
function wholeNumberOf(value: AmqpValue | undefined): number | undefined {
  const isBeyondSafe = typeof value?.value === 'bigint' && timestampOf(value) === undefined;
  return isBeyondSafe ? Number(value.value) : integerOf(value);
}

/** Whether the encoded value is a map without a descriptor. */
function isMapAt(bytes: Uint8Array, offset: number): boolean {
  return bytes[offset] === MAP8 || bytes[offset] === MAP32;
}

/** A map within a request. Its errors name the path of a field: `rule-description.sql-filter.expression`. */
export class NestedMap {
  readonly #request: ManagementRequest;
  readonly #path: string;
  readonly #map: AmqpValue;

  private constructor(request: ManagementRequest, path: string, map: AmqpValue | undefined) {
    this.#request = request;
    this.#path = path;
    if (map === undefined || entriesOf(map) === undefined) {
      throw valueError(request, { name: path, value: map, wanted: 'a map' });
    }
    this.#map = map;
  }

  /** Reads a field of the request, which must be a map. */
  static read(request: ManagementRequest, name: string): NestedMap {
    return new NestedMap(request, name, readField(request, name));
  }

  /** The field; undefined when it is missing or null. */
  map(name: string): NestedMap | undefined {
    const value = this.#field(name);
    return value === undefined ? undefined : new NestedMap(this.#request, this.#pathOf(name), value);
  }

  /** The field; undefined when it is missing or null. */
  text(name: string): string | undefined {
    const value = this.#field(name);
    const text = textOf(value);
    if (value !== undefined && text === undefined) throw this.error(name, 'a string, or left out');
    return text;
  }

  /** Each key with its value as `of` reads it; `wanted` describes the values that `of` can read. */
  entries<T>(of: (value: AmqpValue) => T | undefined, wanted: string): Record<string, T> {
    const entries = (entriesOf(this.#map) ?? []).map(([key, value]): [string, T] => {
      const name = textOf(key);
      if (name === undefined) {
        throw valueError(this.#request, {
          name: this.#path,
          value: this.#map,
          wanted: 'a map with string keys',
        });
      }
      const read = of(value);
      if (read === undefined) throw this.error(name, wanted);
      return [name, read];
    });
    return Object.fromEntries(entries);
  }

  error(name: string, wanted: string): ServiceBusError {
    const value = entryOf(this.#map, name);
    return valueError(this.#request, { name: this.#pathOf(name), value, wanted });
  }

  #field(name: string): AmqpValue | undefined {
    const value = entryOf(this.#map, name);
    return value?.value === null ? undefined : value;
  }

  #pathOf(name: string): string {
    return `${this.#path}.${name}`;
  }
}
