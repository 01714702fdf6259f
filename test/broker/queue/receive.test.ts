// Who is given which message, in both receive modes.

import { describe, expect, it } from 'vitest';
import { NEVER } from '../../../src/broker/contract/instant.js';
import {
  ABANDON,
  COMPLETE,
  deliveriesTo,
  effectKinds,
  messageOf,
  RELEASE,
  START,
  sequenceNumbersTo,
  withQueue,
} from '../../support/broker-builders.js';

const MINUTE = 60_000;

describe('a peek-lock receiver', () => {
  it('gets the message under a lock, and nothing durable happens [RCV-03, RCV-05, DLV-01, M6]', () => {
    const bus = withQueue({ lockDurationMs: 5000 });
    bus.send('orders', 'a');
    bus.passTime(10);
    const linkId = bus.attachReceiver('orders');
    const turn = bus.setCredit(linkId, 1);
    expect(turn.events).toEqual([]);
    expect(turn.effects).toEqual([
      {
        kind: 'deliver',
        linkId,
        delivery: {
          contentId: 1,
          storeId: 1,
          properties: {
            sequenceNumber: 1,
            enqueuedTime: START,
            expiresAt: NEVER,
            deliveryCount: 0,
            state: 0,
            wasScheduled: false,
            generatedMessageId: undefined,
            propertyChanges: undefined,
            partitionId: undefined,
          },
          lockToken: expect.stringMatching(/^[0-9a-f]{32}$/),
          lockedUntil: START + 10 + 5000,
        },
      },
    ]);
  });

  it('holds the message alone, and others get the next one [RCV-03, RCV-04]', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b');
    const [first, second] = [bus.receiveOne('orders'), bus.receiveOne('orders')];
    expect([first, second].map((delivery) => bus.textOf(delivery))).toEqual(['a', 'b']);
    expect(bus.receive('orders')).toEqual([]);
  });

  it('gets a new token with every delivery [RCV-06]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    const first = bus.receiveOne('orders');
    bus.settle('orders', first, ABANDON);
    expect(bus.receiveOne('orders').lockToken).not.toBe(first.lockToken);
  });

  it('may hold 6,000 messages unsettled [RCV-14]', () => {
    const bus = withQueue();
    for (let i = 0; i < 60; i++) bus.send('orders', ...Array.from({ length: 100 }, () => messageOf('x')));
    const held = bus.receive('orders', 6000);
    expect(new Set(held.map((delivery) => delivery.lockToken)).size).toBe(6000);
    for (const { lockToken = '' } of held) {
      expect(bus.settle('orders', { lockToken }, COMPLETE).result).toEqual({ kind: 'done' });
    }
  });
});

describe('a receive-and-delete receiver', () => {
  it('gets the message without a lock, and the message is deleted [RCV-02, M7]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    const linkId = bus.attachReceiver('orders', 'receive-and-delete');
    const turn = bus.setCredit(linkId, 1);
    expect(turn.events).toEqual([
      { kind: 'message-removed', storeId: 1, sequenceNumber: 1 },
      { kind: 'content-released', contentId: 1 },
    ]);
    const [delivery] = deliveriesTo(linkId, turn);
    expect(delivery).toMatchObject({ contentId: 1, lockToken: undefined, lockedUntil: undefined });
    expect(bus.restarted().receive('orders')).toEqual([]);
  });

  it('gets a message in the very turn that stores it', () => {
    const bus = withQueue();
    const linkId = bus.attachReceiver('orders', 'receive-and-delete');
    bus.setCredit(linkId, 1);
    const turn = bus.send('orders', 'a');
    expect(turn.events.map((event) => event.kind)).toEqual([
      'content-stored',
      'message-put',
      'message-removed',
      'content-released',
      'sequence-put',
    ]);
    expect(effectKinds(turn)).toEqual(['deliver']);
  });
});

