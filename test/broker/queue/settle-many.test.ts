// Several locks settled in one command: all of them or none.

import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/broker/contract/command.js';
import {
  ABANDON,
  type BrokerUnderTest,
  COMPLETE,
  DEAD_LETTER,
  DEFER,
  failureOf,
  withQueue,
} from '../../support/broker-builders.js';

const DLQ = 'orders/$DeadLetterQueue';

function withLocked(count = 3, entityPath = 'orders'): { bus: BrokerUnderTest; tokens: string[] } {
  const bus = withQueue();
  bus.send('orders', 'a', 'b', 'c');
  if (entityPath === DLQ) {
    for (const { lockToken = '' } of bus.receive('orders', 3))
      bus.settle('orders', { lockToken }, DEAD_LETTER);
  }
  return { bus, tokens: bus.receive(entityPath, count).map(({ lockToken = '' }) => lockToken) };
}

function settleMany(
  bus: BrokerUnderTest,
  lockTokens: readonly string[],
  outcome: Outcome,
  entityPath = 'orders',
) {
  return bus.execute({ kind: 'settle-many', entityPath, lockTokens, outcome });
}

describe('settling many', () => {
  it.each([COMPLETE, ABANDON, DEFER, DEAD_LETTER])('settles all of them: $kind [SET-08]', (outcome) => {
    const { bus, tokens } = withLocked();
    expect(settleMany(bus, tokens, outcome).result).toEqual({ kind: 'done' });
    expect(tokens).toHaveLength(3);
    for (const lockToken of tokens) {
      expect(failureOf(bus.settle('orders', { lockToken }, COMPLETE))?.reason).toBe('message-lock-lost');
    }
  });

  it('settles none when one of the locks is lost [SET-06]', () => {
    const { bus, tokens } = withLocked();
    const turn = settleMany(bus, [...tokens, 'f'.repeat(32)], COMPLETE);
    expect(failureOf(turn)?.reason).toBe('message-lock-lost');
    expect(turn.events).toEqual([]);
    expect(settleMany(bus, tokens, COMPLETE).result).toEqual({ kind: 'done' });
  });

  it('settles up to 60,000: a request is one turn', () => {
    const { bus } = withLocked();
    const tokens = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);
    const data = { property: 'lockTokens', value: 60_001, limit: 60_000 };
    expect(settleMany(bus, tokens(60_001), COMPLETE).result).toMatchObject({
      error: { reason: 'argument-out-of-range', data },
    });
    expect(failureOf(settleMany(bus, tokens(60_000), COMPLETE))?.reason).toBe('message-lock-lost');
  });

  it('counts a token named twice once', () => {
    const { bus, tokens } = withLocked(1);
    const [token = ''] = tokens;
    expect(settleMany(bus, [token, token], ABANDON).result).toEqual({ kind: 'done' });
    expect(bus.peek('orders')[0]?.properties.deliveryCount).toBe(1);
  });

  it('needs a token', () => {
    expect(failureOf(settleMany(withQueue(), [], COMPLETE))?.reason).toBe('argument');
    expect(failureOf(withQueue().renew('orders'))?.reason).toBe('argument');
  });

  it('refuses to dead-letter from a dead-letter queue and frees every lock named [DLQ-08]', () => {
    const { bus, tokens } = withLocked(3, DLQ);
    const failure = failureOf(settleMany(bus, tokens, DEAD_LETTER, DLQ));
    expect(failure?.reason).toBe('not-allowed');
    expect(bus.receive(DLQ, 9)).toHaveLength(3);
  });

  it('leaves a message of the queue locked when a message of its dead-letter queue is named, too [DLQ-08]', () => {
    const { bus, tokens } = withLocked(1, DLQ);
    bus.send('orders', 'alive');
    const held = bus.receiveOne('orders');
    const turn = settleMany(bus, [held.lockToken, ...tokens], DEAD_LETTER);
    expect([failureOf(turn)?.reason, turn.events]).toEqual(['not-allowed', []]);
    expect(bus.settle('orders', held, COMPLETE).result).toEqual({ kind: 'done' });
  });
});

