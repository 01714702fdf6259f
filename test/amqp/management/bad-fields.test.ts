// Requests whose fields are not as they must be: each is answered with the right condition and a text that helps.

import { afterEach, beforeEach, describe, it } from 'vitest';
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
  uint,
  uuid,
} from '../../support/frame-encoder.js';
import { ARGUMENT, expectRefused, GOOD, OUT_OF_RANGE, sendSome, TOKEN } from './refusals.js';
import { longs, Surroundings, uuids } from './surroundings.js';

let given: Surroundings;
beforeEach(async () => {
  given = await Surroundings.open();
  await sendSome(given);
});
afterEach(() => given.close());

type Row = readonly [operation: string, field: string, text: string, value: Encoded | undefined];

const SOME_UUIDS = 'it must be an array of one or more uuids.';
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
  ['update-disposition', 'lock-tokens', `is missing; ${SOME_UUIDS}`, undefined],
  ['update-disposition', 'lock-tokens', `is an array of 0; ${SOME_UUIDS}`, uuids()],
  [
    'update-disposition',
    'disposition-status',
    `is string "done"; it must be 'completed', 'abandoned', 'defered' or 'suspended'.`,
    str('done'),
  ],
  ['update-disposition', 'disposition-status', "is missing; it must be 'completed',", undefined],
  ['update-disposition', 'disposition-status', "is int 3; it must be 'completed',", int(3)],
  ['update-disposition', 'deadletter-reason', 'is int 3; it must be a string, or left out.', int(3)],
  ['update-disposition', 'deadletter-description', 'is a list of 0; it must be a string,', list([])],
  ['update-disposition', 'properties-to-modify', 'is string "a"; it must be a map, or left out.', str('a')],
  ['update-disposition', 'properties-to-modify', 'is a list of 1: string "a"; it must be', list([str('a')])],
  ['peek-message', 'from-sequence-number', 'is missing; it must be a long.', undefined],
  ['peek-message', 'from-sequence-number', 'is string "1"; it must be a long.', str('1')],
  ['peek-message', 'from-sequence-number', 'is timestamp 1; it must be a long.', timestamp(1)],
  [
    'peek-message',
    'from-sequence-number',
    'is timestamp 4611686018427387904; it must be a long.',
    timestamp(2n ** 62n),
  ],
  ['peek-message', 'message-count', 'is missing; it must be an int of 1 or more.', undefined],
  ['peek-message', 'message-count', 'is double 1.5; it must be an int of 1 or more.', double(1.5)],
  ['peek-message', 'omit-message-body', 'is string "yes"; it must be a boolean, or left out.', str('yes')],
  ['receive-by-sequence-number', 'sequence-numbers', 'is missing; it must be an array of longs.', undefined],
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
  ['receive-by-sequence-number', 'receiver-settle-mode', 'is uint 2; it must be uint 0', uint(2)],
  ['receive-by-sequence-number', 'receiver-settle-mode', 'is int -1; it must be uint 0', int(-1)],
  ['receive-by-sequence-number', 'receiver-settle-mode', 'is string "0"; it must be uint 0', str('0')],
  ['schedule-message', 'messages', 'is missing; it must be a list of one or more maps,', undefined],
  ['schedule-message', 'messages', 'is a list of 0; it must be a list of one or more maps,', list([])],
  ['schedule-message', 'messages', 'is binary ab; it must be a list', bin(Buffer.from('ab', 'hex'))],
  [
    'cancel-scheduled-message',
    'sequence-numbers',
    'is missing; it must be an array of one or more',
    undefined,
  ],
  [
    'cancel-scheduled-message',
    'sequence-numbers',
    'is an array of 0; it must be an array of one or',
    longs(),
  ],
  [
    'cancel-scheduled-message',
    'sequence-numbers',
    'is a list of 1: string "3"; it must be',
    list([str('3')]),
  ],
  ['batch-delete-messages', 'message-count', 'is missing; it must be an int of 1 or more.', undefined],
  ['batch-delete-messages', 'message-count', 'is string "all"; it must be an int of 1 or more.', str('all')],
  ['batch-delete-messages', 'enqueued-time-utc', 'is string "now"; it must be a timestamp, or', str('now')],
  ['batch-delete-messages', 'enqueued-time-utc', 'is long 1; it must be a timestamp, or left out.', long(1)],
];

