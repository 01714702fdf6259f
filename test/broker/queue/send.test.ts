// What becomes of messages that are sent to a queue, and which are refused.

import { describe, expect, it } from 'vitest';
import { describeQueue } from '../../../src/broker/contract/entities/queue-description.js';
import { NEVER } from '../../../src/broker/contract/instant.js';
import {
  ABANDON,
  BrokerUnderTest,
  COMPLETE,
  DEAD_LETTER,
  failureOf,
  messageOf,
  messageOfSize,
  START,
  withQueue,
} from '../../support/broker-builders.js';

const KILOBYTE = 1024;
const MEGABYTE = 1024 * KILOBYTE;

describe('send', () => {
  it('makes a message durable before it is accepted, without any receiver [SND-01, M1]', () => {
    const bus = withQueue();
    const turn = bus.send('orders', 'first');
    expect(turn.result).toEqual({ kind: 'sent', sequenceNumbers: [1] });
    expect(turn.events).toEqual([
      { kind: 'content-stored', contentId: 1, content: messageOf('first').content },
      {
        kind: 'message-put',
        storeId: 1,
        message: {
          sequenceNumber: 1,
          enqueuedTime: START,
          expiresAt: NEVER,
          deliveryCount: 0,
          state: 0,
          wasScheduled: false,
          contentId: 1,
          sizeBytes: 5,
          isShared: false,
        },
      },
      { kind: 'sequence-put', storeId: 1, partitionId: 0, nextSequenceNumber: 2 },
    ]);
    expect(turn.effects).toEqual([]);
  });

  it('numbers messages one by one, from 1, in the order they were accepted [SEQ-01, SEQ-02]', () => {
    const bus = withQueue();
    const results = ['a', 'b', 'c'].map((text) => bus.send('orders', text).result);
    expect(results).toEqual([1, 2, 3].map((number) => ({ kind: 'sent', sequenceNumbers: [number] })));
  });

  it('numbers the messages of each queue for themselves [SEQ-01, SEQ-02]', () => {
    const bus = withQueue();
    bus.putQueue('invoices');
    bus.send('orders', 'a', 'b');
    expect(bus.send('invoices', 'c').result).toEqual({ kind: 'sent', sequenceNumbers: [1] });
  });

  it('gives a batch consecutive numbers and one enqueued time [SND-11, SEQ-02, SEQ-08]', () => {
    const bus = withQueue();
    bus.send('orders', 'before');
    bus.passTime(1000);
    const { result } = bus.send('orders', 'a', 'b', 'c');
    expect(result).toEqual({ kind: 'sent', sequenceNumbers: [2, 3, 4] });
    const times = bus.receive('orders', 4).map((delivery) => delivery.properties.enqueuedTime);
    expect(times).toEqual([START, START + 1000, START + 1000, START + 1000]);
  });

  it('writes the next number once per batch', () => {
    const { events } = withQueue().send('orders', 'a', 'b', 'c');
    const puts = events.filter((event) => event.kind === 'sequence-put');
    expect(puts).toEqual([{ kind: 'sequence-put', storeId: 1, partitionId: 0, nextSequenceNumber: 4 }]);
  });

  it('accepts an empty batch and stores nothing [SND-13]', () => {
    const turn = withQueue().send('orders');
    expect(turn).toEqual({ result: { kind: 'sent', sequenceNumbers: [] }, events: [], effects: [] });
  });

  it('generates a message-id for a message that has none, and never changes it [MSG-04, DLV-05]', () => {
    const bus = withQueue();
    bus.send('orders', messageOf('anonymous', { messageId: undefined }), 'named');
    const first = bus.receiveOne('orders');
    expect(first.properties.generatedMessageId).toMatch(/^[0-9a-f]{32}$/);
    bus.settle('orders', first, ABANDON);
    const restarted = bus.restarted();
    const [again, named] = restarted.receive('orders', 2);
    expect(again?.properties.generatedMessageId).toBe(first.properties.generatedMessageId);
    expect(named?.properties.generatedMessageId).toBeUndefined();
  });

  it('accepts a session id in a queue without sessions [SND-07]', () => {
    const bus = withQueue();
    bus.send('orders', messageOf('a', { sessionId: 'basket-1' }));
    expect(bus.textOf(bus.receiveOne('orders'))).toBe('a');
  });
});

