// The properties of a delivered message: the broker's word among the sender's.

import { describe, expect, it } from 'vitest';
import type { SystemChanges } from '../../src/broker/contract/message-properties.js';
import { bin, hex, list, map, NULL, str, sym, timestamp, uint } from '../support/frame-encoder.js';
import { section } from '../support/frame-message.js';
import { deliver, ENQUEUED_TIME, fieldsOf, INVENTED } from './delivered.js';

const DATA = section(0x75, bin(hex('01')));
const nulls = (count: number) => new Array<Buffer>(count).fill(NULL);
const time = (ms: number) => timestamp(BigInt(ms));

describe('an invented message-id', () => {
  const propertiesOf = (bytes: Buffer) => fieldsOf(deliver(bytes, { generatedMessageId: INVENTED }), 0x73);

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
    const { head, rest } = deliver(bytes, { generatedMessageId: INVENTED });
    expect([...head.keys()]).toEqual([0x70, 0x71, 0x72, 0x73, 0x74]);
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
    const both = { ...broker, generatedMessageId: INVENTED };
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

describe('what an action has changed of the properties', () => {
  const FIELDS = [
    ['to', 2],
    ['subject', 3],
    ['replyTo', 4],
    ['correlationId', 5],
    ['contentType', 6],
    ['sessionId', 10],
    ['replyToSessionId', 12],
  ] as const;
  const encodedAs = (property: string) => (property === 'contentType' ? sym : str);
  const changed = (bytes: Buffer, systemChanges: SystemChanges) => deliver(bytes, { systemChanges });
  /** Another value in every place, none of them of the type that the broker writes. */
  const SENT = [
    str('id'),
    ...Array.from({ length: 7 }, (_, index) => uint(index + 1)),
    time(100),
    time(50),
    str('s'),
    uint(8),
    str('r'),
  ];

  it.each(FIELDS)(
    'replaces %s, in its place and with its type, and nothing else [ACT-04, MSG-05, MSG-10]',
    (property, place) => {
      for (const text of ['', 'new', 'x'.repeat(300)]) {
        const delivered = changed(section(0x73, list(SENT, true)), { [property]: text });
        expect(fieldsOf(delivered, 0x73)).toEqual(SENT.with(place, encodedAs(property)(text)));
      }
    },
  );

  it.each(FIELDS)('clears %s, and nothing else [ACT-04, ACT-05]', (property, place) => {
    const delivered = changed(section(0x73, list(SENT)), { [property]: null });
    expect(fieldsOf(delivered, 0x73)).toEqual(SENT.with(place, NULL));
  });

  it.each(FIELDS)('sets %s where the sender left it out [ACT-04]', (property, place) => {
    const text = encodedAs(property)('new');
    expect(fieldsOf(changed(DATA, { [property]: 'new' }), 0x73)).toEqual([...nulls(place), text]);
    const short = section(0x73, list([str('id')]));
    const expected = [str('id'), ...nulls(place - 1), text];
    expect(fieldsOf(changed(short, { [property]: 'new' }), 0x73)).toEqual(expected);
  });

  it('may be several of them, beside an invented message-id and an expiry [ACT-04, TTL-12, MSG-04]', () => {
    const systemChanges = {
      to: 't',
      replyTo: null,
      contentType: 'c',
      sessionId: 's2',
      replyToSessionId: null,
    };
    const broker = { systemChanges, generatedMessageId: INVENTED, expiresAt: ENQUEUED_TIME + 5 };
    expect(fieldsOf(deliver(section(0x73, list([NULL, ...SENT.slice(1)])), broker), 0x73)).toEqual([
      str(INVENTED),
      uint(1),
      str('t'),
      uint(3),
      NULL,
      uint(5),
      sym('c'),
      uint(7),
      time(ENQUEUED_TIME + 5),
      time(ENQUEUED_TIME),
      str('s2'),
      uint(8),
      NULL,
    ]);
  });

  it('makes no section by clearing what is not there [ACT-04, MSG-05]', () => {
    const systemChanges = { subject: null, sessionId: null, timeToLiveMs: null };
    expect(changed(DATA, systemChanges).head.has(0x73)).toBe(false);
    const sent = [str('id'), NULL, str('to')];
    expect(fieldsOf(changed(section(0x73, list(sent)), systemChanges), 0x73)).toEqual(sent);
  });

  it('is not the message-id and not the time it is scheduled for, which are for where it is forwarded to [TOP-10]', () => {
    const sent = Buffer.concat([
      section(0x72, map([[sym('x-opt-scheduled-enqueue-time'), time(5)]])),
      section(0x73, list(SENT)),
    ]);
    for (const value of [null, 'new']) {
      const systemChanges = { messageId: value, scheduledEnqueueTime: value === null ? null : 6 };
      expect(Buffer.concat(changed(sent, systemChanges).pieces)).toEqual(Buffer.concat(deliver(sent).pieces));
    }
  });

  it("is the time to live: the sender's times say nothing else where nothing expires [ACT-04, TTL-12]", () => {
    for (const timeToLiveMs of [null, 60_000]) {
      const delivered = changed(section(0x73, list(SENT)), { timeToLiveMs });
      expect(fieldsOf(delivered, 0x73)).toEqual(SENT.with(8, NULL));
    }
    const broker = { systemChanges: { timeToLiveMs: 60_000 }, expiresAt: ENQUEUED_TIME + 60_000 };
    const fields = fieldsOf(deliver(section(0x73, list(SENT)), broker), 0x73);
    expect(fields).toEqual(SENT.with(8, time(ENQUEUED_TIME + 60_000)).with(9, time(ENQUEUED_TIME)));
  });
});
