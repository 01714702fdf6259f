// The ring of the last records: what goes in comes out, old records go, and no lock token can be read whole.

import { expect, it } from 'vitest';
import type { Activity } from '../../src/broker/contract/activity.js';
import { ActivityRing } from '../../src/watch/activity-ring.js';
import { KINDS, SHAPES } from '../../src/watch/record-kinds.js';

const CLIENT = { connectionId: 3, name: 'worker', product: 'sdk/1.0', label: 'sdk/1.0' };

function completed(sequenceNumber: number): Activity {
  return { kind: 'completed', path: 'orders', sequenceNumber, linkId: 7, heldMs: 20 };
}

it('a record is read as it was added, with its id, time and client', () => {
  const ring = new ActivityRing(4);
  const id = ring.add(completed(12), 1000, undefined, CLIENT);
  expect(ring.read(id)).toEqual({
    id: 1,
    time: 1000,
    kind: 'completed',
    path: 'orders',
    sequenceNumber: 12,
    linkId: 7,
    heldMs: 20,
    client: CLIENT,
  });
});

it('all records are kept while the columns grow, and the oldest go once they are full', () => {
  const capacity = 3000;
  const ring = new ActivityRing(capacity);
  const kept = () => {
    const ids = Array.from({ length: ring.nextId - ring.firstId }, (_, index) => ring.firstId + index);
    return ids.every((id) => {
      const record = ring.read(id);
      return record?.kind === 'completed' && record.sequenceNumber === id && record.client === CLIENT;
    });
  };
  for (let id = 1; id <= 2 * capacity; id++) {
    ring.add(completed(id), id, undefined, CLIENT);
    if (id % 500 === 0) expect([kept(), ring.firstId]).toEqual([true, Math.max(1, id + 1 - capacity)]);
  }
});

it('the link is that of the request unless the activity names one', () => {
  const ring = new ActivityRing(4);
  const id = ring.add({ kind: 'unmatched', path: 'events', sequenceNumber: 1 }, 0, 5, undefined);
  expect(ring.read(id)?.linkId).toBe(5);
});

it('a field that is missing in an activity is undefined in its record, and never that of the record before', () => {
  const ring = new ActivityRing(1);
  const refused = {
    kind: 'refused',
    command: 'settle',
    path: 'orders',
    reason: 'argument',
    text: 'x',
  } as const;
  ring.add(refused, 0, 1, CLIENT);
  const id = ring.add({ kind: 'transaction-declared', transactionId: 4 }, 0, undefined, undefined);
  expect(ring.read(id)).toEqual({
    id,
    time: 0,
    kind: 'transaction-declared',
    transactionId: 4,
    linkId: undefined,
    client: undefined,
  });
});

it('the records of a topic have all their fields, and none of the record before', () => {
  const ring = new ActivityRing(1);
  const message = { messageId: 'm', correlationId: 'c', sessionId: 's', sizeBytes: 5 };
  const accepted = { kind: 'accepted', path: 'events', sequenceNumber: 1, ...message } as const;
  const acceptedId = ring.add({ ...accepted, content: new Uint8Array() }, 7, 3, CLIENT);
  expect(ring.read(acceptedId)).toEqual({ ...accepted, id: 1, time: 7, linkId: 3, client: CLIENT });
  const routed = { kind: 'routed', path: 'a', sequenceNumber: 2, acceptedNumber: 1, rule: 'red' } as const;
  const routedId = ring.add(routed, 8, 4, undefined);
  expect(ring.read(routedId)).toEqual({ ...routed, id: 2, time: 8, linkId: 4, client: undefined });
  const { byPath, all } = ring.counts;
  expect([byPath.get('events')?.countOf('accepted'), byPath.get('a')?.countOf('routed')]).toEqual([1, 1]);
  expect([all.countOf('accepted'), all.countOf('routed')]).toEqual([1, 1]);
});

it('records of nearly every message are written without the table of shapes', () => {
  const ring = new ActivityRing(4);
  const message = { messageId: 'm', correlationId: undefined, sessionId: undefined, sizeBytes: 5 };
  const stored = { path: 'events', sequenceNumber: 1, ...message, content: new Uint8Array() };
  const activities: readonly Activity[] = [
    { kind: 'accepted', ...stored },
    { kind: 'enqueued', ...stored },
    { kind: 'routed', path: 'a', sequenceNumber: 2, acceptedNumber: 1, rule: 'red' },
    completed(1),
  ];
  // With the table, a record is asked which fields it has.
  const has = () => expect.unreachable('the table was used');
  for (const activity of activities) ring.add(new Proxy(activity, { has }), 0, undefined, undefined);
  expect(activities.map((_, index) => ring.kindOf(index + 1))).toEqual(activities.map(({ kind }) => kind));
});

it('the oldest record goes when the ring is full', () => {
  const ring = new ActivityRing(3);
  for (let number = 1; number <= 5; number++) ring.add(completed(number), 0, undefined, undefined);
  expect([ring.firstId, ring.nextId]).toEqual([3, 6]);
  expect(ring.read(2)).toBeUndefined();
  expect(ring.read(6)).toBeUndefined();
  expect(ring.read(3)).toMatchObject({ sequenceNumber: 3 });
});

it('a lock token is kept by its first 8 digits only', () => {
  const ring = new ActivityRing(1);
  const lockToken = '0123456789abcdef0123456789abcdef';
  const id = ring.add(
    { kind: 'renewed', path: 'orders', sequenceNumber: 1, lockToken, lockedUntil: 5 },
    0,
    undefined,
    undefined,
  );
  expect(ring.read(id)).toMatchObject({ lockToken: '01234567', lockedUntil: 5 });
});

it('no kind has more fields than there are columns', () => {
  for (const kind of KINDS) {
    const { numbers, texts } = SHAPES[kind];
    expect(Math.max(numbers.length, texts.length), kind).toBeLessThanOrEqual(3);
  }
});