describe('send is refused', () => {
  it('when there is no such queue, in the words that clients recognise [SND-08, ERR-04]', () => {
    const turn = new BrokerUnderTest().send('nowhere', 'a');
    expect(failureOf(turn)).toEqual({
      reason: 'entity-not-found',
      message: "The messaging entity 'nowhere' could not be found.",
    });
    expect(turn.events).toEqual([]);
  });

  it('by a dead-letter queue [SND-09]', () => {
    const turn = withQueue().send('orders/$DeadLetterQueue', 'a');
    expect(failureOf(turn)?.reason).toBe('not-allowed');
  });

  it('by a queue that requires sessions, when one message of the batch has no session id [SND-06]', () => {
    const turn = withQueue({ requiresSession: true }).send(
      'orders',
      messageOf('a', { sessionId: 'basket-1' }),
      messageOf('b'),
    );
    expect(failureOf(turn)?.reason).toBe('not-allowed');
    expect(failureOf(turn)?.message).toMatch(
      /^The SessionId was not set on a message, and it cannot be sent to the entity\./,
    );
    expect(turn.events).toEqual([]);
  });

  it('when a message is larger than the tier allows; just as large is accepted [SND-10, LIM-01]', () => {
    const bus = withQueue();
    const tooLarge = bus.send('orders', messageOfSize(256 * KILOBYTE + 1));
    expect(failureOf(tooLarge)?.reason).toBe('message-size-exceeded');
    expect(failureOf(tooLarge)?.message).toContain('(262144 bytes)');
    expect(bus.send('orders', messageOfSize(256 * KILOBYTE)).result.kind).toBe('sent');
  });

  it('when a message is larger than the queue allows [SND-10]', () => {
    const bus = withQueue({ maxMessageSizeInKilobytes: 1 });
    expect(failureOf(bus.send('orders', messageOfSize(1025)))?.reason).toBe('message-size-exceeded');
  });

  it('when a batch is larger than the standard size, though each message may be [SND-12, LIM-02]', () => {
    const bus = new BrokerUnderTest({ limits: { maxMessageSizeCeilingBytes: 100 * MEGABYTE } });
    bus.putQueue('orders', { maxMessageSizeInKilobytes: 2048 });
    expect(bus.send('orders', messageOfSize(MEGABYTE)).result.kind).toBe('sent');
    const batch = bus.send('orders', messageOfSize(200 * KILOBYTE), messageOfSize(200 * KILOBYTE));
    expect(failureOf(batch)?.reason).toBe('message-size-exceeded');
  });

  it('when a batch holds more messages than the limit [SND-12]', () => {
    const bus = new BrokerUnderTest({ limits: { maxBatchCount: 2 } });
    bus.putQueue('orders');
    expect(bus.send('orders', 'a', 'b').result.kind).toBe('sent');
    expect(failureOf(bus.send('orders', 'a', 'b', 'c'))?.reason).toBe('not-allowed');
  });

  it('when a batch holds 4,501 messages; 4,500 are accepted [SND-12, LIM-02]', () => {
    const bus = withQueue();
    const batchOf = (count: number) => Array.from({ length: count }, () => messageOf('x'));
    const failure = failureOf(bus.send('orders', ...batchOf(4501)));
    expect(failure?.reason).toBe('not-allowed');
    expect(failure?.message).toContain('4501');
    expect(bus.send('orders', ...batchOf(4500)).result.kind).toBe('sent');
  });

  it('when the queue is full, until a message leaves; dead-lettered ones still fill it [SND-14, DLQ-10, LIM-05]', () => {
    const bus = withQueue({ maxSizeInMegabytes: 1 });
    for (let i = 0; i < 4; i++) bus.send('orders', messageOfSize(256 * KILOBYTE));
    const full = bus.send('orders', 'one more');
    expect(failureOf(full)).toEqual({
      reason: 'quota-exceeded',
      message:
        "The maximum entity size has been reached or exceeded for Queue: 'orders'. " +
        'Size of entity in bytes:1048576, Max entity size in bytes:1048576.',
    });
    bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
    expect(failureOf(bus.send('orders', 'one more'))?.reason).toBe('quota-exceeded');
    bus.settle('orders', bus.receiveOne('orders/$DeadLetterQueue'), COMPLETE);
    expect(bus.send('orders', 'one more').result.kind).toBe('sent');
  });

  it('when the queue is full again after a restart [SND-14]', () => {
    const bus = withQueue({ maxSizeInMegabytes: 1 });
    for (let i = 0; i < 4; i++) bus.send('orders', messageOfSize(256 * KILOBYTE));
    expect(failureOf(bus.restarted().send('orders', 'one more'))?.reason).toBe('quota-exceeded');
  });

  it.each(['Disabled', 'SendDisabled'] as const)('by a queue that is %s [ENT-06, ENT-07]', (status) => {
    const turn = withQueue({ status }).send('orders', 'a');
    expect(failureOf(turn)).toEqual({
      reason: 'entity-disabled',
      message: "The messaging entity 'orders' is currently disabled.",
    });
  });

  it('and then no sequence number is used up [SEQ-04]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    bus.send('orders', 'b', messageOfSize(256 * KILOBYTE + 1));
    expect(bus.send('orders', 'c').result).toEqual({ kind: 'sent', sequenceNumbers: [2] });
  });
});

describe('sequence numbers', () => {
  it('are never used again, also when the messages are gone and the broker was restarted [SEQ-11]', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b');
    bus.receive('orders', 2, 'receive-and-delete');
    expect(bus.restarted().send('orders', 'c').result).toEqual({ kind: 'sent', sequenceNumbers: [3] });
  });

  it('go on after an update of the queue [SEQ-11]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    bus.execute({
      kind: 'put-entity',
      type: 'queue',
      description: describeQueue('orders', { maxDeliveryCount: 3 }),
    });
    expect(bus.send('orders', 'b').result).toEqual({ kind: 'sent', sequenceNumbers: [2] });
  });
});
