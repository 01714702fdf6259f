// The annotations of a delivered message: whose they are, and of which type.

import { describe, expect, it } from 'vitest';
import { uuidOf } from '../../src/codec/read-value.js';
import { decodeValue } from '../../src/codec/types.js';
import type { DeliveryForm } from '../../src/content/annotations-splice.js';
import {
  bin,
  described,
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
import { type Entry, RESERVED } from '../support/frame-message-arbitraries.js';
import { deliver, entriesOf, textOf } from './delivered.js';

const TOKEN = '00112233445566778899aabbccddeeff';
const LOCK_TOKEN = sym('x-opt-lock-token');

describe('the message annotations', () => {
  it("keep the sender's, lose what only the broker may set, and end with the broker's [SEQ-03, MSG-03, MSG-09]", () => {
    const forged = RESERVED.map((name) => [sym(name), wideLong(99n)] as const);
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
      [sym('x-opt-locked-until'), timestamp(1_763_700_060_123n)],
    ]);
  });

  it('say nothing of a lock, a partition or the state of an active message where there is nothing to say [MSG-09, PEEK-05]', () => {
    const keys = entriesOf(deliver(hex('')), 0x72).map(([key]) => textOf(key));
    expect(keys).toEqual(['x-opt-sequence-number', 'x-opt-enqueued-time']);
  });

  it.each(RESERVED)('lose a %s also when its key is a string, short or long [SEQ-03]', (name) => {
    const forged: Entry[] = [
      [str(name), str('forged')],
      [variable(0xa3, Buffer.from(name), true), list([uint(1)])],
    ];
    expect(entriesOf(deliver(section(0x72, map(forged))), 0x72)).toEqual(entriesOf(deliver(hex('')), 0x72));
  });

  it.each<[DeliveryForm, boolean, (number | undefined)[]]>([
    ['delivered', false, [undefined, 1, 2]],
    ['received-by-number', false, [undefined, 1, 2]],
    ['peeked', false, [0, 1, 2]],
    ['peeked-without-body', false, [0, 1, 2]],
    ['delivered', true, [2, 1, 2]],
    ['received-by-number', true, [2, 1, 2]],
    ['peeked', true, [0, 1, 2]],
    ['peeked-without-body', true, [0, 1, 2]],
  ])(
    'tell of a message that is active, deferred or scheduled, %s and once scheduled or not (%s), the state %j [MSG-09, SCH-03, DEF-02]',
    (way, wasScheduled, states) => {
      const STATE = sym('x-opt-message-state');
      for (const state of [0, 1, 2] as const) {
        const entries = entriesOf(deliver(hex(''), { state, wasScheduled }, {}, way), 0x72);
        const told = entries.filter(([key]) => key.equals(STATE));
        const shown = states[state];
        expect(told).toEqual(shown === undefined ? [] : [[STATE, Buffer.from([0x54, shown])]]);
      }
    },
  );

  it.each(['x-opt-partition-key', 'x-opt-via-partition-key'])(
    'give %s out as a string, whether its text came as a string, a symbol or a binary [MSG-10, PRT-03]',
    (name) => {
      const [short, long] = [Buffer.from('Ä1'), Buffer.alloc(300, 'k')];
      for (const code of [0xa0, 0xa1, 0xa3]) {
        const sent = (text: Buffer, isWide: boolean) =>
          section(0x72, map([[sym(name), variable(code, text, isWide)]]));
        expect(entriesOf(deliver(sent(short, false)), 0x72)[0]).toEqual([sym(name), variable(0xa1, short)]);
        expect(entriesOf(deliver(sent(short, true)), 0x72)[0]).toEqual([
          sym(name),
          variable(0xa1, short, true),
        ]);
        expect(entriesOf(deliver(sent(long, true)), 0x72)[0]).toEqual([sym(name), str(long.toString())]);
      }
      expect(entriesOf(deliver(section(0x72, map([[sym(name), NULL]]))), 0x72)[0]).toEqual([sym(name), NULL]);
    },
  );

  it('give the time a message was scheduled for out as a timestamp, also when it came as a long [MSG-10, SCH-03]', () => {
    const key = str('x-opt-scheduled-enqueue-time');
    const sent = section(0x72, map([[key, wideLong(1_763_700_060_000n)]]));
    expect(entriesOf(deliver(sent), 0x72)[0]).toEqual([key, timestamp(1_763_700_060_000n)]);
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
    expect(entries.slice(2)).toEqual([
      [sym('x-opt-enqueue-sequence-number'), wideLong(5n)],
      [sym('x-opt-deadletter-source'), str('orders/Subscriptions/audit')],
    ]);
    const large = entriesOf(deliver(hex(''), { enqueuedSequenceNumber: 2 ** 48 + 1 }), 0x72);
    expect(large.slice(2)).toEqual([[sym('x-opt-enqueue-sequence-number'), wideLong(2n ** 48n + 1n)]]);
  });

  it('hold the token of a message received by its number, which no delivery tag tells, as the uuid that a client gives back [DEF-02, MSG-09]', () => {
    const bytes = section(0x72, map([[LOCK_TOKEN, hex(`98 ${'ff'.repeat(16)}`)]]));
    // .NET takes it from the message annotations, Go and Python from the delivery annotations.
    for (const code of [0x71, 0x72]) {
      const entries = entriesOf(deliver(bytes, {}, { lockToken: TOKEN }, 'received-by-number'), code);
      const [token, ...others] = entries.filter(([key]) => key.equals(LOCK_TOKEN)).map(([, value]) => value);
      expect(token).toEqual(hex(`98 ${TOKEN}`));
      expect(others).toEqual([]);
      expect(token && uuidOf(decodeValue(token))).toBe(TOKEN);
    }
  });
});

