// The stream: the activities of durable turns and of front ends in one order, each with its client, and the history of a message.

import { describe, expect, it } from 'vitest';
import { Broker } from '../../src/broker/broker.js';
import type { Activity } from '../../src/broker/contract/activity.js';
import { brokerOptions } from '../../src/config/part-options.js';
import { contentReader } from '../../src/content/message-reader.js';
import { Engine } from '../../src/engine/engine.js';
import type { RequestOrigin } from '../../src/engine/requester.js';
import { MemoryJournal } from '../../src/journal/memory-journal.js';
import type { ActivityKind, ActivityRecord } from '../../src/watch/activity-record.js';
import { type ActivitySource, ActivityStream } from '../../src/watch/activity-stream.js';
import { VirtualClock } from '../support/virtual-clock.js';

const CLIENT = { connectionId: 1, name: 'worker', product: undefined, label: 'worker' };

class Source implements ActivitySource {
  #listener: Parameters<ActivitySource['listen']>[0];

  listen(listener: Parameters<ActivitySource['listen']>[0]): void {
    this.#listener = listener;
  }

  get isHeard(): boolean {
    return this.#listener !== undefined;
  }

  /** A turn whose command did all of these. */
  command(origin: RequestOrigin | undefined, ...all: Activity[]): void {
    this.#listener?.({ all, commandStart: 0, commandEnd: all.length }, 500, origin);
  }

  /** A turn that did all of these as due work. */
  due(...all: Activity[]): void {
    this.#listener?.({ all, commandStart: all.length, commandEnd: all.length }, 500, undefined);
  }
}

function opened(capacity?: number) {
  const source = new Source();
  const faults: unknown[] = [];
  const onFault = (error: unknown) => faults.push(error);
  const stream = new ActivityStream(source, () => 1000, { ...(capacity && { capacity }), onFault });
  stream.turnOn();
  return { source, stream, faults };
}

const locked = (linkId: number, sequenceNumber = 1): Activity => ({
  kind: 'locked',
  path: 'orders',
  sequenceNumber,
  linkId,
  lockToken: 'a'.repeat(32),
  lockedUntil: 1,
  deliveryCount: 0,
});
const cancelled = (path: string, sequenceNumber: number): Activity => ({
  kind: 'cancelled',
  path,
  sequenceNumber,
});

const enqueued = (path: string, sequenceNumber: number) => ({
  kind: 'enqueued' as const,
  path,
  sequenceNumber,
  messageId: 'm',
  content: new Uint8Array(),
  sizeBytes: 1,
  sessionId: undefined,
  correlationId: undefined,
});

function kindsOf(stream: ActivityStream): ActivityKind[] {
  return kindsIn([...stream.since(0)]);
}

function kindsIn(records: readonly ActivityRecord[]): ActivityKind[] {
  return records.map(({ kind }) => kind);
}

it('nothing is recorded, and the engine is not listened to, before the stream is turned on', () => {
  const source = new Source();
  const stream = new ActivityStream(source, () => 0);
  stream.add({ kind: 'connection-closed', cause: undefined });
  expect([source.isHeard, stream.isOn, ...stream.since(0)]).toEqual([false, false]);
  stream.observe(() => {});
  expect([source.isHeard, stream.isOn]).toEqual([true, true]);
});

describe('the client of a record', () => {
  it('is the one that sent the command', () => {
    const { source, stream } = opened();
    stream.connectionOpened(CLIENT, { kind: 'connection-opened', transport: 'tcp' });
    source.command({ connectionId: 1, linkId: 4 }, cancelled('orders', 1));
    expect(stream.read(2)).toMatchObject({ kind: 'cancelled', time: 500, linkId: 4, client: CLIENT });
  });

  it('is the one whose link got the message, for a delivery that another caused', () => {
    const { source, stream } = opened();
    stream.connectionOpened(CLIENT, { kind: 'connection-opened', transport: 'tcp' });
    stream.linkOpened(9, 1);
    source.due(locked(9));
    expect(stream.read(2)).toMatchObject({ kind: 'locked', linkId: 9, client: CLIENT });
  });

  it('is missing for due work, and for a link that has gone', () => {
    const { source, stream } = opened();
    stream.connectionOpened(CLIENT, { kind: 'connection-opened', transport: 'tcp' });
    stream.linkOpened(9, 1);
    stream.linkClosed(9);
    source.due(locked(9), cancelled('orders', 1));
    expect([stream.read(2)?.client, stream.read(3)?.client]).toEqual([undefined, undefined]);
  });

  it('stays known in old records when the connection has closed', () => {
    const { stream } = opened();
    stream.connectionOpened(CLIENT, { kind: 'connection-opened', transport: 'tls' });
    stream.connectionClosed(1, undefined);
    expect(stream.read(2)).toMatchObject({ kind: 'connection-closed', client: CLIENT, time: 1000 });
  });
});

it('an observer gets each record from then on, until it ends', () => {
  const { source, stream } = opened();
  source.due(cancelled('orders', 1));
  const numbers: unknown[] = [];
  const end = stream.observe((kind, read) => numbers.push([kind, read().id]));
  source.due(cancelled('orders', 2));
  end();
  source.due(cancelled('orders', 3));
  expect(numbers).toEqual([['cancelled', 2]]);
});

it('an observer that throws keeps no other from its record, goes on, and is told of once', () => {
  const { source, stream, faults } = opened();
  const numbers: number[] = [];
  stream.observe((_kind, read) => {
    throw new Error(`fault ${read().id}`);
  });
  stream.observe((_kind, read) => numbers.push(read().id));
  source.due(cancelled('orders', 1), cancelled('orders', 2));
  stream.add({ kind: 'client-refused', text: 'x' });
  expect(numbers).toEqual([1, 2, 3]);
  expect(faults).toEqual([new Error('fault 1')]);
});

