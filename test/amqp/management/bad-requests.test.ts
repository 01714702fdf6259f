// Requests that are not as they must be: each is refused with the right condition and a text that says which value was seen.

import { describe, expect, it } from 'vitest';
import {
  bin,
  double,
  type Encoded,
  int,
  list,
  long,
  NULL,
  str,
  timestamp,
  ubyte,
  uuid,
} from '../../support/frame-encoder.js';
import { messageAnnotations } from '../../support/frame-message.js';
import { bodyOf } from './management-client.js';
import { OPERATIONS, type OperationName, refusalOf } from './operation-under-test.js';
import { GOOD, item, longs, scheduledMessage, TIME, TOKEN, uuids } from './request-bodies.js';

type Row = readonly [operation: OperationName, field: string, text: string, value: Encoded | undefined];

const ARGUMENT = '400 com.microsoft:argument-error: ';
const OUT_OF_RANGE = '400 com.microsoft:argument-out-of-range: ';
const SOME_UUIDS = 'it must be an array of one or more uuids.';
const SOME_SESSION = 'it must be a string.';
const SOME_STATE = 'it must be a binary, or null to clear the state.';
const SOME_COUNT = 'it must be an int of 1 or more.';

/** Each kind of value with all that may be wrong with it, and each field of an operation once. */
const WRONG_FIELDS: readonly Row[] = [
  ['renew-lock', 'lock-tokens', `is missing; ${SOME_UUIDS}`, undefined],
  ['renew-lock', 'lock-tokens', `is null; ${SOME_UUIDS}`, NULL],
  ['renew-lock', 'lock-tokens', `is string "a"; ${SOME_UUIDS}`, str('a')],
  ['renew-lock', 'lock-tokens', `is an array of 0; ${SOME_UUIDS}`, uuids()],
  ['renew-lock', 'lock-tokens', `is uuid ${TOKEN.toString('hex')}; ${SOME_UUIDS}`, uuid(TOKEN)],
  ['renew-lock', 'lock-tokens', `is an array of 1: long 7; ${SOME_UUIDS}`, longs(7)],
  [
    'renew-lock',
    'lock-tokens',
    `is a list of 2: uuid ${TOKEN.toString('hex')}, string "b"; ${SOME_UUIDS}`,
    list([uuid(TOKEN), str('b')]),
  ],
  ['renew-lock', 'lock-tokens', 'an array of 5: long 1, long 2, long 3, ...;', longs(1, 2, 3, 4, 5)],
  ['update-disposition', 'lock-tokens', `is an array of 0; ${SOME_UUIDS}`, uuids()],
  [
    'update-disposition',
    'disposition-status',
    `is string "done"; it must be 'completed', 'abandoned', 'defered' or 'suspended'.`,
    str('done'),
  ],
  ['update-disposition', 'disposition-status', "is missing; it must be 'completed',", undefined],
  ['update-disposition', 'deadletter-reason', 'is int 3; it must be a string, or left out.', int(3)],
  ['update-disposition', 'deadletter-description', 'is a list of 0; it must be a string,', list([])],
  ['update-disposition', 'properties-to-modify', 'is string "a"; it must be a map, or left out.', str('a')],
  ['update-disposition', 'session-id', 'is int 3; it must be a string, or left out.', int(3)],
  ['peek-message', 'from-sequence-number', 'is missing; it must be a long.', undefined],
  ['peek-message', 'from-sequence-number', 'is timestamp 1; it must be a long.', timestamp(1)],
  ['peek-message', 'message-count', `is double 1.5; ${SOME_COUNT}`, double(1.5)],
  ['peek-message', 'message-count', `is string "${'9'.repeat(50)}..."; it must be`, str('9'.repeat(1000))],
  ['peek-message', 'omit-message-body', 'is string "yes"; it must be a boolean, or left out.', str('yes')],
  [
    'peek-message',
    'session-id',
    'is a list of 1: string "s"; it must be a string, or left',
    list([str('s')]),
  ],
  ['receive-by-sequence-number', 'sequence-numbers', 'is long 1; it must be an array of longs.', long(1)],
  [
    'receive-by-sequence-number',
    'sequence-numbers',
    'is a list of 2: long 1, double 2; it must be an array of longs.',
    list([long(1), double(2)]),
  ],
  [
    'receive-by-sequence-number',
    'receiver-settle-mode',
    'is missing; it must be uint 0 for receive-and-delete or uint 1 for peek-lock.',
    undefined,
  ],
  ['receive-by-sequence-number', 'receiver-settle-mode', 'is int -1; it must be uint 0', int(-1)],
  ['receive-by-sequence-number', 'session-id', 'is int 3; it must be a string, or left out.', int(3)],
  ['schedule-message', 'messages', 'is a list of 0; it must be a list of one or more maps,', list([])],
  ['schedule-message', 'messages', 'is binary ab; it must be a list', bin(Buffer.from('ab', 'hex'))],
  [
    'cancel-scheduled-message',
    'sequence-numbers',
    'is an array of 0; it must be an array of one or',
    longs(),
  ],
  ['batch-delete-messages', 'message-count', `is string "all"; ${SOME_COUNT}`, str('all')],
  ['batch-delete-messages', 'enqueued-time-utc', 'is long 1; it must be a timestamp, or left out.', long(1)],
  ['batch-delete-messages', 'session-id', 'is int 3; it must be a string, or left out.', int(3)],
  ['renew-session-lock', 'session-id', `is missing; ${SOME_SESSION}`, undefined],
  ['get-session-state', 'session-id', `is null; ${SOME_SESSION}`, NULL],
  ['set-session-state', 'session-id', `is binary 73; ${SOME_SESSION}`, bin(Buffer.from('s'))],
  ['set-session-state', 'session-state', `is missing; ${SOME_STATE}`, undefined],
  ['set-session-state', 'session-state', `is a list of 1: ubyte 7; ${SOME_STATE}`, list([ubyte(7)])],
  [
    'get-message-sessions',
    'last-updated-time',
    'is string "now"; it must be a timestamp, or left',
    str('now'),
  ],
  ['get-message-sessions', 'skip', 'is double 1.5; it must be an int of 0 or more.', double(1.5)],
  ['get-message-sessions', 'top', `is string "all"; ${SOME_COUNT}`, str('all')],
];

