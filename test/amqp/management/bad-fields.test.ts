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
  uint,
  uuid,
} from '../../support/frame-encoder.js';
import { ARGUMENT, expectRefused, GOOD, NOT_IMPLEMENTED, OUT_OF_RANGE, sendSome, TOKEN } from './refusals.js';
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

const COUNTS_OUT_OF_RANGE: readonly Row[] = ['peek-message', 'batch-delete-messages'].flatMap((operation) => [
  [operation, 'message-count', 'is int 0; it must be 1 or more.', int(0)],
  [operation, 'message-count', 'is int -1; it must be 1 or more.', int(-1)],
  [operation, 'message-count', 'is long -9223372036854775808; it must be 1 or more.', long(-(2n ** 63n))],
]);

describe('a request is refused', () => {
  it.each(WRONG_FIELDS)('%s whose %s %s', async (operation, field, text, value) => {
    await expectRefused(given, [operation, { ...GOOD[operation], [field]: value }], {
      ...ARGUMENT,
      text: `The field '${field}' of the request ${text}`,
    });
  });

  it.each(COUNTS_OUT_OF_RANGE)('%s whose %s %s', async (operation, field, text, value) => {
    await expectRefused(given, [operation, { ...GOOD[operation], [field]: value }], {
      ...OUT_OF_RANGE,
      text: `The field '${field}' of the request ${text}`,
    });
  });

  it.each(Object.keys(GOOD).filter((name) => !/schedule/.test(name) && name !== 'renew-lock'))(
    '%s for one session, as there are none yet',
    async (operation) => {
      await expectRefused(given, [operation, { ...GOOD[operation], 'session-id': str('s') }], {
        ...NOT_IMPLEMENTED,
        text: "Message sessions are not there yet; send the request without 'session-id'.",
      });
    },
  );

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
    '%s with a token that nobody has [SET-06, ERR-03]',
    async (operation) => {
      await expectRefused(given, [operation, GOOD[operation] ?? {}], {
        status: 'int 410',
        condition: "'com.microsoft:message-lock-lost",
        text: 'The lock supplied is invalid. Either the lock expired, or the message has already been removed from the queue',
      });
    },
  );
});
