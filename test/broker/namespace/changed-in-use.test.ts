// Topics and subscriptions that are changed or deleted while links and locks are there; of queues see put-queue.

import { describe, expect, it } from 'vitest';
import { describeTopic } from '../../../src/broker/contract/entities/topic-description.js';
import {
  type BrokerUnderTest,
  COMPLETE,
  failureOf,
  START,
  withQueue,
} from '../../support/broker-builders.js';
import { detachedIn } from '../../support/session-builders.js';
import {
  pathOf,
  publish,
  subscribe,
  TOPIC,
  trySubscribe,
  withSubscriptions,
  withTopic,
} from '../../support/topic-builders.js';

const SECOND = 1000;

function attachSender(bus: BrokerUnderTest): number {
  const linkId = bus.nextLinkId();
  bus.execute({ kind: 'attach-sender', linkId, entityPath: TOPIC });
  return linkId;
}

describe('a subscription that is changed', () => {
  it('keeps its locks for their duration, and new locks have the new one [ENT-09]', () => {
    const bus = withTopic();
    subscribe(bus, 'one', { lockDurationMs: 10 * SECOND });
    publish(bus, {}, {});
    const held = bus.receiveOne(pathOf('one'));
    trySubscribe(bus, 'one', { lockDurationMs: 30 * SECOND });
    const next = bus.receiveOne(pathOf('one'));
    expect([held.lockedUntil, next.lockedUntil]).toEqual([START + 10 * SECOND, START + 30 * SECOND]);
    expect(bus.settle(pathOf('one'), held, COMPLETE).result).toEqual({ kind: 'done' });
    expect(bus.broker.nextDeadline()).toBe(START + 30 * SECOND);
  });

  it.each(['Disabled', 'ReceiveDisabled'] as const)(
    'to %s loses its receivers; its topic keeps its senders and other receivers [ENT-07]',
    (status) => {
      const bus = withSubscriptions('one', 'two');
      attachSender(bus);
      const linkId = bus.attachReceiver(pathOf('one'));
      bus.attachReceiver(pathOf('two'));
      const turn = trySubscribe(bus, 'one', { status });
      expect(detachedIn(turn)).toEqual([{ linkId, reason: 'entity-disabled' }]);
    },
  );

  it('cannot come to require sessions: its receivers and messages stay [ENT-10, SES-01]', () => {
    const bus = withSubscriptions('one');
    publish(bus, {});
    const linkId = bus.attachReceiver(pathOf('one'));
    const turn = trySubscribe(bus, 'one', { requiresSession: true });
    expect(failureOf(turn)?.message).toMatch(
      /^The value for the RequiresSession property .* requiresSession of 'events\/Subscriptions\/one' is false/,
    );
    expect(turn.effects).toEqual([]);
    expect(bus.setCredit(linkId, 1).effects).toHaveLength(1);
  });
});

describe('a topic that is changed', () => {
  it.each(['Disabled', 'SendDisabled'] as const)(
    'to %s loses its senders; its subscriptions are received from as before [ENT-07]',
    (status) => {
      const bus = withSubscriptions('one');
      const linkId = attachSender(bus);
      bus.attachReceiver(pathOf('one'));
      const turn = bus.execute({
        kind: 'put-entity',
        type: 'topic',
        description: describeTopic(TOPIC, { status }),
      });
      expect(detachedIn(turn)).toEqual([{ linkId, reason: 'entity-disabled' }]);
    },
  );
});

describe('a subscription that is deleted', () => {
  it('loses its links, and its locks with them [ENT-04, ENT-05]', () => {
    const bus = withSubscriptions('one', 'two');
    publish(bus, {});
    const held = bus.receiveOne(pathOf('one'));
    attachSender(bus);
    const receivers = [
      bus.attachReceiver(pathOf('one')),
      bus.attachReceiver(`${pathOf('one')}/$DeadLetterQueue`),
    ];
    const turn = bus.execute({ kind: 'delete-entity', entityPath: pathOf('one') });
    expect(detachedIn(turn)).toEqual(receivers.map((linkId) => ({ linkId, reason: 'entity-not-found' })));
    subscribe(bus, 'one');
    expect(failureOf(bus.settle(pathOf('one'), held, COMPLETE))?.reason).toBe('message-lock-lost');
  });

  it.each([pathOf('nothing'), 'nowhere/Subscriptions/one', 'nowhere', `${pathOf('one')}/$DeadLetterQueue`])(
    'must exist, like any entity that is to be deleted: %s [ENT-04]',
    (entityPath) => {
      const turn = withSubscriptions('one').execute({ kind: 'delete-entity', entityPath });
      expect(failureOf(turn)?.reason).toBe('entity-not-found');
      expect(turn.events).toEqual([]);
    },
  );
});

describe('a queue', () => {
  it('serves any number of receivers: 5,001 wait, and each gets a message [LIM-07]', () => {
    const bus = withQueue();
    const links = Array.from({ length: 5001 }, () => bus.attachReceiver('orders', 'receive-and-delete'));
    for (const linkId of links) bus.setCredit(linkId, 1);
    const texts = links.map(String);
    const turns = [0, 500, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500, 5000].flatMap((from) => [
      bus.send('orders', ...texts.slice(from, from + 500)), // which fills a turn
      bus.tickAfter(1),
      bus.tickAfter(1),
      bus.tickAfter(1),
    ]);
    const served = turns.flatMap(({ effects }) => effects.map(({ linkId }) => linkId));
    expect(served).toEqual(links);
  });
});
