// What senders ask for by annotations: a partition, and a time to be enqueued at.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMessage } from '../../src/content/read-message.js';
import { anyValue } from '../support/frame-arbitraries.js';
import {
  bin,
  hex,
  list,
  map,
  NULL,
  str,
  sym,
  timestamp,
  uint,
  variable,
  wideLong,
} from '../support/frame-encoder.js';
import { section } from '../support/frame-message.js';

type Entry = readonly [Buffer, Buffer];
const read = (...entries: Entry[]) => {
  const { partitionKey, viaPartitionKey, scheduledEnqueueTime } = readMessage(section(0x72, map(entries)));
  return { partitionKey, viaPartitionKey, scheduledEnqueueTime };
};
const NOTHING = { partitionKey: undefined, viaPartitionKey: undefined, scheduledEnqueueTime: undefined };

describe('the annotations of a sender', () => {
  it('say the partition keys and the scheduled time, in any order, among any others [MSG-10, SCH-01]', () => {
    const others = fc.array(
      fc.tuple(
        fc.string({ maxLength: 30 }).filter((name) => !name.startsWith('x-opt-')),
        anyValue,
      ),
      { maxLength: 5 },
    );
    const known: readonly Entry[] = [
      [sym('x-opt-partition-key'), str('p')],
      [sym('x-opt-via-partition-key'), str('v')],
      [sym('x-opt-scheduled-enqueue-time'), timestamp(1_763_700_000_123n)],
    ];
    fc.assert(
      fc.property(others, fc.shuffledSubarray([...known], { minLength: 3 }), (more, asked) => {
        const unread = more.map(([name, value]): Entry => [sym(name), value]);
        expect(read(...unread, ...asked, ...unread)).toEqual({
          partitionKey: 'p',
          viaPartitionKey: 'v',
          scheduledEnqueueTime: 1_763_700_000_123,
        });
      }),
    );
  });

  it('may have string keys, and keys and strings of the wide kind [MSG-10]', () => {
    const key = variable(0xa1, Buffer.from('x-opt-partition-key'), true);
    expect(read([key, variable(0xa1, Buffer.from('p'), true)]).partitionKey).toBe('p');
    expect(read([str('x-opt-via-partition-key'), str('ü'.repeat(200))]).viaPartitionKey).toBe(
      'ü'.repeat(200),
    );
  });

  it('may give a partition key as a symbol, or as UTF-8 in a binary, as pyamqp gives back what it received [MSG-10, PRT-02]', () => {
    for (const code of [0xa0, 0xa3]) {
      for (const isWide of [false, true]) {
        const value = variable(code, Buffer.from(code === 0xa0 ? 'Ärger' : 'key'), isWide);
        const { partitionKey, viaPartitionKey } = read(
          [sym('x-opt-partition-key'), value],
          [str('x-opt-via-partition-key'), value],
        );
        const text = code === 0xa0 ? 'Ärger' : 'key';
        expect({ partitionKey, viaPartitionKey }).toEqual({ partitionKey: text, viaPartitionKey: text });
      }
    }
    expect(() => read([sym('x-opt-partition-key'), bin(hex('c328'))])).toThrow(
      'x-opt-partition-key is a binary that is not UTF-8',
    );
  });

  it('schedule a message of a JMS client by its delivery time, a timestamp or a long [SCH-01]', () => {
    const DELIVERY_TIME = sym('x-opt-delivery-time');
    const at = (...entries: Entry[]) => read(...entries).scheduledEnqueueTime;
    for (const ms of [0n, -1n, 1_763_700_000_123n]) {
      expect(at([DELIVERY_TIME, timestamp(ms)])).toBe(Number(ms));
      expect(at([DELIVERY_TIME, wideLong(ms)])).toBe(Number(ms));
    }
    expect(at([DELIVERY_TIME, hex('55 85')])).toBe(-123);
    const scheduled = [sym('x-opt-scheduled-enqueue-time'), timestamp(5n)] as const;
    expect(at(scheduled, [DELIVERY_TIME, timestamp(9n)])).toBe(5);
    expect(at([DELIVERY_TIME, wideLong(9n)], scheduled)).toBe(5);
    expect(at([DELIVERY_TIME, wideLong(9n)], [scheduled[0], NULL])).toBe(9);
    for (const other of [NULL, str('soon'), uint(5), list([])])
      expect(at([DELIVERY_TIME, other])).toBeUndefined();
  });

  it('say nothing where they are null, missing, or of a name that is only alike [MSG-10, SCH-01]', () => {
    expect(read()).toEqual(NOTHING);
    expect(readMessage(hex(''))).toMatchObject(NOTHING);
    const names = ['x-opt-partition-key', 'x-opt-via-partition-key', 'x-opt-scheduled-enqueue-time'];
    expect(read(...names.map((name): Entry => [sym(name), NULL]))).toEqual(NOTHING);
    for (const name of names) {
      const alike = [
        `${name}s`,
        name.slice(0, -1),
        name.toUpperCase(),
        name.replace('-key', '-kez').replace('time', 'timf'),
      ];
      expect(read(...alike.map((each): Entry => [sym(each), uint(1)]))).toEqual(NOTHING);
      expect(read([bin(Buffer.from(name)), uint(1)], [uint(1), sym(name)])).toEqual(NOTHING);
    }
  });

  it('are not looked for among the delivery annotations and application properties [MSG-10]', () => {
    const key = [sym('x-opt-partition-key'), str('p')] as const;
    const named = [str('x-opt-partition-key'), str('p')] as const;
    const bytes = Buffer.concat([section(0x71, map([key])), section(0x74, map([named]))]);
    expect(readMessage(bytes).partitionKey).toBeUndefined();
  });

  it('may schedule for any time that can be written [SCH-01, SCH-09]', () => {
    const at = (ms: bigint) =>
      read([sym('x-opt-scheduled-enqueue-time'), timestamp(ms)]).scheduledEnqueueTime;
    for (const ms of [0n, -1n, -(2n ** 40n), 1_763_700_000_123n, 253_402_300_799_999n])
      expect(at(ms)).toBe(Number(ms));
    expect(at(2n ** 63n - 1n)).toBe(2 ** 63);
  });

  it('may schedule by a long, as uamqp gives back the time that it received [SCH-01]', () => {
    const at = 1_763_700_000_123n;
    expect(read([str('x-opt-scheduled-enqueue-time'), wideLong(at)]).scheduledEnqueueTime).toBe(Number(at));
  });

  it.each([
    ['x-opt-partition-key is not a string', [uint(1), list([])]],
    ['x-opt-via-partition-key is not a string', [timestamp(1n), map([])]],
    [
      'x-opt-scheduled-enqueue-time is not a timestamp',
      [str('soon'), uint(0), hex('00 a30174 8300000000000000 01')],
    ],
  ])('are refused where %s [MSG-10, SCH-01]', (problem, values) => {
    const name = problem.slice(0, problem.indexOf(' '));
    for (const value of values) {
      expect(() => read([sym(name), value])).toThrow(problem);
      expect(() => read([sym(name), value])).toThrow(
        expect.objectContaining({ condition: 'amqp:invalid-field' }),
      );
    }
  });
});