describe('the delivery annotations', () => {
  it('are as they were sent, byte for byte, and an empty map when there were none [MSG-03, MSG-09]', () => {
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
    expect(deliver(hex('')).head.get(0x71)).toEqual(section(0x71, map([])));
    for (const way of ['peeked', 'peeked-without-body'] as const) {
      const keys = entriesOf(deliver(sent, {}, { lockToken: TOKEN }, way), 0x71).map(([key]) => textOf(key));
      expect(keys.slice(0, 2)).toEqual(['x-opt-sequence-number', 'k']);
      expect(keys).not.toContain('x-opt-lock-token');
    }
    expect(deliver(hex(''), {}, {}, 'peeked').head.has(0x71)).toBe(false);
  });

  it("hold the token of the lock beside the sender's, as a uuid, and the message annotations do not [MSG-09, RCV-06]", () => {
    const token: Entry = [LOCK_TOKEN, hex(`98 ${TOKEN}`)];
    const own: Entry = [sym('custom'), uint(7)];
    const sent = section(0x71, map([[str('x-opt-lock-token'), str('old')], own], true));
    for (const [bytes, expected] of [
      [hex(''), [token]],
      [sent, [own, token]],
    ] as const) {
      const delivered = deliver(bytes, {}, { lockToken: TOKEN });
      expect(entriesOf(delivered, 0x71)).toEqual(expected);
      expect(entriesOf(delivered, 0x72).map(([key]) => textOf(key))).not.toContain('x-opt-lock-token');
    }
  });

  it('are delivered in their place when they came last, whatever came before them [MSG-03]', () => {
    const own = section(0x71, map([[sym('custom'), uint(7)]], true));
    const annotations = section(0x72, map([[sym('k'), uint(1)]]));
    const body = section(0x75, bin(hex('01')));
    const footer = section(0x78, map([[sym('f'), uint(1)]]));
    for (const header of [hex(''), section(0x70, list([hex('41')]))]) {
      for (const rest of [
        [annotations],
        [body],
        [annotations, body, body, footer],
        [footer, body],
        [footer],
      ]) {
        const late = deliver(Buffer.concat([header, ...rest, own]));
        expect(late.head.get(0x71)).toEqual(own);
        expect(late.pieces).toEqual(deliver(Buffer.concat([header, own, ...rest])).pieces);
      }
    }
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
