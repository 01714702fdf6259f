// Partitioned queues: which partition a message goes to, and how each numbers its messages.

import { describe, expect, it } from 'vitest';
import {
  PARTITION_COUNT,
  PARTITION_SIZE,
  partitionIdOf,
  partitionOf,
} from '../../../src/broker/store/partition.js';
import {
  BrokerUnderTest,
  DEAD_LETTER,
  failureOf,
  messageOf,
  START,
  withQueue,
} from '../../support/broker-builders.js';

const partitioned = (given = {}) => withQueue({ enablePartitioning: true, ...given });

function numbersOf(turn: { readonly result: unknown }): readonly number[] {
  return (turn.result as { sequenceNumbers: readonly number[] }).sequenceNumbers;
}

type Given = Parameters<typeof messageOf>[1];

function sendBatch(bus: BrokerUnderTest, ...given: readonly Given[]) {
  const messages = given.map((one) => messageOf('m', one));
  return bus.execute({ kind: 'send', entityPath: 'orders', messages, isBatch: true });
}

describe('a batch to a partitioned queue', () => {
  const detecting = { requiresDuplicateDetection: true };

  it.each<[string, Given, Given]>([
    ['session ids', { sessionId: 'a' }, { sessionId: 'b' }],
    ['partition keys', { partitionKey: 'a' }, { partitionKey: 'b' }],
    ['a key and none', { partitionKey: 'a' }, {}],
  ])('is refused if its messages have different keys: %s [PRT-06]', (_words, first, second) => {
    const bus = partitioned();
    const failure = failureOf(sendBatch(bus, first, first, second));
    expect(failure?.reason).toBe('not-allowed');
    expect(failure?.message).toMatch(
      /^Batching brokered messages with distinct SessionId or PartitionKey is/,
    );
    expect(bus.peek('orders')).toEqual([]);
  });

  it('is refused for its message-ids only if duplicates are detected, and then only without another key [PRT-06]', () => {
    const ids = [{ messageId: '1' }, { messageId: '2' }] as const;
    expect(sendBatch(partitioned(), ...ids).result.kind).toBe('sent');
    const failure = failureOf(sendBatch(partitioned(detecting), ...ids));
    expect(failure?.message).toMatch(
      /distinct SessionId, PartitionKey, or MessageId .* This batch has '1' and '2'/,
    );
    const keyed = ids.map((id) => ({ ...id, partitionKey: 'a' }));
    expect(sendBatch(partitioned(detecting), ...keyed).result.kind).toBe('sent');
  });

  it('may have no key at all, and elsewhere any keys [PRT-06, PRT-03]', () => {
    expect(sendBatch(partitioned(), {}, {}).result.kind).toBe('sent');
    expect(sendBatch(withQueue(), { partitionKey: 'a' }, { sessionId: 'b' }).result.kind).toBe('sent');
  });
});

