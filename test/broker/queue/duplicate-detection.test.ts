// Duplicate detection: what repeats a message-id within the window is accepted and dropped.

import { describe, expect, it } from 'vitest';
import {
  ABANDON,
  type BrokerUnderTest,
  COMPLETE,
  DEAD_LETTER,
  failureOf,
  messageOf,
  START,
  withQueue,
} from '../../support/broker-builders.js';

const WINDOW = 60_000;

function withDetection(given = {}): BrokerUnderTest {
  return withQueue({
    requiresDuplicateDetection: true,
    duplicateDetectionHistoryTimeWindowMs: WINDOW,
    ...given,
  });
}

function withId(text: string, messageId: string | undefined, given = {}) {
  return messageOf(text, { messageId, ...given });
}

function textsIn(bus: BrokerUnderTest, entityPath = 'orders'): readonly string[] {
  return bus.peek(entityPath).map((message) => bus.textOf(message));
}

function numbersOf(turn: { readonly result: unknown }): unknown {
  return (turn.result as { sequenceNumbers?: unknown }).sequenceNumbers;
}

describe('a repeated message-id', () => {
  it('is accepted and dropped: nothing is stored and no number used [DUP-01, SEQ-04, M3]', () => {
    const bus = withDetection();
    bus.send('orders', withId('first', 'id'));
    const turn = bus.send('orders', withId('another body', 'id'));
    expect(turn.result).toEqual({ kind: 'sent', sequenceNumbers: [1] });
    expect(turn.events).toEqual([]);
    expect(numbersOf(bus.send('orders', withId('next', 'other')))).toEqual([2]);
    expect(textsIn(bus)).toEqual(['first', 'next']);
  });

  it('is a message like any other where detection is off [DUP-01]', () => {
    const bus = withQueue();
    bus.send('orders', withId('first', 'id'));
    bus.send('orders', withId('second', 'id'));
    expect(textsIn(bus)).toEqual(['first', 'second']);
  });

  it('is a duplicate until the window ends, counted from the first acceptance alone [DUP-04]', () => {
    const bus = withDetection();
    bus.send('orders', withId('first', 'id'));
    bus.passTime(WINDOW - 1);
    bus.send('orders', withId('dropped', 'id'));
    bus.passTime(1);
    bus.send('orders', withId('second', 'id'));
    bus.passTime(WINDOW - 1);
    bus.send('orders', withId('dropped too', 'id'));
    expect(textsIn(bus)).toEqual(['first', 'second']);
  });

  it('is a duplicate even when the first message was completed, dead-lettered or cancelled [DUP-04]', () => {
    const bus = withDetection();
    bus.send('orders', withId('a', 'a'), withId('b', 'b'));
    bus.send('orders', withId('c', 'c', { scheduledEnqueueTime: START + 5 }));
    bus.settle('orders', bus.receiveOne('orders'), COMPLETE);
    bus.settle('orders', bus.receiveOne('orders'), DEAD_LETTER);
    bus.cancelScheduled('orders', 3);
    bus.send('orders', withId('a', 'a'), withId('b', 'b'), withId('c', 'c'));
    expect(textsIn(bus)).toEqual([]);
  });

  it('is compared letter by letter, and nothing else of the message is [DUP-07, DUP-01]', () => {
    const bus = withDetection();
    bus.send('orders', withId('1', 'id'), withId('2', 'ID'), withId('3', 'id '), withId('4', 'id'));
    expect(textsIn(bus)).toEqual(['1', '2', '3']);
  });

  it('is a duplicate with any partition key, which only a partitioned queue compares [DUP-01, DUP-02]', () => {
    const bus = withDetection();
    bus.send('orders', withId('1', 'id', { partitionKey: 'a' }), withId('2', 'id', { partitionKey: 'b' }));
    expect(textsIn(bus)).toEqual(['1']);
  });

  it('is found within one batch as well [DUP-06]', () => {
    const bus = withDetection();
    const turn = bus.send('orders', withId('1', 'a'), withId('2', 'b'), withId('3', 'a'), withId('4', 'c'));
    expect(numbersOf(turn)).toEqual([1, 2, 1, 3]);
    expect(textsIn(bus)).toEqual(['1', '2', '4']);
  });

  it('is impossible for messages without one [DUP-07, MSG-04]', () => {
    const bus = withDetection();
    bus.send('orders', withId('1', undefined), withId('2', undefined));
    expect(textsIn(bus)).toEqual(['1', '2']);
  });

  it('is not remembered from a send that was refused [SEQ-04]', () => {
    const bus = withDetection({ maxMessageSizeInKilobytes: 1 });
    const tooLarge = messageOf('x'.repeat(2000), { messageId: 'id' });
    expect(failureOf(bus.send('orders', tooLarge))?.reason).toBe('message-size-exceeded');
    bus.send('orders', withId('small', 'id'));
    expect(textsIn(bus)).toEqual(['small']);
  });
});

