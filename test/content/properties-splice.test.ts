// The properties and application properties of a delivered message: the broker's word among the sender's.

import { describe, expect, it } from 'vitest';
import type { PropertyChange } from '../../src/broker/message/message-properties.js';
import {
  bin,
  described,
  hex,
  list,
  map,
  NULL,
  section,
  smallUlong,
  str,
  sym,
  timestamp,
  uint,
} from '../codec/wire.js';
import { deliver, ENQUEUED_TIME, entriesOf, fieldsOf, INVENTED } from './delivered.js';

const DATA = section(0x75, bin(hex('01')));
const nulls = (count: number) => new Array<Buffer>(count).fill(NULL);
const time = (ms: number) => timestamp(BigInt(ms));

describe('an invented message-id', () => {
  const propertiesOf = (bytes: Buffer) => fieldsOf(deliver(bytes, { inventedMessageId: INVENTED }), 0x73);

  it('makes the properties section when there was none [MSG-04]', () => {
    expect(propertiesOf(DATA)).toEqual([str(INVENTED)]);
  });

  it('takes the place of a null or missing one and leaves the other fields as they were [MSG-04, MSG-05]', () => {
    expect(propertiesOf(section(0x73, list([])))).toEqual([str(INVENTED)]);
    expect(propertiesOf(section(0x73, list([NULL])))).toEqual([str(INVENTED)]);
    expect(propertiesOf(section(0x73, list([NULL, NULL, sym('to'), hex('71 00000001')])))).toEqual([
      str(INVENTED),
      NULL,
      sym('to'),
      hex('71 00000001'),
    ]);
  });

  it('leaves a session id in its place [SND-07]', () => {
    const sent = [...nulls(10), str('basket-1'), uint(7), str('answers')];
    expect(propertiesOf(section(0x73, list(sent)))).toEqual([str(INVENTED), ...sent.slice(1)]);
  });

  it('stands before the application properties and the body [MSG-04]', () => {
    const bytes = Buffer.concat([section(0x74, map([[str('k'), str('v')]])), section(0x77, str('body'))]);
    const { head, rest } = deliver(bytes, { inventedMessageId: INVENTED });
    expect([...head.keys()]).toEqual([0x70, 0x72, 0x73, 0x74]);
    expect(rest).toEqual(section(0x77, str('body')));
  });
});

describe('the expiry of a message', () => {
  const TTL = 60_000;
  const broker = { expiresAt: ENQUEUED_TIME + TTL };
  const TIMES = [time(ENQUEUED_TIME + TTL), time(ENQUEUED_TIME)];

  it('is its absolute-expiry-time, and lies its time to live after the creation-time [TTL-01, TTL-12, MSG-10]', () => {
    const properties = fieldsOf(deliver(DATA, broker), 0x73);
    expect(properties).toEqual([...nulls(8), ...TIMES]);
    const [expiry, creation] = properties.slice(8).map((each) => Number(each.readBigInt64BE(1)));
    expect((expiry ?? 0) - (creation ?? 0)).toBe(TTL);
  });

  it("takes the place of the sender's times, which are of another clock, and of nothing else [TTL-12, MSG-05]", () => {
    const fields = [str('id'), ...'abcdefg'.split('').map(sym)];
    const sent = section(0x73, list([...fields, time(1), time(2), str('s'), uint(3), str('r')]));
    const expected = [...fields, ...TIMES, str('s'), uint(3), str('r')];
    expect(fieldsOf(deliver(sent, broker), 0x73)).toEqual(expected);
    const short = section(0x73, list([str('id'), NULL, str('to')]));
    expect(fieldsOf(deliver(short, broker), 0x73)).toEqual([
      str('id'),
      NULL,
      str('to'),
      ...nulls(5),
      ...TIMES,
    ]);
  });

  it('is said beside an invented message-id [TTL-12, MSG-04]', () => {
    const both = { ...broker, inventedMessageId: INVENTED };
    expect(fieldsOf(deliver(DATA, both), 0x73)).toEqual([str(INVENTED), ...nulls(7), ...TIMES]);
    const sent = section(0x73, list([NULL, NULL, str('to')]));
    expect(fieldsOf(deliver(sent, both), 0x73)).toEqual([
      str(INVENTED),
      NULL,
      str('to'),
      ...nulls(5),
      ...TIMES,
    ]);
  });

  it('is said however far it is, but not as a time that no client can read [TTL-12]', () => {
    const LAST = 253_402_300_799_999;
    for (const [expiresAt, said] of [
      [LAST, LAST],
      [LAST + 1, LAST],
      [10 ** 16, LAST],
      [LAST - 1, LAST - 1],
    ] as const) {
      expect(fieldsOf(deliver(DATA, { expiresAt }), 0x73)).toEqual([
        ...nulls(8),
        time(said),
        time(ENQUEUED_TIME),
      ]);
    }
  });

  it("leaves the properties, and the sender's times, as encoded when there is none [TTL-12, MSG-05]", () => {
    const sent = section(0x73, list([str('id'), ...nulls(7), time(1), time(2)], true));
    expect(deliver(sent).head.get(0x73)).toEqual(sent);
    expect(deliver(DATA).head.has(0x73)).toBe(false);
  });
});

describe('property changes', () => {
  const text = (name: string, value: string): PropertyChange => ({ name, value });

  it('make the application properties when there were none [SET-07]', () => {
    const delivered = deliver(DATA, {
      propertyChanges: [text('DeadLetterReason', 'why'), { name: 'n', value: hex('81 ffffffffffffffff') }],
    });
    expect(entriesOf(delivered, 0x74)).toEqual([
      [str('DeadLetterReason'), str('why')],
      [str('n'), hex('81 ffffffffffffffff')],
    ]);
    expect(delivered.rest).toEqual(DATA);
  });

  it("replace the sender's property in its place and add the others behind [SET-07, MSG-11]", () => {
    const bytes = section(
      0x74,
      map([
        [str('a'), uint(1)],
        [str('b'), uint(2)],
        [str('c'), NULL],
      ]),
    );
    const delivered = deliver(bytes, { propertyChanges: [text('new', 'n'), text('b', 'changed')] });
    expect(entriesOf(delivered, 0x74)).toEqual([
      [str('a'), uint(1)],
      [str('b'), str('changed')],
      [str('c'), NULL],
      [str('new'), str('n')],
    ]);
  });

  it('of the same name follow each other: the last one counts [SET-07]', () => {
    const delivered = deliver(hex(''), { propertyChanges: [text('k', 'first'), text('k', 'last')] });
    expect(entriesOf(delivered, 0x74)).toEqual([[str('k'), str('last')]]);
  });

  it('may be longer than 255 bytes [SET-07]', () => {
    const delivered = deliver(hex(''), { propertyChanges: [text('k', 'é'.repeat(2000))] });
    expect(entriesOf(delivered, 0x74)).toEqual([[str('k'), str('é'.repeat(2000))]]);
  });

  it('leave the application properties as encoded when there are none [MSG-03]', () => {
    const bytes = described(smallUlong(0x74), map([[str('k'), str('v')]]));
    expect(deliver(bytes, { propertyChanges: [] }).head.get(0x74)).toEqual(bytes);
  });
});