const SOME_SESSION = 'it must be a string.';
const SOME_STATE = 'it must be a binary, or null to clear the state.';
const SOME_TIME = 'it must be a timestamp, or left out.';
const WRONG_FIELDS_OF_SESSIONS: readonly Row[] = [
  ...['renew-session-lock', 'get-session-state', 'set-session-state'].flatMap((operation): Row[] => [
    [operation, 'session-id', `is missing; ${SOME_SESSION}`, undefined],
    [operation, 'session-id', `is null; ${SOME_SESSION}`, NULL],
    [operation, 'session-id', `is int 3; ${SOME_SESSION}`, int(3)],
    [operation, 'session-id', `is binary 73; ${SOME_SESSION}`, bin(Buffer.from('s'))],
  ]),
  ...['peek-message', 'receive-by-sequence-number', 'update-disposition', 'batch-delete-messages'].flatMap(
    (operation): Row[] => [
      [operation, 'session-id', 'is int 3; it must be a string, or left out.', int(3)],
      [operation, 'session-id', 'is a list of 1: string "s"; it must be a string, or left', list([str('s')])],
    ],
  ),
  ['set-session-state', 'session-state', `is missing; ${SOME_STATE}`, undefined],
  ['set-session-state', 'session-state', `is string "{}"; ${SOME_STATE}`, str('{}')],
  ['set-session-state', 'session-state', `is a list of 1: ubyte 7; ${SOME_STATE}`, list([ubyte(7)])],
  ['get-message-sessions', 'last-updated-time', `is long 1; ${SOME_TIME}`, long(1)],
  ['get-message-sessions', 'last-updated-time', `is string "now"; ${SOME_TIME}`, str('now')],
  ['get-message-sessions', 'skip', 'is missing; it must be an int of 0 or more.', undefined],
  ['get-message-sessions', 'skip', 'is double 1.5; it must be an int of 0 or more.', double(1.5)],
  ['get-message-sessions', 'top', 'is missing; it must be an int of 1 or more.', undefined],
  ['get-message-sessions', 'top', 'is string "all"; it must be an int of 1 or more.', str('all')],
];

const COUNTS_OUT_OF_RANGE: readonly Row[] = [
  ...[
    ['peek-message', 'message-count'] as const,
    ['batch-delete-messages', 'message-count'] as const,
    ['get-message-sessions', 'top'] as const,
  ].flatMap(([operation, field]): Row[] => [
    [operation, field, 'is int 0; it must be 1 or more.', int(0)],
    [operation, field, 'is int -1; it must be 1 or more.', int(-1)],
    [operation, field, 'is long -9223372036854775808; it must be 1 or more.', long(-(2n ** 63n))],
  ]),
  ['get-message-sessions', 'skip', 'is int -1; it must be 0 or more.', int(-1)],
];

describe('a request is refused', () => {
  it.each([...WRONG_FIELDS, ...WRONG_FIELDS_OF_SESSIONS])(
    '%s whose %s %s',
    async (operation, field, text, value) => {
      await expectRefused(given, [operation, { ...GOOD[operation], [field]: value }], {
        ...ARGUMENT,
        text: `The field '${field}' of the request ${text}`,
      });
    },
  );

  it.each(COUNTS_OUT_OF_RANGE)('%s whose %s %s', async (operation, field, text, value) => {
    await expectRefused(given, [operation, { ...GOOD[operation], [field]: value }], {
      ...OUT_OF_RANGE,
      text: `The field '${field}' of the request ${text}`,
    });
  });

  it.each(Object.keys(GOOD))('%s with a body that is no map', async (operation) => {
    for (const body of [str('text'), list([]), NULL]) {
      await expectRefused(given, [operation, body], { ...ARGUMENT, text: 'is missing; it must be' });
    }
  });

  it('with a value that is long: the text shows the beginning of it', async () => {
    const body = { ...GOOD['peek-message'], 'message-count': str('9'.repeat(1000)) };
    const text = `is string "${'9'.repeat(50)}..."; it must be`;
    await expectRefused(given, ['peek-message', body], { ...ARGUMENT, text });
    const tokens = { 'lock-tokens': longs(1, 2, 3, 4, 5) };
    await expectRefused(given, ['renew-lock', tokens], {
      ...ARGUMENT,
      text: 'an array of 5: long 1, long 2, long 3, ...;',
    });
  });

  it.each(['renew-lock', 'update-disposition'])(
    '%s with an unknown token [SET-06, ERR-03]',
    async (operation) => {
      await expectRefused(given, [operation, GOOD[operation] ?? {}], {
        status: 'int 410',
        condition: "'com.microsoft:message-lock-lost",
        text: 'The lock supplied is invalid. Either the lock expired, or the message has already been removed from the queue',
      });
    },
  );
});
