import { describe, expect, it } from 'vitest';
import type { MessageAnswer } from '../../../http/control/control-schemas.js';
import type { PageEvent } from '../../state/page-event.js';
import { rawMessage } from '../../testing/raw-message.js';
import { whyHere } from './why-here.js';

const NOW = Date.parse('2026-05-01T12:00:00.000Z');
const EMPTY = { body: { kind: 'empty', section: 'none', sizeBytes: 0 } } as const;

function event(kind: string, name: string, heldMs: number): PageEvent {
  return { id: 1, time: new Date(NOW).toISOString(), kind, heldMs, client: { connectionId: 1, name } };
}

function why(isDead: boolean, change: Partial<MessageAnswer>, events: readonly PageEvent[] = []) {
  const message = rawMessage(EMPTY, change);
  const given = { path: 'orders', maxDeliveryCount: 3, topicStatus: undefined, now: NOW, dueNow: NOW };
  return whyHere({ ...given, message, isDead, events });
}
const dead = (change: Partial<MessageAnswer>, events: readonly PageEvent[] = []) =>
  why(true, change, events).sentences.join(' ');

describe('why a dead letter is there', () => {
  it('says who has abandoned it, how often, after which time, and with which words', () => {
    const events = [
      event('abandoned', 'fulfilment-2', 11),
      event('abandoned', 'fulfilment-2', 14),
      event('abandoned', 'fulfilment-1', 12),
    ];
    const failure = { type: 'string', value: 'sku not found' };
    expect(
      dead(
        {
          deadLetterReason: 'MaxDeliveryCountExceeded',
          deliveryCount: 3,
          applicationProperties: { failure },
        },
        events,
      ),
    ).toBe(
      'Delivered 3 times, the most that orders allows. Abandoned twice by fulfilment-2 and once by fulfilment-1, each after 11 ms to 14 ms, with failure="sku not found".',
    );
  });

  it('says on which delivery its receiver dead-lettered it, also where no history reaches back', () => {
    const stored = { deadLetteredTime: '2020-05-01T12:00:00.000Z', lastHolder: 'billing' };
    expect(dead({ ...stored, deadLetterReason: 'InvalidPayload' })).toMatch(
      /^Dead-lettered on its 1st delivery by billing at 1 May, .*, with the reason InvalidPayload\.$/,
    );
    expect(dead({ ...stored, deliveryCount: 1 })).toMatch(
      /^Dead-lettered on its 2nd delivery .* without a reason\.$/,
    );
  });

  it('counts no delivery of one that was dead-lettered by hand, or has expired', () => {
    expect(dead({ deadLetterReason: 'ByHand' }, [event('dead-lettered', 'http', 0)])).toBe(
      'Dead-lettered by http, with the reason ByHand.',
    );
    expect(dead({ deadLetterReason: 'TTLExpiredException' })).toBe(
      'Its time to live ended, after no delivery.',
    );
  });

  it('counts the deliveries since it last arrived, and none of its life before a resubmission', () => {
    const events = [
      event('abandoned', 'worker-1', 5),
      event('dead-lettered', 'worker-1', 5),
      event('resubmitted', 'http', 0),
      event('enqueued', 'http', 0),
    ];
    const change = { deadLetterReason: 'MaxDeliveryCountExceeded', deliveryCount: 1 };
    expect(dead(change, [...events, event('abandoned', 'worker-2', 7)])).toBe(
      'Delivered once, the most that orders allows. Abandoned once by worker-2, after 7 ms.',
    );
    expect(why(false, { state: 'active' }, events).sentences).toEqual([
      'It waits for a receiver; it was not delivered yet.',
    ]);
  });

  it('says where it was forwarded from', () => {
    const change = { deadLetterReason: 'Bad', deadLetterSource: 'events/Subscriptions/eu' };
    expect(dead(change)).toBe('Dead-lettered, with the reason Bad. It was forwarded from events/eu.');
  });
});

describe('why another message is where it is, and what comes next', () => {
  it.each<[Partial<MessageAnswer>, PageEvent[], RegExp, RegExp | undefined]>([
    [{ state: 'active' }, [], /it was not delivered yet\.$/, undefined],
    [{ state: 'active', deliveryCount: 1 }, [], /receiver again, after one delivery\.$/, undefined],
    [
      { state: 'active', expiresAt: '2026-05-01T12:01:00.000Z' },
      [{ ...event('routed', 'x', 0), rule: 'eu' }],
      /The rule 'eu' took it\.$/,
      /^It expires at .*, in 1 min\.$/,
    ],
    [
      { state: 'scheduled', scheduledTime: '2026-05-01T13:00:00.000Z' },
      [],
      /become active at/,
      /^That is in 1 h\.$/,
    ],
    [{ state: 'deferred' }, [event('deferred', 'billing', 1)], /^Deferred by billing/, undefined],
  ])('%o', (change, events, sentences, next) => {
    const found = why(false, change, events);
    expect(found.sentences.join(' ')).toMatch(sentences);
    if (next === undefined) expect(found.next).toBeUndefined();
    else expect(found.next).toMatch(next);
  });

  it('is its lock: who holds it, how often that was renewed, and where it goes at the end', () => {
    const lock = {
      ...{ sequenceNumber: 7, tokenStart: '12345678', startedTime: '2026-05-01T12:00:00.000Z' },
      ...{ lockedUntil: '2026-05-01T12:00:30.000Z', isInTransaction: false, deliveryCount: 2 },
    };
    const events = [
      event('renewed', 'old', 0),
      event('locked', 'billing', 0),
      event('renewed', 'billing', 0),
    ];
    const found = why(false, { state: 'locked', deliveryCount: 2, lock }, events);
    expect(found.sentences).toEqual(['billing holds it in its 3rd delivery, and has renewed its lock once.']);
    expect(found.next).toMatch(/goes to the dead-letter queue, because this is its last delivery/);
    expect(why(false, { state: 'locked', lock }).next).toMatch(/returns to orders, unless/);
  });

  it('is as far away as its answer says while the clock is frozen', () => {
    const message = rawMessage(EMPTY, { state: 'scheduled', scheduledTime: '2026-05-01T13:00:00.000Z' });
    const given = { path: 'orders', maxDeliveryCount: undefined, topicStatus: undefined, events: [] };
    const times = { now: NOW - 60_000, dueNow: NOW };
    expect(whyHere({ ...given, ...times, message, isDead: false }).next).toBe('That is in 1 h.');
  });

  it('is the status of a topic that holds what was due', () => {
    const message = rawMessage(EMPTY, { state: 'scheduled', scheduledTime: '2026-05-01T11:00:00.000Z' });
    const given = {
      path: 'events',
      maxDeliveryCount: undefined,
      now: NOW,
      dueNow: NOW,
      isDead: false,
      events: [],
    };
    expect(whyHere({ ...given, message, topicStatus: 'Disabled' }).next).toMatch(/Its topic is Disabled/);
  });
});
