import { describe, expect, it } from 'vitest';
import type { PageEvent } from '../../state/page-event.js';
import { listedOf, queue, topic } from '../../testing/listed.js';
import { NOTHING, outcomeText, sum, whyNoUndo } from './outcome.js';
import { whyHere } from './why-here.js';

const KNOWN = {
  path: 'orders',
  isDead: true,
  state: 'active',
  deliveryCount: 3,
  reason: undefined,
  description: undefined,
  scheduledTime: undefined,
  failure: undefined,
};

function event(kind: string, name: string, heldMs: number): PageEvent {
  return { id: 1, time: '2026-05-01T12:00:00.000Z', kind, heldMs, client: { connectionId: 1, name } };
}

function text(known: Partial<Parameters<typeof whyHere>[0]>, events: readonly PageEvent[] = []): string {
  return whyHere({ ...KNOWN, ...known }, events, true).sentences.join(' ');
}

describe('why a message is where it is', () => {
  it('says who has abandoned it, how often, after which time, and with which words', () => {
    const events = [
      event('abandoned', 'fulfilment-2', 11),
      event('abandoned', 'fulfilment-2', 14),
      event('abandoned', 'fulfilment-1', 12),
    ];
    expect(text({ reason: 'MaxDeliveryCountExceeded', failure: 'failure="sku not found"' }, events)).toBe(
      'Delivered 3 times, the most that orders allows. Abandoned twice by fulfilment-2 and once by fulfilment-1, each after 11 ms to 14 ms, with failure="sku not found".',
    );
  });

  it('says that its time to live has ended, and that receivers have dead-lettered it', () => {
    expect(text({ reason: 'TTLExpiredException', deliveryCount: 0 })).toBe(
      'Its time to live ended, after no delivery.',
    );
    expect(text({ reason: 'address-unknown' }, [event('dead-lettered', 'fulfilment-1', 0)])).toMatch(
      /^Dead-lettered by fulfilment-1 at \d\d:\d\d:\d\d, with the reason address-unknown\.$/,
    );
  });

  it('tells of a lock, a schedule, a deferral and a wait', () => {
    const live = { isDead: false, deliveryCount: 0 };
    expect(text({ ...live, state: 'locked' }, [event('locked', 'fulfilment-1', 0)])).toMatch(
      /^fulfilment-1 holds it since .*; this is delivery 1\.$/,
    );
    expect(text({ ...live, state: 'scheduled', scheduledTime: '2026-05-01T12:00:00.000Z' })).toMatch(
      /^It becomes active at/,
    );
    expect(text({ ...live, state: 'deferred' })).toMatch(/^Deferred by a receiver/);
    expect(text({ ...live, state: 'active' })).toMatch(/not delivered yet/);
  });

  it('says when the events do not reach back', () => {
    expect(whyHere(KNOWN, [], false).sentences.at(-1)).toMatch(/do not reach back/);
  });
});

describe('the outcome of an act', () => {
  it('says how many are done, and why some stayed', () => {
    const skipped = [
      { sequenceNumber: 7, code: 'message-not-found', message: "'orders' has no message 7." },
      { sequenceNumber: 8, code: 'message-not-found', message: "'orders' has no message 8." },
    ];
    const outcome = sum(sum(NOTHING, { count: 250, skippedCount: 0, skipped: [] }), {
      count: 1,
      skippedCount: 2,
      skipped,
    });
    expect(outcomeText('resubmit', outcome, 'orders')).toBe(
      "Resubmitted 251 of 253 messages to orders. 2 stayed: 'orders' has no message 7.",
    );
    expect(outcomeText('delete', sum(NOTHING, { count: 1, skippedCount: 0, skipped: [] }))).toBe(
      'Deleted 1 message.',
    );
  });

  it('can be undone unless the messages could not be sent as they were', () => {
    const orders = queue('orders');
    const received = { ...orders, links: { senders: 0, receivers: 1, browsers: 0 } };
    const [, subscription] = listedOf(topic('events', ['eu', []]));
    expect(whyNoUndo({ path: 'orders', tab: 'active' }, 3, received)).toBeUndefined();
    expect(whyNoUndo({ path: 'orders', tab: 'dead' }, 3, orders)).toBeUndefined();
    expect(whyNoUndo({ path: 'events', tab: 'scheduled' }, 3, topic('events'))).toBeUndefined();
    expect(whyNoUndo({ path: 'orders', tab: 'dead' }, 3, received)).toMatch(/receiver of orders/);
    expect(whyNoUndo({ path: 'orders', tab: 'active' }, 251, orders)).toMatch(/250/);
    expect(whyNoUndo({ path: 'events/Subscriptions/eu', tab: 'active' }, 1, subscription)).toMatch(
      /topic alone/,
    );
    expect(whyNoUndo({ path: 'orders', tab: 'active' }, 1, undefined)).toMatch(/does not know orders/);
  });

  it('cannot be undone where a message that is sent again is a duplicate', () => {
    const window = { duplicateDetectionWindowMs: 600_000 };
    for (const entity of [queue('orders'), topic('orders')]) {
      expect(whyNoUndo({ path: 'orders', tab: 'scheduled' }, 1, { ...entity, ...window })).toMatch(
        /duplicate/,
      );
    }
  });

  it('cannot be undone in a queue that forwards what it gets', () => {
    const entity = queue('orders', { forwardTo: 'archive' });
    expect(whyNoUndo({ path: 'orders', tab: 'dead' }, 1, entity)).toBe(
      'orders forwards what is sent to it to archive.',
    );
  });
});