describe('scheduled messages', () => {
  it('are checked and remembered when they are sent, and answer with the number of the original [DUP-05]', () => {
    const bus = withDetection();
    const scheduled = { scheduledEnqueueTime: START + 5000 };
    bus.send('orders', withId('first', 'id', scheduled));
    expect(numbersOf(bus.send('orders', withId('again', 'id', scheduled)))).toEqual([1]);
    expect(numbersOf(bus.send('orders', withId('at once', 'id')))).toEqual([1]);
    expect(bus.cancelScheduled('orders', 1).result).toEqual({ kind: 'done' });
    expect(textsIn(bus)).toEqual([]);
  });

  it('are not duplicates of themselves when they are activated [DUP-05]', () => {
    const bus = withDetection();
    bus.send('orders', withId('first', 'id', { scheduledEnqueueTime: START + 5 }));
    bus.tickAfter(5);
    bus.settle('orders', bus.receiveOne('orders'), ABANDON);
    expect(textsIn(bus)).toEqual(['first']);
  });
});

describe('the history', () => {
  it('survives a restart inside the window, and ends with the window [DUP-09]', () => {
    const bus = withDetection();
    bus.send('orders', withId('first', 'id'));
    bus.passTime(WINDOW - 1);
    const restarted = bus.restarted();
    expect(numbersOf(restarted.send('orders', withId('again', 'id')))).toEqual([1]);
    restarted.passTime(1);
    expect(numbersOf(restarted.send('orders', withId('again', 'id')))).toEqual([2]);
  });

  it('is removed soon after the window, even without another send [DUP-04]', () => {
    const bus = withDetection();
    bus.send('orders', withId('first', 'id'));
    bus.receive('orders', 1, 'receive-and-delete');
    const due = bus.broker.nextDeadline();
    expect(due - START).toBeGreaterThanOrEqual(WINDOW);
    expect(bus.tickAfter(due - START).events).toEqual([
      { kind: 'message-id-forgotten', storeId: 1, sequenceNumber: 1 },
    ]);
    expect(bus.broker.nextDeadline()).toBe(Number.POSITIVE_INFINITY);
  });

  it('uses the present window [DUP-04]', () => {
    const bus = withDetection();
    bus.send('orders', withId('first', 'id'));
    bus.passTime(20_000);
    bus.putQueue('orders', {
      requiresDuplicateDetection: true,
      duplicateDetectionHistoryTimeWindowMs: 20_000,
    });
    bus.send('orders', withId('second', 'id'));
    expect(textsIn(bus)).toEqual(['first', 'second']);
  });

  it('is not restored when the window grows [DUP-04]', () => {
    const bus = withDetection({ duplicateDetectionHistoryTimeWindowMs: 20_000 });
    bus.send('orders', withId('first', 'id'));
    bus.passTime(20_000);
    bus.putQueue('orders', {
      requiresDuplicateDetection: true,
      duplicateDetectionHistoryTimeWindowMs: WINDOW,
    });
    bus.send('orders', withId('second', 'id'));
    expect(textsIn(bus)).toEqual(['first', 'second']);
  });

  it('may reach back from 5 seconds to 7 days [DUP-03]', () => {
    const day = 24 * 3_600_000;
    for (const [window, isLegal] of [
      [4999, false],
      [5000, true],
      [7 * day, true],
      [7 * day + 1, false],
    ] as const) {
      const bus = withDetection();
      const turn = bus.putQueue('other', { duplicateDetectionHistoryTimeWindowMs: window });
      expect(turn.result.kind).toBe(isLegal ? 'entity-info' : 'failed');
    }
  });

  it('is not available in the Basic tier [DUP-01]', () => {
    const bus = withQueue({}, { limits: { hasDuplicateDetection: false } });
    const failure = failureOf(bus.putQueue('other', { requiresDuplicateDetection: true }));
    expect(failure).toMatchObject({ reason: 'not-allowed' });
    expect(failure?.message).toContain('requiresDuplicateDetection');
  });

  it('cannot be switched on or off later [DUP-01]', () => {
    const bus = withDetection();
    expect(failureOf(bus.putQueue('orders', { requiresDuplicateDetection: false }))?.reason).toBe(
      'not-allowed',
    );
  });
});