describe('a partitioned queue', () => {
  it('numbers the messages of each partition separately, with its id in the topmost 16 bits [SEQ-06, PRT-01, S2-05]', () => {
    const bus = partitioned();
    const [id, other] = [partitionOf('a'), partitionOf('b')];
    expect(id).not.toBe(other);
    const turn = bus.send(
      'orders',
      messageOf('1', { partitionKey: 'a' }),
      messageOf('2', { partitionKey: 'b' }),
      messageOf('3', { partitionKey: 'a' }),
    );
    expect(numbersOf(turn)).toEqual([
      id * PARTITION_SIZE + 1,
      other * PARTITION_SIZE + 1,
      id * PARTITION_SIZE + 2,
    ]);
    expect(bus.peek('orders').map(({ properties }) => properties.partitionId)).toContain(id);
  });

  it('uses the session id as key, then the partition key, then each partition in turn [PRT-02, S4-12]', () => {
    const bus = partitioned();
    const partitionsOf = (...given: Parameters<typeof messageOf>[1][]) =>
      numbersOf(bus.send('orders', ...given.map((one, index) => messageOf(`m${index}`, one)))).map(
        partitionIdOf,
      );
    expect(
      partitionsOf({ sessionId: 's' }, { partitionKey: 'p' }, { sessionId: 's', partitionKey: 's' }),
    ).toEqual([partitionOf('s'), partitionOf('p'), partitionOf('s')]);
    const circle = partitionsOf(...Array.from({ length: PARTITION_COUNT + 1 }, () => ({})));
    expect(circle).toEqual([...Array(PARTITION_COUNT).keys(), 0]);
  });

  it('has 16 partitions, of which each takes its turn [PRT-01]', () => {
    const messages = Array.from({ length: 32 }, (_, index) => messageOf(`m${index}`));
    const ids = numbersOf(partitioned().send('orders', ...messages)).map(partitionIdOf);
    expect(new Set(ids).size).toBe(16);
  });

  it('chooses the partition by the message-id with duplicate detection [PRT-02]', () => {
    const bus = partitioned({ requiresDuplicateDetection: true });
    const [number = 0] = numbersOf(bus.send('orders', messageOf('m', { messageId: 'the id' })));
    expect(partitionIdOf(number)).toBe(partitionOf('the id'));
  });

  it('chooses the partition by the via-partition-key if no other key is given [PRT-02]', () => {
    const bus = partitioned();
    const [keyless = 0, keyed = 0] = numbersOf(
      bus.send(
        'orders',
        messageOf('1', { viaPartitionKey: 'via' }),
        messageOf('2', { viaPartitionKey: 'via', partitionKey: 'p' }),
      ),
    );
    expect([keyless, keyed].map(partitionIdOf)).toEqual([partitionOf('via'), partitionOf('p')]);
  });

  it('refuses a partition key that contradicts the session id [PRT-02]', () => {
    const failure = failureOf(
      partitioned().send('orders', messageOf('m', { sessionId: 's', partitionKey: 'p' })),
    );
    expect(failure?.reason).toBe('not-allowed');
    expect(failure?.message).toContain("'p'");
  });

  it('hands out and shows the messages of one partition in their order [PEEK-11]', () => {
    const bus = partitioned();
    for (let index = 0; index < 40; index++) {
      bus.send('orders', messageOf(`${index}`, { partitionKey: `key ${index % 5}` }));
    }
    for (const messages of [bus.peek('orders'), bus.receive('orders', 40)]) {
      expect(messages).toHaveLength(40);
      const last = new Map<number, number>();
      for (const message of messages) {
        const key = Number(bus.textOf(message)) % 5;
        expect(Number(bus.textOf(message))).toBeGreaterThan(last.get(key) ?? -1);
        last.set(key, Number(bus.textOf(message)));
      }
    }
  });

  it('delivers from its partitions in turn: none waits for ever behind another one [PEEK-11]', () => {
    const bus = partitioned();
    bus.send(
      'orders',
      ...Array.from({ length: 2 * PARTITION_COUNT }, (_, index) => messageOf(`first ${index}`)),
    );
    const received: string[] = [];
    for (let round = 0; round < 2 * PARTITION_COUNT; round++) {
      bus.send('orders', messageOf('late', { partitionKey: 'a' }));
      for (const message of bus.receive('orders')) received.push(bus.textOf(message));
    }
    expect(received.filter((text) => text.startsWith('first')).length).toBeGreaterThanOrEqual(
      2 * PARTITION_COUNT - 2,
    );
  });

  it('keeps a message in its partition when it is enqueued at its time or dead-lettered [SCH-03, SEQ-10]', () => {
    const bus = partitioned();
    bus.send('orders', messageOf('m', { partitionKey: 'a', scheduledEnqueueTime: START + 5 }));
    bus.tickAfter(5);
    const held = bus.receiveOne('orders');
    expect(held.properties.sequenceNumber).toBe(partitionOf('a') * PARTITION_SIZE + 2);
    bus.settle('orders', held, DEAD_LETTER);
    expect(bus.receiveOne('orders/$DeadLetterQueue').properties).toMatchObject({
      sequenceNumber: partitionOf('a') * PARTITION_SIZE + 2,
      partitionId: partitionOf('a'),
    });
  });

  it('goes on counting in each partition after a restart [SEQ-11]', () => {
    const bus = partitioned();
    bus.send('orders', messageOf('1', { partitionKey: 'a' }), messageOf('2', { partitionKey: 'b' }));
    bus.receive('orders', 2, 'receive-and-delete');
    const turn = bus.restarted().send('orders', messageOf('3', { partitionKey: 'b' }));
    expect(numbersOf(turn)).toEqual([partitionOf('b') * PARTITION_SIZE + 2]);
  });

  it('cannot become one later, or stop being one [PRT-01]', () => {
    expect(failureOf(partitioned().putQueue('orders'))?.reason).toBe('not-allowed');
    expect(failureOf(withQueue().putQueue('orders', { enablePartitioning: true }))?.reason).toBe(
      'not-allowed',
    );
  });
});

describe('any other queue', () => {
  it('accepts any partition key and has no partition id [PRT-03]', () => {
    const bus = withQueue();
    const turn = bus.send('orders', messageOf('m', { partitionKey: 'p' }));
    expect(turn.result).toEqual({ kind: 'sent', sequenceNumbers: [1] });
    expect(bus.receiveOne('orders').properties.partitionId).toBeUndefined();
  });

  it('refuses a partition key that is not the session id, scheduled too [PRT-03]', () => {
    const bus = withQueue();
    for (const given of [{}, { scheduledEnqueueTime: bus.now + 1000 }]) {
      const send = (partitionKey: string) =>
        bus.send('orders', messageOf('m', { ...given, sessionId: 's', partitionKey }));
      expect(failureOf(send('p'))?.message).toContain(
        "'p' and the session id 's' of a message must be equal",
      );
      expect(send('s').result.kind).toBe('sent');
    }
  });
});

describe('the end of the numbers', () => {
  it.each([
    ['a partition', true, PARTITION_SIZE - 1, 3 * PARTITION_SIZE],
    ['a queue', false, Number.MAX_SAFE_INTEGER, 0],
  ])('of %s is followed by zero [SEQ-07, S2-06]', (_words, enablePartitioning, last, base) => {
    const key = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'].find((one) => partitionOf(one) === 3);
    const bus = withQueue({ enablePartitioning });
    const partitionId = enablePartitioning ? 3 : 0;
    bus.rows.apply([{ kind: 'sequence-put', storeId: 1, partitionId, nextSequenceNumber: base + last }]);
    const restarted = new BrokerUnderTest({ rows: bus.rows });
    restarted.now = bus.now;
    const send = () => numbersOf(restarted.send('orders', messageOf('m', { partitionKey: key })));
    expect([send(), send(), send()]).toEqual([[base + last], [base], [base + 1]]);
    const again = restarted.restarted();
    expect(numbersOf(again.send('orders', messageOf('m', { partitionKey: key })))).toEqual([base + 2]);
  });
});