describe('retrieval order', () => {
  it('is by sequence number alone; an abandoned message is first again [RCV-07, RCV-09, SEQ-09]', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b', 'c');
    bus.settle('orders', bus.receiveOne('orders'), ABANDON);
    const texts = bus.receive('orders', 3).map((delivery) => bus.textOf(delivery));
    expect(texts).toEqual(['a', 'b', 'c']);
  });

  it('is the same in whatever order messages are returned [RCV-07, SEQ-09]', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b', 'c', 'd');
    const held = [1, 2, 3].map(() => bus.receiveOne('orders'));
    for (const delivery of held.reverse()) bus.settle('orders', delivery, RELEASE);
    const texts = bus.receive('orders', 4).map((delivery) => bus.textOf(delivery));
    expect(texts).toEqual(['a', 'b', 'c', 'd']);
  });

  it('puts a message whose lock expired before newer ones [RCV-09]', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b');
    bus.receiveOne('orders');
    bus.tickAfter(MINUTE);
    expect(bus.textOf(bus.receiveOne('orders'))).toBe('a');
  });
});

describe('competing receivers', () => {
  it('are served first come, first served: by the age of their credit [RCV-04, CRD-04]', () => {
    const bus = withQueue();
    const [a, b] = [bus.attachReceiver('orders'), bus.attachReceiver('orders')];
    bus.setCredit(a, 1);
    bus.setCredit(b, 2);
    bus.setCredit(a, 3);
    const turn = bus.send('orders', '1', '2', '3', '4', '5');
    expect(sequenceNumbersTo(a, turn)).toEqual([1, 4, 5]);
    expect(sequenceNumbersTo(b, turn)).toEqual([2, 3]);
  });

  it('share one queue in both modes', () => {
    const bus = withQueue();
    const [a, b] = [bus.attachReceiver('orders'), bus.attachReceiver('orders', 'receive-and-delete')];
    bus.setCredit(a, 1);
    bus.setCredit(b, 1);
    const turn = bus.send('orders', '1', '2');
    expect(deliveriesTo(a, turn)[0]?.lockToken).toBeDefined();
    expect(deliveriesTo(b, turn)[0]?.lockToken).toBeUndefined();
  });

  it('get the messages that another one releases [SET-10]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    const held = bus.receiveOne('orders');
    const linkId = bus.attachReceiver('orders');
    bus.setCredit(linkId, 1);
    expect(sequenceNumbersTo(linkId, bus.settle('orders', held, RELEASE))).toEqual([1]);
  });
});

describe('credit', () => {
  it('that is unused stays until messages come [CRD-01]', () => {
    const bus = withQueue();
    const linkId = bus.attachReceiver('orders');
    bus.setCredit(linkId, 2);
    expect(sequenceNumbersTo(linkId, bus.send('orders', 'a'))).toEqual([1]);
    expect(sequenceNumbersTo(linkId, bus.send('orders', 'b', 'c'))).toEqual([2]);
    expect(sequenceNumbersTo(linkId, bus.setCredit(linkId, 3))).toEqual([3]);
  });

  it('may be for 50,000 messages, and all of it is served [LIM-18]', () => {
    const bus = withQueue();
    const linkId = bus.attachReceiver('orders');
    bus.setCredit(linkId, 50_000);
    const batch = Array.from({ length: 4000 }, () => messageOf('x'));
    let deliveredCount = 0;
    for (let i = 0; i < 13; i++) {
      const turns = [bus.send('orders', ...batch)]; // which fills a turn
      for (let turn = 0; turn < 20; turn++) turns.push(bus.tickAfter(1));
      deliveredCount += turns.flatMap((turn) => deliveriesTo(linkId, turn)).length;
    }
    expect(deliveredCount).toBe(50_000);
  });

  it('is a total since the receiver attached: repeating it grants nothing [CRD-01]', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b');
    const linkId = bus.attachReceiver('orders');
    bus.setCredit(linkId, 1);
    expect(bus.setCredit(linkId, 1).effects).toEqual([]);
  });

  it('can be taken back, the youngest first', () => {
    const bus = withQueue();
    const [a, b] = [bus.attachReceiver('orders'), bus.attachReceiver('orders')];
    bus.setCredit(a, 1);
    bus.setCredit(b, 1);
    bus.setCredit(a, 3);
    bus.setCredit(a, 1);
    const turn = bus.send('orders', '1', '2', '3');
    expect(sequenceNumbersTo(a, turn)).toEqual([1]);
    expect(sequenceNumbersTo(b, turn)).toEqual([2]);
  });

  it('below the number already delivered means none', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b', 'c');
    const linkId = bus.attachReceiver('orders');
    bus.setCredit(linkId, 2);
    expect(bus.setCredit(linkId, 1).effects).toEqual([]);
    expect(sequenceNumbersTo(linkId, bus.setCredit(linkId, 3))).toEqual([3]);
  });

  it('ends with its receiver', () => {
    const bus = withQueue();
    const linkId = bus.attachReceiver('orders');
    bus.setCredit(linkId, 1);
    bus.execute({ kind: 'detach', linkId });
    expect(bus.send('orders', 'a').effects).toEqual([]);
    expect(bus.receive('orders')).toHaveLength(1);
  });

  it('for a detached receiver is ignored', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    expect(bus.setCredit(99, 1)).toEqual({ result: { kind: 'done' }, events: [], effects: [] });
  });
});

