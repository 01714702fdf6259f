// Which links may be attached to which entity, and how entities are found.

import { describe, expect, it } from 'vitest';
import { BrokerUnderTest, failureOf, withQueue } from '../../support/broker-builders.js';

const DEAD_LETTERS = 'orders/$DeadLetterQueue';
const TRANSFER_DEAD_LETTERS = 'orders/$Transfer/$DeadLetterQueue';

function attachSender(bus: BrokerUnderTest, entityPath: string) {
  return bus.execute({ kind: 'attach-sender', linkId: bus.nextLinkId(), entityPath });
}

function attachReceiver(bus: BrokerUnderTest, entityPath: string) {
  return bus.execute({
    kind: 'attach-receiver',
    linkId: bus.nextLinkId(),
    entityPath,
    receiveMode: 'peek-lock',
  });
}

describe('attaching', () => {
  it.each([
    { path: 'orders', found: 'orders' },
    { path: 'OrDeRs', found: 'orders' },
  ])('a sender to $path finds the queue and learns the largest message [ENT-02]', ({ path, found }) => {
    expect(attachSender(withQueue(), path).result).toEqual({
      kind: 'entity',
      path: found,
      isTopic: false,
      maxMessageSizeBytes: 262_144,
      maxBatchSizeBytes: 262_144,
    });
  });

  it.each([
    { path: 'ORDERS', found: 'orders' },
    { path: 'ORDERS/$DEADLETTERQUEUE', found: DEAD_LETTERS },
    { path: 'orders/$deadletterqueue', found: DEAD_LETTERS },
    { path: 'ORDERS/$transfer/$deadletterqueue', found: TRANSFER_DEAD_LETTERS },
  ])('a receiver to $path finds $found [ENT-02, DLQ-01, DLQ-02]', ({ path, found }) => {
    expect(attachReceiver(withQueue(), path).result).toMatchObject({ kind: 'entity', path: found });
  });

  it.each([
    'nowhere',
    'nowhere/$DeadLetterQueue',
    'nowhere/$Transfer/$DeadLetterQueue',
    'orders/$Transfer',
    '',
  ])('to %j fails: the entity does not exist [SND-08, ERR-04]', (path) => {
    const message = `The messaging entity '${path}' could not be found.`;
    for (const turn of [attachSender(withQueue(), path), attachReceiver(withQueue(), path)]) {
      expect(failureOf(turn)).toEqual({ reason: 'entity-not-found', message });
      expect(turn.result).toMatchObject({ error: { entityPath: path } });
    }
  });

  it.each([DEAD_LETTERS, TRANSFER_DEAD_LETTERS])('a sender to %s is refused [SND-09]', (path) => {
    expect(failureOf(attachSender(withQueue(), path))?.reason).toBe('not-allowed');
  });

  it('a transfer dead-letter queue is empty, and is neither forwarded nor held by sessions [DLQ-02]', () => {
    const bus = new BrokerUnderTest();
    bus.putQueue('elsewhere');
    bus.putQueue('orders', { requiresSession: true, forwardDeadLetteredMessagesTo: 'elsewhere' });
    expect(bus.peek(TRANSFER_DEAD_LETTERS)).toEqual([]);
    const linkId = bus.attachReceiver(TRANSFER_DEAD_LETTERS);
    expect(bus.setCredit(linkId, 5, { drain: true }).effects).toEqual([
      { kind: 'drained', linkId, deliveredCount: 5 },
    ]);
    const { effects } = bus.execute({ kind: 'delete-entity', entityPath: 'orders' });
    expect(effects).toMatchObject([{ kind: 'detach', linkId, error: { reason: 'entity-not-found' } }]);
  });

  it('a receiver without a session to a queue that requires them is refused [RCV-10]', () => {
    const bus = withQueue({ requiresSession: true });
    expect(failureOf(attachReceiver(bus, 'orders'))).toEqual({
      reason: 'not-allowed',
      message:
        'It is not possible for an entity that requires sessions to create a non-sessionful message receiver. Accept a session, by its id or the next one.',
    });
    expect(attachReceiver(bus, DEAD_LETTERS).result.kind).toBe('entity');
  });

  it.each([
    { status: 'Active', canSend: true, canReceive: true },
    { status: 'Disabled', canSend: false, canReceive: false },
    { status: 'SendDisabled', canSend: false, canReceive: true },
    { status: 'ReceiveDisabled', canSend: true, canReceive: false },
  ] as const)(
    'to a queue that is $status, as the status says [ENT-06, ENT-07, DLQ-11]',
    ({ status, canSend, canReceive }) => {
      const bus = withQueue({ status });
      const reasonOf = (allowed: boolean) => (allowed ? undefined : 'entity-disabled');
      expect(failureOf(attachSender(bus, 'orders'))?.reason).toBe(reasonOf(canSend));
      expect(failureOf(attachReceiver(bus, 'orders'))?.reason).toBe(reasonOf(canReceive));
      expect(failureOf(attachReceiver(bus, DEAD_LETTERS))?.reason).toBe(reasonOf(canReceive));
    },
  );

  it("with a link id that is in use is a fault of the engine, not a client's mistake", () => {
    const bus = withQueue();
    const linkId = bus.attachReceiver('orders');
    expect(() => bus.execute({ kind: 'attach-sender', linkId, entityPath: 'orders' })).toThrow('link id');
  });
});

describe('finding an entity', () => {
  it('works for any status and kind', () => {
    const bus = withQueue({ status: 'Disabled', requiresSession: true });
    expect(bus.execute({ kind: 'find-entity', entityPath: 'ORDERS' }).result).toEqual({
      kind: 'entity',
      path: 'orders',
      isTopic: false,
      maxMessageSizeBytes: 262_144,
      maxBatchSizeBytes: 262_144,
    });
  });

  it('fails for an unknown path [ENT-04]', () => {
    const turn = new BrokerUnderTest().execute({ kind: 'find-entity', entityPath: 'nowhere' });
    expect(failureOf(turn)?.reason).toBe('entity-not-found');
  });
});