describe('a watch', () => {
  it('has the broker say what happens, until it ends', async () => {
    const broker = new Broker({ ...brokerOptions({}), nextGuid: () => '', messageReader: contentReader });
    const engine = new Engine(broker, new MemoryJournal(), new VirtualClock(0));
    const end = new ActivityStream(engine, () => 0).watch(() => {});
    expect(broker.recordsActivities).toBe(true);
    end();
    expect(broker.recordsActivities).toBe(false);
    await engine.stop();
  });

  it('ends the recording with the last one, and drops the records', () => {
    const source = new Source();
    const stream = new ActivityStream(source, () => 0);
    const ends = [stream.watch(() => {}), stream.watch(() => {})];
    source.due(cancelled('orders', 1));
    ends[0]?.();
    expect([source.isHeard, stream.isOn, stream.nextId]).toEqual([true, true, 2]);
    ends[1]?.();
    expect([source.isHeard, stream.isOn, ...stream.since(0)]).toEqual([false, false]);
  });

  it('leaves the recording on that was turned on meanwhile', () => {
    const source = new Source();
    const stream = new ActivityStream(source, () => 0);
    const end = stream.watch(() => {});
    stream.turnOn();
    end();
    source.due(cancelled('orders', 1));
    expect([source.isHeard, stream.nextId]).toEqual([true, 2]);
  });
});

it('the records since an id begin with the oldest that is still there', () => {
  const { source, stream } = opened(2);
  source.due(cancelled('a', 1), cancelled('b', 2), cancelled('c', 3));
  expect([...stream.since(0)].map(({ id }) => id)).toEqual([2, 3]);
  expect([...stream.since(3)].map(({ id }) => id)).toEqual([3]);
});

describe('the history of a message', () => {
  it('has only its own records, oldest first, also those in the dead-letter queue', () => {
    const { source, stream } = opened();
    source.due(cancelled('orders', 7), locked(1, 8), cancelled('other', 7));
    source.due(cancelled('orders/$DeadLetterQueue', 7));
    const paths = (path: string) =>
      stream.history(path, 7).records.map((one) => ('path' in one ? one.path : ''));
    expect(paths('orders')).toEqual(['orders', 'orders/$DeadLetterQueue']);
    expect(paths('orders/$DeadLetterQueue')).toEqual(['orders', 'orders/$DeadLetterQueue']);
  });

  it('of a moved message begins where it was before', () => {
    const { source, stream } = opened();
    source.due(enqueued('orders', 7));
    source.due(
      { ...enqueued('events', 2), kind: 'accepted' },
      { kind: 'routed', path: 'events/Subscriptions/red', sequenceNumber: 5, rule: 'r', acceptedNumber: 2 },
      { kind: 'moved', path: 'orders', sequenceNumber: 7, destination: 'events', newNumber: 2 },
    );
    expect(kindsIn(stream.history('events/Subscriptions/red', 5).records)).toEqual([
      ...['enqueued', 'moved', 'accepted', 'routed'],
    ]);
    expect(kindsIn(stream.history('orders', 7).records)).toEqual(['enqueued', 'moved']);
  });

  it('of a copy begins at the topic, with the schedule if it had one', () => {
    const { source, stream } = opened();
    const copy = { path: 'events/Subscriptions/red', sequenceNumber: 5 };
    source.due({ ...enqueued('events', 1), kind: 'scheduled', enqueueAt: 500 });
    source.due({ kind: 'activated', path: 'events', sequenceNumber: 2, scheduledNumber: 1 });
    source.due({ kind: 'routed', ...copy, rule: 'r', acceptedNumber: 2 });
    expect(kindsIn(stream.history(copy.path, 5).records)).toEqual(['scheduled', 'activated', 'routed']);
    expect(kindsOf(stream)).toHaveLength(3);
  });

  it('begins with its arrival, not with a message that had its number in an entity of the same name', () => {
    const { source, stream } = opened();
    source.due(enqueued('orders', 7), cancelled('orders', 7));
    source.due({ kind: 'entity-deleted', entity: 'queue', path: 'orders' });
    source.due(enqueued('orders', 7), locked(1, 7));
    expect(kindsIn(stream.history('orders', 7).records)).toEqual(['enqueued', 'locked']);
    expect(kindsIn(stream.history('ORDERS', 7).records)).toEqual(['enqueued', 'locked']);
  });

  const MOVED = {
    kind: 'moved',
    path: 'orders',
    sequenceNumber: 7,
    destination: 'others',
    newNumber: 1,
  } as const;
  const activated = (scheduledNumber: number) =>
    ({ kind: 'activated', path: 'others', sequenceNumber: 1, scheduledNumber }) as const;
  it.each<[boolean, string, Activity[]]>([
    [true, 'its arrival is recorded', [enqueued('others', 1)]],
    [false, 'recording began later', [cancelled('others', 1)]],
    [true, 'it was moved', [enqueued('orders', 7), enqueued('others', 1), MOVED]],
    [false, 'it was moved, and recording began in between', [enqueued('others', 1), MOVED]],
    [true, 'it was scheduled', [{ ...enqueued('others', 9), kind: 'scheduled', enqueueAt: 1 }, activated(9)]],
    [false, 'it was scheduled, and recording began in between', [activated(9)]],
    [false, 'it was deferred, and recording began in between', [activated(1)]],
    [false, 'there is nothing of it', []],
  ])('is complete: %s, if %s', (expected, _case, activities) => {
    const { source, stream } = opened();
    source.due(...activities);
    expect(stream.history('others', 1).isComplete).toBe(expected);
  });
});