const COUNTS_OUT_OF_RANGE: readonly Row[] = [
  ['peek-message', 'message-count', 'is int 0; it must be 1 or more.', int(0)],
  ['batch-delete-messages', 'message-count', 'is int -1; it must be 1 or more.', int(-1)],
  ['get-message-sessions', 'top', 'is long -9223372036854775808; it must be 1 or more.', long(-(2n ** 63n))],
  ['get-message-sessions', 'skip', 'is int -1; it must be 0 or more.', int(-1)],
];

describe('a request is refused', () => {
  it.each(WRONG_FIELDS)('%s whose %s %s', (operation, field, text, value) => {
    const refusal = refusalOf(operation, { ...GOOD[operation], [field]: value });
    expect(refusal.startsWith(ARGUMENT)).toBe(true);
    expect(refusal).toContain(`The field '${field}' of the request `);
    expect(refusal).toContain(text);
  });

  it.each(COUNTS_OUT_OF_RANGE)('%s whose %s %s', (operation, field, text, value) => {
    expect(refusalOf(operation, { ...GOOD[operation], [field]: value })).toContain(
      `${OUT_OF_RANGE}The field '${field}' of the request ${text}`,
    );
  });

  it.each(Object.keys(OPERATIONS) as OperationName[])('%s with a body that is no map', (operation) => {
    for (const body of [str('text'), list([]), NULL]) {
      expect(refusalOf(operation, body)).toMatch(
        /^400 com\.microsoft:argument-error: .*is missing; it must be/,
      );
    }
  });
});

describe('a request to schedule messages is refused', () => {
  const good = scheduledMessage('good', TIME);
  const timed = (time: Encoded) => messageAnnotations({ 'x-opt-scheduled-enqueue-time': time });

  it.each<[string, Encoded, string]>([
    ['is no map', str('a'), "Item 1 of 'messages': its 'message' is missing; it must be a binary"],
    ['has no message', bodyOf({ 'message-id': str('a') }), "its 'message' is missing; it must be a binary"],
    ['has a text as its message', bodyOf({ message: str('a') }), `its 'message' is string "a"; it must be`],
    ['has bytes that are no AMQP', item(Buffer.from('hello')), "its 'message' is not a valid AMQP message:"],
    ['has half a message', item(good.subarray(0, -1)), "its 'message' is not a valid AMQP message:"],
    [
      'has an empty message',
      item(Buffer.alloc(0)),
      'has no annotation x-opt-scheduled-enqueue-time; set it to',
    ],
    [
      'has no time',
      item(scheduledMessage('a', undefined)),
      'has no annotation x-opt-scheduled-enqueue-time;',
    ],
    ['has a time of null', item(timed(NULL)), 'has no annotation x-opt-scheduled-enqueue-time;'],
    ['has a text as its time', item(timed(str('soon'))), 'x-opt-scheduled-enqueue-time is not a timestamp'],
  ])('when one of them %s', (_, bad, text) => {
    const refusal = refusalOf('schedule-message', { messages: list([item(good), bad]) });
    expect(refusal.startsWith(ARGUMENT)).toBe(true);
    expect(refusal).toContain(text);
  });
});
