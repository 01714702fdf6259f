// The annotations of a delivered message: whose they are, and of which type.

import { describe, expect, it } from 'vitest';
import { uuidOf } from '../../src/codec/read-value.js';
import { decodeValue } from '../../src/codec/types.js';
import {
  described,
  hex,
  list,
  long,
  map,
  section,
  str,
  sym,
  timestamp,
  uint,
  variable,
} from '../codec/wire.js';
import { type Entry, RESERVED } from './arbitrary-message.js';
import { deliver, entriesOf, textOf } from './delivered.js';

const TOKEN = '00112233445566778899aabbccddeeff';
const LOCK_TOKEN = sym('x-opt-lock-token');

describe('the message annotations', () => {
  it("keep the sender's, lose what only the broker may set, and end with the broker's [SEQ-03, MSG-03, MSG-09]", () => {
    const forged = RESERVED.map((name) => [sym(name), long(99n)] as const);
    const own = [
      [sym('x-opt-partition-key'), str('p')],
      [sym('x-opt-via-partition-key'), str('v')],
      [sym('x-opt-scheduled-enqueue-time'), timestamp(1_763_700_060_000n)],
      [sym('custom'), described(sym('d'), hex('51ff'))],
    ] as const;
    const bytes = section(0x72, map([...forged, ...own], true));
    expect(entriesOf(deliver(bytes, {}, { lockedUntil: 1_763_700_060_123 }), 0x72)).toEqual([
      ...own,
      [sym('x-opt-sequence-number'), hex('81 0000000000000007')],
      [sym('x-opt-enqueued-time'), timestamp(1_763_700_000_123n)],
      [sym('x-opt-message-state'), hex('54 00')],
      [sym('x-opt-locked-until'), timestamp(1_763_700_060_123n)],
    ]);
  });

  it('say nothing of a lock or a partition where there is none [MSG-09, PEEK-05]', () => {
    const keys = entriesOf(deliver(hex('')), 0x72).map(([key]) => textOf(key));
    expect(keys).toEqual(['x-opt-sequence-number', 'x-opt-enqueued-time', 'x-opt-message-state']);
  });

  it.each(RESERVED)('lose a %s also when its key is a string, short or long [SEQ-03]', (name) => {
    const forged: Entry[] = [
      [str(name), str('forged')],
      [variable(0xa3, Buffer.from(name), true), list([uint(1)])],
    ];
    expect(entriesOf(deliver(section(0x72, map(forged))), 0x72)).toEqual(entriesOf(deliver(hex('')), 0x72));
  });

  it('say of a deferred or scheduled message that it is one [MSG-09]', () => {
    for (const state of [0, 1, 2] as const) {
      const entries = entriesOf(deliver(hex(''), { state }), 0x72);
      expect(entries).toContainEqual([sym('x-opt-message-state'), Buffer.from([0x54, state])]);
    }
  });

  it('keep the time a message was scheduled for, and its partition keys [SCH-03, PRT-03, MSG-09]', () => {
    const own: Entry[] = [
      [sym('x-opt-scheduled-enqueue-time'), timestamp(1_763_700_060_000n)],
      [sym('x-opt-partition-key'), str('p')],
      [sym('x-opt-via-partition-key'), str('v')],
    ];
    expect(entriesOf(deliver(section(0x72, map(own))), 0x72).slice(0, 3)).toEqual(own);
  });

  it('name the partition as a short [MSG-09]', () => {
    for (const [partitionId, encoded] of [
      [0, '61 0000'],
      [15, '61 000f'],
      [0x7fff, '61 7fff'],
    ] as const) {
      const entries = entriesOf(deliver(hex(''), { partitionId }), 0x72);
      expect(entries.at(-1)).toEqual([sym('x-opt-partition-id'), hex(encoded)]);
    }
  });

  it("tell where a copy comes from: the topic's number as a long, and the source of a dead letter as a string [SEQ-05, DLQ-07, MSG-09]", () => {
    const origin = { enqueuedSequenceNumber: 5, deadLetterSource: 'orders/Subscriptions/audit' };
    const entries = entriesOf(deliver(hex(''), origin), 0x72);
    expect(entries.slice(3)).toEqual([
      [sym('x-opt-enqueue-sequence-number'), long(5n)],
      [sym('x-opt-deadletter-source'), str('orders/Subscriptions/audit')],
    ]);
    const large = entriesOf(deliver(hex(''), { enqueuedSequenceNumber: 2 ** 48 + 1 }), 0x72);
    expect(large.slice(3)).toEqual([[sym('x-opt-enqueue-sequence-number'), long(2n ** 48n + 1n)]]);
  });

  it('hold the token of a lock that no delivery tag tells, as the uuid that a client gives back [DEF-02, MSG-09]', () => {
    const bytes = section(0x72, map([[LOCK_TOKEN, hex(`98 ${'ff'.repeat(16)}`)]]));
    // .NET takes it from the message annotations, Go and Python from the delivery annotations.
    for (const code of [0x71, 0x72]) {
      const entries = entriesOf(deliver(bytes, {}, { lockTokenAnnotation: TOKEN }), code);
      const [token, ...others] = entries.filter(([key]) => key.equals(LOCK_TOKEN)).map(([, value]) => value);
      expect(token).toEqual(hex(`98 ${TOKEN}`));
      expect(others).toEqual([]);
      expect(token && uuidOf(decodeValue(token))).toBe(TOKEN);
    }
  });
});

describe('the delivery annotations', () => {
  it('are as they were sent, byte for byte, and not there when there were none [MSG-03]', () => {
    const sent = section(
      0x71,
      map(
        [
          [sym('x-opt-sequence-number'), uint(1)],
          [str('k'), list([])],
        ],
        true,
      ),
    );
    expect(deliver(sent).head.get(0x71)).toEqual(sent);
    expect(deliver(hex('')).head.has(0x71)).toBe(false);
  });

  it('lose a lock token, which only the broker may tell [SEQ-03]', () => {
    const own: Entry[] = [
      [sym('custom'), described(sym('d'), uint(1))],
      [uint(1), str('no text as a key')],
    ];
    const forged: Entry[] = [
      [LOCK_TOKEN, hex(`98 ${TOKEN}`)],
      [str('x-opt-lock-token'), str(TOKEN)],
    ];
    const [first, ...rest] = own;
    const bytes = section(0x71, map([...(first ? [first] : []), ...forged, ...rest]));
    expect(entriesOf(deliver(bytes), 0x71)).toEqual(own);
  });
});