describe('the properties that a settlement sets', () => {
  const change = (name: string, length: number) => ({ name, value: new Uint8Array(length) });
  const abandonWith = (...changes: ReturnType<typeof change>[]): Outcome => ({ kind: 'abandon', changes });

  it('have the limits of sent ones: 32 KB each, 64 KB in all [MSG-08]', () => {
    const { bus, tokens } = withLocked();
    const refusal = (outcome: Outcome) => failureOf(settleMany(bus, tokens, outcome))?.reason;
    expect(refusal(abandonWith(change('a', 32 * 1024 + 1)))).toBe('message-size-exceeded');
    expect(refusal(abandonWith(change('a', 32 * 1024), change('b', 32 * 1024)))).toBe(
      'message-size-exceeded',
    );
    expect(refusal(abandonWith(change('a', 32 * 1024), change('b', 31 * 1024)))).toBeUndefined();
  });

  it('count with earlier properties, and the message stays locked when it is too much [MSG-08]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    for (const name of ['a', 'b']) {
      bus.settle('orders', bus.receiveOne('orders'), abandonWith(change(name, 25 * 1024)));
    }
    const held = bus.receiveOne('orders');
    const turn = bus.settle('orders', held, abandonWith(change('c', 25 * 1024)));
    expect([failureOf(turn)?.reason, turn.events]).toEqual(['message-size-exceeded', []]);
    expect(bus.settle('orders', held, abandonWith(change('b', 26 * 1024))).result).toEqual({ kind: 'done' });
  });

  it('count towards the size of a peeked message [PEEK-02]', () => {
    const bus = withQueue({}, { limits: { maxPeekBytes: 20_000 } });
    bus.send('orders', 'a', 'b');
    for (const { lockToken = '' } of bus.receive('orders', 2)) {
      bus.settle('orders', { lockToken }, abandonWith(change('a', 12_000)));
    }
    expect(bus.peek('orders')).toHaveLength(1);
  });
});

describe('releasing on detach', () => {
  it('is off by default: the locks of a closed link run on to their end [LNK-04, LNK-01, M20]', () => {
    const { bus, tokens } = withLocked();
    expect(bus.receive('orders', 9)).toEqual([]);
    expect(settleMany(bus, tokens, COMPLETE).result).toEqual({ kind: 'done' });
  });

  it('frees the locks of the link at once, uncounted, and no others, when it is on [LNK-04]', () => {
    const bus = withQueue({}, { behaviour: { releaseLocksOnDetach: true } });
    bus.send('orders', 'a', 'b', 'c', 'd');
    const [first, second] = [bus.attachReceiver('orders'), bus.attachReceiver('orders')];
    bus.setCredit(first, 2);
    bus.setCredit(second, 1);
    bus.execute({ kind: 'detach', linkId: first });
    const received = bus.execute({ kind: 'peek', entityPath: 'orders', fromSequenceNumber: 0, maxCount: 9 });
    expect(received.effects).toEqual([]);
    const again = bus.attachReceiver('orders');
    const turn = bus.setCredit(again, 9);
    const numbers = turn.effects.flatMap((effect) =>
      effect.kind === 'deliver' ? [effect.delivery.properties] : [],
    );
    expect(numbers.map(({ sequenceNumber, deliveryCount }) => [sequenceNumber, deliveryCount])).toEqual([
      [1, 0],
      [2, 0],
      [4, 0],
    ]);
  });

  it('leaves the messages of a link locked that keeps its locks [LNK-04, LNK-01, M20]', () => {
    const bus = withQueue({}, { behaviour: { releaseLocksOnDetach: true } });
    bus.send('orders', 'a');
    const linkId = bus.nextLinkId();
    const receiver = { entityPath: 'orders', receiveMode: 'peek-lock', keepsLocks: true } as const;
    bus.execute({ kind: 'attach-receiver', linkId, ...receiver });
    const held = bus.receiveOneAs(linkId);
    bus.execute({ kind: 'detach', linkId });
    expect(bus.receive('orders')).toEqual([]);
    expect(bus.settle('orders', held, COMPLETE).result).toEqual({ kind: 'done' });
  });

  it('leaves a message locked that was received by its number: no link holds it [LNK-04]', () => {
    const bus = withQueue({}, { behaviour: { releaseLocksOnDetach: true } });
    bus.send('orders', 'a');
    const linkId = bus.attachReceiver('orders');
    bus.settle('orders', bus.receiveOneAs(linkId), DEFER);
    const held = bus.receiveOneDeferred('orders', 1);
    bus.execute({ kind: 'detach', linkId });
    expect(bus.settle('orders', held, COMPLETE).result).toEqual({ kind: 'done' });
  });
});
