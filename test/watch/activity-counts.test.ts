// The counts of the stream: by entity and in all, with a bound to what clients can invent.

import { expect, it } from 'vitest';
import type { Activity } from '../../src/broker/contract/activity.js';
import { ActivityRing } from '../../src/watch/activity-ring.js';
import type { ClientActivity } from '../../src/watch/client-activity.js';

function counting(...activities: (Activity | ClientActivity)[]) {
  const ring = new ActivityRing(1);
  const add = (activity: Activity | ClientActivity) => ring.add(activity, 0, undefined, undefined);
  activities.forEach(add);
  return { add, counts: ring.counts };
}

const expired = (path: string): Activity => ({ kind: 'expired', path, sequenceNumber: 1 });
const dead = (reason: string | undefined, path = 'orders') => {
  return { kind: 'dead-lettered', path, sequenceNumber: 1, reason, description: undefined } as const;
};

it('a path that a client invents is counted in all, and gets no counts of its own', () => {
  const { counts } = counting(
    { kind: 'http-request', method: 'GET', path: '/x', status: 404, durationMs: 1 },
    { kind: 'refused', command: 'send', path: 'y', reason: 'entity-not-found', text: 'z' },
    expired('orders'),
  );
  expect([...counts.byPath.keys()]).toEqual(['orders']);
  expect([counts.all.countOf('http-request'), counts.all.countOf('refused')]).toEqual([1, 1]);
});

it('a dead letter counts as settled only if its receiver made it', () => {
  const { counts } = counting(dead('a'), { ...dead('b'), outcome: 'dead-letter' }, dead('c', 'other'));
  expect([...counts.byPath].map(([path, tally]) => [path, tally.countOf('settled-as-dead')])).toEqual([
    ['orders', 1],
    ['other', 0],
  ]);
  expect(counts.all.countOf('settled-as-dead')).toBe(1);
});

it('has at most 50 reasons beside the others, among them always those of the broker', () => {
  const { add, counts } = counting();
  for (let number = 1; number <= 1000; number++) add(dead(`order ${number} is wrong`));
  add(dead('TTLExpiredException'));
  expect(counts.all.reasons.size).toBeLessThanOrEqual(51);
  expect(counts.byPath.get('orders')?.reasons).toEqual(counts.all.reasons);
  expect(counts.all.reasons.get('order 1 is wrong')).toBe(1);
  expect(counts.all.reasons.get('other')).toBeGreaterThan(900);
  expect(counts.all.reasons.get('TTLExpiredException')).toBe(1);
});

it('a reason is cut to 100 characters, and none of them is half of one', () => {
  const { counts } = counting(dead(`${'a'.repeat(99)}\u{1f600}`), dead(`${'a'.repeat(99)}\ufffd...`));
  expect([...counts.all.reasons]).toEqual([[`${'a'.repeat(99)}\ufffd`, 2]]);
});

it('an entity that is deleted is no longer counted by itself, nor are its sub-queues', () => {
  const { add, counts } = counting(expired('orders'), expired('orders/$DeadLetterQueue'), expired('other'));
  add({ kind: 'entity-deleted', entity: 'queue', path: 'orders' });
  expect([...counts.byPath.keys()]).toEqual(['other']);
  add(expired('orders'));
  expect(counts.byPath.get('orders')?.countOf('expired')).toBe(1);
  expect(counts.all.countOf('expired')).toBe(4);
});

it('counts no more than 4,000 paths by themselves, and all of them together', () => {
  const { add, counts } = counting();
  for (let number = 0; number < 5000; number++) add(expired(`queue-${number}`));
  expect(counts.byPath.size).toBe(4000);
  expect(counts.all.countOf('expired')).toBe(5000);
});

it('a lock counts in the first bucket whose bound it does not pass, by the way in which it ended', () => {
  const end = { path: 'orders', sequenceNumber: 1, linkId: undefined } as const;
  const lengths = [0, 5, 6, 300_000, 300_001, 7_000_000];
  const { counts } = counting(...lengths.map((heldMs) => ({ kind: 'completed', ...end, heldMs }) as const), {
    kind: 'released',
    ...end,
    heldMs: 20,
  });
  expect(counts.held.completed.counts).toEqual([2, 1, 0, 0, 0, 0, 0, 0, 1, 2]);
  expect(counts.held.completed.sumMs).toBe(7_600_012);
  expect(counts.held.released.counts[1]).toBe(1);
  expect(counts.held['lock-expired'].sumMs).toBe(0);
});