describe('drain', () => {
  it('delivers available messages, then discards the remaining credit [CRD-02]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    const linkId = bus.attachReceiver('orders');
    const turn = bus.setCredit(linkId, 5, { drain: true });
    expect(effectKinds(turn)).toEqual(['deliver', 'drained']);
    expect(turn.effects.at(-1)).toEqual({ kind: 'drained', linkId, deliveredCount: 5 });
    expect(bus.send('orders', 'b').effects).toEqual([]);
  });

  it('is answered even when no credit is left [CRD-02]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    const linkId = bus.attachReceiver('orders');
    bus.setCredit(linkId, 1);
    expect(bus.setCredit(linkId, 1, { drain: true }).effects).toEqual([
      { kind: 'drained', linkId, deliveredCount: 1 },
    ]);
  });

  it('locks nothing when there is nothing to deliver [CRD-02, DLV-02]', () => {
    const bus = withQueue();
    const linkId = bus.attachReceiver('orders');
    bus.setCredit(linkId, 3, { drain: true });
    bus.send('orders', 'a');
    expect(bus.receiveOne('orders').properties.deliveryCount).toBe(0);
  });

  it('counts as if the credit had been used: later limits go on from there [CRD-02]', () => {
    const bus = withQueue();
    const linkId = bus.attachReceiver('orders');
    bus.setCredit(linkId, 5, { drain: true });
    bus.setCredit(linkId, 7);
    expect(sequenceNumbersTo(linkId, bus.send('orders', 'a', 'b', 'c'))).toEqual([1, 2]);
  });

  it('leaves other receivers their credit', () => {
    const bus = withQueue();
    const [a, b] = [bus.attachReceiver('orders'), bus.attachReceiver('orders')];
    bus.setCredit(a, 1);
    bus.setCredit(b, 1);
    bus.setCredit(a, 1, { drain: true });
    expect(sequenceNumbersTo(b, bus.send('orders', 'x'))).toEqual([1]);
  });
});

describe('a receiver that detaches', () => {
  it('leaves its locks running, and its messages can still be settled [LNK-01, SET-08, M20]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    const linkId = bus.attachReceiver('orders');
    const [delivery] = deliveriesTo(linkId, bus.setCredit(linkId, 1));
    bus.execute({ kind: 'detach', linkId });
    expect(bus.receive('orders')).toEqual([]);
    const { result } = bus.settle('orders', { lockToken: delivery?.lockToken ?? '' }, COMPLETE);
    expect(result).toEqual({ kind: 'done' });
  });

  it('does not raise the count; the end of the lock does [DLV-02, DLV-04, M20]', () => {
    const bus = withQueue();
    bus.send('orders', 'a');
    const linkId = bus.attachReceiver('orders');
    bus.setCredit(linkId, 1);
    expect(bus.execute({ kind: 'detach', linkId }).events).toEqual([]);
    bus.tickAfter(MINUTE);
    expect(bus.receiveOne('orders').properties.deliveryCount).toBe(1);
  });

  it('may detach twice', () => {
    const bus = withQueue();
    const linkId = bus.attachReceiver('orders');
    bus.execute({ kind: 'detach', linkId });
    expect(bus.execute({ kind: 'detach', linkId }).result).toEqual({ kind: 'done' });
  });
});
