import { describe, expect, it } from 'vitest';
import type { PageEvent } from '../../state/page-event.js';
import { parseTimelineFilter } from './timeline-filter.js';
import { TimelineFollowing } from './timeline-following.js';
import { TimelineRecord } from './timeline-record.js';
import { TimelineSteps } from './timeline-steps.js';

const START = Date.parse('2026-05-01T12:00:00.000Z');
const WEB = { connectionId: 1, name: 'checkout-web' };
const WORKER = { connectionId: 2, name: 'fulfilment-1' };

/** Events with ids of their own, each one millisecond behind the one before. */
function events(...given: readonly Omit<PageEvent, 'id' | 'time'>[]): readonly PageEvent[] {
  return given.map((event, index) => ({
    ...event,
    id: index + 1,
    time: new Date(START + index).toISOString(),
  }));
}

function recordOf(given: readonly PageEvent[]): TimelineRecord {
  const record = new TimelineRecord();
  record.add(given, START + 1000, { isLive: false });
  return record;
}

const SENT = {
  ...{
    kind: 'enqueued',
    path: 'orders',
    sequenceNumber: 7,
    client: WEB,
    messageId: 'm-7',
    correlationId: 'ord-7',
  },
};
const LOCKED = { kind: 'locked', path: 'orders', sequenceNumber: 7, client: WORKER, deliveryCount: 0 };

describe('the record of the timeline', () => {
  it('knows who sent a message, who holds it, and when it was completed', () => {
    const record = recordOf(
      events(SENT, LOCKED, { kind: 'completed', path: 'orders', sequenceNumber: 7, client: WORKER }),
    );
    const stay = record.stayAt('Orders', 7);
    expect(stay?.source).toEqual({ kind: 'sent', lane: 's:1' });
    expect(stay?.holds.map(({ lane, delivery }) => [lane, delivery])).toEqual([['c:orders:2', 1]]);
    expect([stay?.arrival?.at, stay?.holds[0]?.start.at, stay?.end?.at]).toEqual([
      START,
      START + 1,
      START + 2,
    ]);
    expect([...record.lanes.keys()].toSorted()).toEqual(['c:orders:2', 'e:orders', 's:1']);
  });

  it('leaves an abandoned message in its queue, and counts its next delivery', () => {
    const record = recordOf(
      events(
        SENT,
        LOCKED,
        { kind: 'abandoned', path: 'orders', sequenceNumber: 7 },
        { ...LOCKED, deliveryCount: 1 },
      ),
    );
    const stay = record.stayAt('orders', 7);
    expect(stay?.end).toBeUndefined();
    expect(stay?.holds.map(({ delivery, end }) => [delivery, end?.event.kind])).toEqual([
      [1, 'abandoned'],
      [2, undefined],
    ]);
  });

  it('puts a dead letter into the dead-letter queue, with the identity of the message', () => {
    const record = recordOf(
      events(SENT, LOCKED, { kind: 'dead-lettered', path: 'orders', sequenceNumber: 7 }),
    );
    const dead = record.stayAt('orders/$DeadLetterQueue', 7);
    expect(dead).toMatchObject({ messageId: 'm-7', correlationId: 'ord-7', source: { kind: 'dead' } });
    expect(record.stayAt('orders', 7)?.holds[0]?.end?.event.kind).toBe('dead-lettered');
  });

  it('gives copies of a topic the identity of their original, and finds what was forwarded again', () => {
    const sub = { path: 'events/Subscriptions/mail', sequenceNumber: 3 };
    const record = recordOf(
      events(
        { ...SENT, kind: 'accepted', path: 'events', sequenceNumber: 5 },
        { kind: 'routed', ...sub, acceptedNumber: 5, rule: 'placed' },
        { kind: 'forwarded', ...sub, destination: 'emails' },
        { kind: 'enqueued', path: 'emails', sequenceNumber: 9, messageId: 'm-7', correlationId: 'ord-7' },
      ),
    );
    const copy = record.stayAt('events/Subscriptions/mail', 3);
    expect(copy).toMatchObject({ correlationId: 'ord-7', rule: 'placed', source: { kind: 'routed' } });
    expect(record.stayAt('emails', 9)?.source).toEqual({ kind: 'forwarded', stay: copy });
    expect(record.stayAt('emails', 9)?.root).toBe(record.stayAt('events', 5));
  });

  it('takes no event twice, and notes that earlier ones are missing', () => {
    const record = recordOf(events(SENT, LOCKED));
    expect(record.isCut).toBe(false);
    expect(record.add(events(SENT), START, { isLive: true })).toEqual([]);
    record.add([{ ...LOCKED, id: 9, time: new Date(START).toISOString() }], START, { isLive: true });
    expect(record.isCut).toBe(true);
  });

  it('puts live events of a frozen clock where they came, and those of a set clock by its offset', () => {
    const record = recordOf([]);
    const [first] = events(SENT);
    const [mark] = first === undefined ? [] : record.add([first], START + 60_000, { isLive: true });
    expect(mark?.at).toBe(START + 58_000);
    const set = new TimelineRecord();
    const [moved] = first === undefined ? [] : set.add([first], START, { isLive: false, offsetMs: 300_000 });
    expect(moved?.at).toBe(START - 300_000);
  });

  it('keeps the same size, however much happens', () => {
    const record = new TimelineRecord(100, new TimelineSteps(500));
    for (let id = 1; id <= 5000; id++) {
      const event = { ...SENT, id, sequenceNumber: id, time: new Date(START + id).toISOString() };
      record.add([event], START + id, { isLive: true });
    }
    expect(record.marks.length).toBeLessThanOrEqual(110);
    expect([...record.stays].length).toBeLessThanOrEqual(110);
    expect(record.isCut).toBe(true);
  });

  it('forgets a message that has left with its last step, and keeps one that still waits', () => {
    const record = new TimelineRecord(100, new TimelineSteps(500));
    record.add(events({ ...SENT, sequenceNumber: 5000 }), START, { isLive: true });
    for (let id = 2; id <= 400; id += 2) {
      const message = { ...SENT, sequenceNumber: id, time: new Date(START + id).toISOString() };
      record.add(
        [
          { ...message, id },
          { ...message, id: id + 1, kind: 'completed' },
        ],
        START + id,
        { isLive: true },
      );
    }
    expect(record.stayAt('orders', 2)).toBeUndefined();
    expect(record.stayAt('orders', 5000)?.end).toBeUndefined();
    expect([...record.stays].length).toBeLessThanOrEqual(56);
  });

  it('does not keep all the former lives of a message that is resubmitted again and again', () => {
    const record = new TimelineRecord();
    let id = 1;
    for (let number = 1; number <= 60; number++) {
      const time = new Date(START + id).toISOString();
      const moved = { kind: 'resubmitted', path: 'orders', destination: 'orders' };
      record.add(
        [
          { ...SENT, id: id++, time, sequenceNumber: number + 1 },
          { ...moved, id: id++, time, sequenceNumber: number, newNumber: number + 1 },
        ],
        START + id,
        { isLive: true },
      );
    }
    let depth = 0;
    for (let stay = record.stayAt('orders', 61); stay !== undefined; depth++) {
      stay = stay.source !== undefined && stay.source.kind !== 'sent' ? stay.source.stay : undefined;
    }
    expect(depth).toBeLessThanOrEqual(22);
  });
});

