import { beforeEach, describe, expect, it } from 'vitest';
import type { PageEvent } from '../../state/page-event.js';
import { EVENTS_START, PageEvents, WEB, WORKER } from '../../testing/page-events.js';
import { type TimelineMessage, TimelineMessages } from './timeline-messages.js';

let record: TimelineMessages;
let events: PageEvents;

beforeEach(() => {
  record = new TimelineMessages();
  events = new PageEvents();
});

function add(...given: readonly (readonly [ms: number, kind: string, fields?: Partial<PageEvent>])[]): void {
  record.add(
    given.map(([ms, kind, fields]) => events.at(ms, kind, fields)),
    () => false,
  );
}

/** `waiting 0-4 locked`: state, begin, end and outcome of each span. */
function spansOf(message: TimelineMessage | undefined): readonly string[] {
  return (message?.spans ?? []).map(({ state, from, to, outcome = '' }) =>
    `${state} ${from - EVENTS_START}-${to === undefined ? '' : to - EVENTS_START} ${outcome}`.trim(),
  );
}

const SENT = { client: WEB, messageId: 'm-1', correlationId: 'c-1' };
const BY_WORKER = { client: WORKER };

describe('a message of the timeline', () => {
  it('waits, is locked by a client, comes back, is locked again and completed', () => {
    add(
      [0, 'enqueued', SENT],
      [4, 'locked', BY_WORKER],
      [10, 'abandoned', { ...BY_WORKER, heldMs: 6 }],
      [12, 'locked', BY_WORKER],
      [20, 'completed', { ...BY_WORKER, heldMs: 8 }],
    );
    const [message] = record.messages;
    expect(spansOf(message)).toEqual([
      'waiting 0-4 locked',
      'locked 4-10 abandoned',
      'waiting 10-12 locked',
      'locked 12-20 completed',
    ]);
    expect(message).toMatchObject({ messageId: 'm-1', correlationId: 'c-1', end: { kind: 'completed' } });
    expect([...(message?.clients ?? [])]).toEqual(['web', 'worker']);
    expect(message?.spans[1]?.holder).toBe('worker');
    expect(message?.steps.map(({ kind }) => kind)).toEqual([
      'enqueued',
      'locked',
      'abandoned',
      'locked',
      'completed',
    ]);
  });

  it('stays the same as a dead letter, and does not wait before', () => {
    add(
      [0, 'enqueued', SENT],
      [1, 'locked', BY_WORKER],
      [5, 'lock-expired', BY_WORKER],
      [5, 'dead-lettered', { reason: 'MaxDeliveryCountExceeded' }],
      [9, 'locked', { ...BY_WORKER, path: 'orders/$DeadLetterQueue' }],
      [11, 'abandoned', { ...BY_WORKER, path: 'orders/$DeadLetterQueue' }],
    );
    expect(record.messages).toHaveLength(1);
    const [message] = record.messages;
    expect(spansOf(message)).toEqual([
      'waiting 0-1 locked',
      'locked 1-5 lock-expired',
      'dead 5-9 locked',
      'locked 9-11 abandoned',
      'dead 11-',
    ]);
    expect(message).toMatchObject({ entity: 'orders', path: 'orders/$DeadLetterQueue', end: undefined });
    expect(message?.spans[2]?.reason).toBe('MaxDeliveryCountExceeded');
  });

  it('goes on as a dead letter if it is kept after it has expired', () => {
    add([0, 'enqueued', SENT], [5, 'expired'], [5, 'dead-lettered', { reason: 'TTLExpiredException' }]);
    expect(spansOf(record.messages[0])).toEqual(['waiting 0-5 expired', 'dead 5-']);
    expect(record.messages[0]?.end).toBeUndefined();
  });

  it('is scheduled, then waits under another number; a deferred one under its own', () => {
    add(
      [0, 'scheduled', SENT],
      [50, 'activated', { sequenceNumber: 2, scheduledNumber: 1 }],
      [60, 'locked', { ...BY_WORKER, sequenceNumber: 2 }],
      [70, 'deferred', { ...BY_WORKER, sequenceNumber: 2 }],
      [80, 'activated', { sequenceNumber: 2, scheduledNumber: 2 }],
    );
    expect(record.messages).toHaveLength(1);
    expect(spansOf(record.messages[0])).toEqual([
      'scheduled 0-50 activated',
      'waiting 50-60 locked',
      'locked 60-70 deferred',
      'deferred 70-80 activated',
      'waiting 80-',
    ]);
  });

  it('of a topic is one row for each copy, which has its ids and begins with its first step', () => {
    const copy = { path: 'events/Subscriptions/audit', acceptedNumber: 7, rule: '$Default' };
    add(
      [0, 'accepted', { ...SENT, path: 'events', sequenceNumber: 7 }],
      [0, 'routed', { ...copy, sequenceNumber: 3 }],
      [0, 'routed', { ...copy, path: 'events/Subscriptions/mail', sequenceNumber: 4 }],
    );
    expect(
      record.messages.map(({ entity, sequenceNumber, messageId }) => [entity, sequenceNumber, messageId]),
    ).toEqual([
      ['events/Subscriptions/audit', 3, 'm-1'],
      ['events/Subscriptions/mail', 4, 'm-1'],
    ]);
    expect(record.messages[0]?.steps.map(({ kind }) => kind)).toEqual(['accepted', 'routed']);
  });

  it('of a topic is a row of its own if no rule matches, or while it is scheduled', () => {
    add(
      [0, 'accepted', { ...SENT, path: 'events', sequenceNumber: 7 }],
      [0, 'unmatched', { path: 'events', sequenceNumber: 7 }],
      [1, 'scheduled', { ...SENT, path: 'events', sequenceNumber: 8 }],
      [9, 'activated', { path: 'events', sequenceNumber: 9, scheduledNumber: 8 }],
      [9, 'routed', { path: 'events/Subscriptions/audit', sequenceNumber: 1, acceptedNumber: 9 }],
    );
    expect(record.messages.map(({ entity, end }) => [entity, end?.kind])).toEqual([
      ['events', 'unmatched'],
      ['events', 'routed'],
      ['events/Subscriptions/audit', undefined],
    ]);
    expect(spansOf(record.messages[1])).toEqual(['scheduled 1-9 activated']);
  });

  it('is followed by the one that it becomes by forwarding, or by hand', () => {
    add(
      [0, 'enqueued', SENT],
      [2, 'forwarded', { destination: 'emails' }],
      [3, 'enqueued', { path: 'emails', sequenceNumber: 5, messageId: 'm-1' }],
      [8, 'enqueued', { client: WEB, path: 'parcels', sequenceNumber: 6, messageId: 'm-1' }],
      [8, 'resubmitted', { path: 'emails', sequenceNumber: 5, destination: 'parcels', newNumber: 6 }],
    );
    const [first, second, third] = record.messages;
    expect(first?.end?.kind).toBe('forwarded');
    expect(second?.origin).toBe(first);
    expect(third?.origin).toBe(second);
  });

  it('whose begin is not known has the lock that its end tells', () => {
    add([30, 'completed', { ...BY_WORKER, heldMs: 12 }]);
    expect(spansOf(record.messages[0])).toEqual(['locked 18-30 completed']);
  });

  it('ends when its store is purged', () => {
    add([0, 'enqueued', SENT], [5, 'purged', { sequenceNumber: undefined, messageCount: 1 } as object]);
    expect(record.messages[0]?.end?.kind).toBe('purged');
    expect(spansOf(record.messages[0])).toEqual(['waiting 0-5 purged']);
  });
});