describe('in a partitioned queue', () => {
  it('the message-id is compared within its partition key or session id [DUP-02]', () => {
    const bus = withDetection({ enablePartitioning: true });
    bus.send('orders', withId('1', 'id', { partitionKey: 'a' }), withId('2', 'id', { partitionKey: 'b' }));
    bus.send('orders', withId('3', 'id', { sessionId: 'a' }), withId('4', 'id'));
    expect([...textsIn(bus)].sort()).toEqual(['1', '2', '4']);
  });

  it('different keys and ids are distinct even if their concatenations are equal [DUP-02]', () => {
    const bus = withDetection({ enablePartitioning: true });
    bus.send('orders', withId('1', 'bc', { partitionKey: 'a' }), withId('2', 'c', { partitionKey: 'ab' }));
    expect(textsIn(bus)).toHaveLength(2);
  });

  it('a message must have an id or a key, and the error says so [DUP-06]', () => {
    const bus = withDetection({ enablePartitioning: true });
    const failure = failureOf(bus.send('orders', withId('1', undefined)));
    expect(failure?.reason).toBe('not-allowed');
    expect(failure?.message).toContain(
      'Message to a partitioned entity with duplicate detection enabled must have either PartitionKey or MessageId',
    );
    expect(bus.send('orders', withId('1', undefined, { partitionKey: 'a' })).result.kind).toBe('sent');
  });

  it('the history keeps its order over a restart although the order of numbers differs [DUP-09]', () => {
    const bus = withDetection({ enablePartitioning: true });
    const keys = Array.from({ length: 40 }, (_, index) => `key ${index}`);
    for (const partitionKey of keys) {
      bus.send('orders', withId('m', 'id', { partitionKey }));
      bus.passTime(1000);
    }
    const restarted = bus.restarted();
    restarted.passTime(WINDOW - 20_000);
    for (const partitionKey of keys) restarted.send('orders', withId('again', 'id', { partitionKey }));
    expect(textsIn(restarted).filter((text) => text === 'again')).toHaveLength(21);
  });
});

describe('many message-ids whose window ends at once', () => {
  it('are forgotten 1,000 in a turn, and duplicate nothing meanwhile [DUP-04, DUP-09]', () => {
    const bus = withDetection();
    const ids = Array.from({ length: 4500 }, (_, index) => `id ${index}`);
    for (let from = 0; from < ids.length; from += 1500) {
      bus.send('orders', ...ids.slice(from, from + 1500).map((id) => withId(id, id)));
    }
    const forgottenIn = (turn: { readonly events: readonly { readonly kind: string }[] }) =>
      turn.events.filter(({ kind }) => kind === 'message-id-forgotten').length;
    const first = bus.tickAfter(2 * WINDOW);
    const again = bus.send('orders', withId('again', 'id 4499'));
    expect(numbersOf(again)).toEqual([4501]);
    const rest = Array.from({ length: 5 }, () => bus.tickAfter(1));
    expect([first, again, ...rest].map(forgottenIn)).toEqual([1000, 1, 1000, 1000, 1000, 499, 0]);
  });
});