describe('following on the timeline', () => {
  it('keeps what is followed when all else of its time is forgotten', () => {
    const record = new TimelineRecord(50, new TimelineSteps(100));
    const following = new TimelineFollowing(parseTimelineFilter('correlation:ord-7'), record);
    following.add(record.add(events(SENT), START, { isLive: true }));
    for (let id = 2; id < 500; id++) {
      const other = {
        ...SENT,
        id,
        sequenceNumber: id + 100,
        correlationId: `ord-x${id}`,
        time: '2026-05-01T12:00:01Z',
      };
      following.add(record.add([other], START + 2000, { isLive: true }));
    }
    expect(record.stayAt('orders', 7)).toBeUndefined();
    expect(following.marks.map(({ event }) => event.correlationId)).toEqual(['ord-7']);
  });

  it('knows a message that waits for longer than all others are kept', () => {
    const record = new TimelineRecord(50, new TimelineSteps(100));
    record.add(events(SENT), START, { isLive: true });
    for (let id = 2; id < 300; id += 2) {
      const other = {
        ...SENT,
        sequenceNumber: id + 100,
        correlationId: `x${id}`,
        time: '2026-05-01T12:00:01Z',
      };
      record.add(
        [
          { ...other, id },
          { ...other, id: id + 1, kind: 'completed' },
        ],
        START + 2000,
        { isLive: true },
      );
    }
    expect(record.marks[0]?.event.correlationId).not.toBe('ord-7');
    const following = new TimelineFollowing(parseTimelineFilter('correlation:ord-7'), record);
    expect(following.marks.map(({ event }) => event.kind)).toEqual(['enqueued']);
  });

  it('follows a message by its number with all its copies', () => {
    const record = recordOf(
      events(
        { ...SENT, kind: 'accepted', path: 'events', sequenceNumber: 5 },
        {
          kind: 'routed',
          path: 'events/Subscriptions/mail',
          sequenceNumber: 3,
          acceptedNumber: 5,
          rule: 'a',
        },
        { kind: 'routed', path: 'events/Subscriptions/eu', sequenceNumber: 4, acceptedNumber: 5, rule: 'b' },
        { ...SENT, sequenceNumber: 8 },
      ),
    );
    const following = new TimelineFollowing(parseTimelineFilter('events/Subscriptions/mail#3'), record);
    expect([...following.stays].map(({ key }) => key)).toEqual([
      'events#5',
      'events/subscriptions/mail#3',
      'events/subscriptions/eu#4',
    ]);
  });
});