describe('the record of the timeline', () => {
  it('counts the steps to come that match, of messages that it knows and of others, and adds none', () => {
    add([0, 'enqueued', SENT]);
    const coming = [
      events.at(1, 'link-attached'),
      events.at(2, 'locked', BY_WORKER),
      events.at(3, 'enqueued', { ...SENT, sequenceNumber: 2, correlationId: 'c-2' }),
    ];
    const ofTrip = (wanted: string) =>
      record.countSteps(coming, ({ message }) => message?.correlationId === wanted);
    expect([ofTrip('c-1'), ofTrip('c-2'), record.countSteps(coming, () => true)]).toEqual([1, 1, 2]);
    expect(record.steps).toHaveLength(1);
  });

  it('keeps the newest messages, and those that are followed', () => {
    record = new TimelineMessages(10);
    const followed = (message: TimelineMessage) => message.sequenceNumber === 2;
    for (let number = 1; number <= 40; number++) {
      record.add([events.at(number, 'enqueued', { sequenceNumber: number })], followed);
    }
    const numbers = record.messages.map(({ sequenceNumber }) => sequenceNumber);
    expect(numbers[0]).toBe(2);
    expect(numbers.length).toBeLessThanOrEqual(12);
    expect(numbers.at(-1)).toBe(40);
    expect(record.at('orders', 3)).toBeUndefined();
    expect(record.at('ORDERS', 2)).toBe(record.messages[0]);
    expect(record.droppedCount + record.messages.length).toBe(40);
    expect(record.steps.length).toBeLessThanOrEqual(23);
  });

  it('leaves out what concerns no message or session', () => {
    add([0, 'link-attached'], [0, 'connection-opened', {}], [1, 'session-lost', { sessionId: 's' }]);
    expect(record.steps.map(({ event }) => event.kind)).toEqual(['session-lost']);
    expect(record.messages).toEqual([]);
  });
});
