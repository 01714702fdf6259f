// Creating queues and changing them while they are in use.

import { describe, expect, it } from 'vitest';
import {
  describeQueue,
  type QueueDescription,
} from '../../../src/broker/contract/entities/queue-description.js';
import { NEVER } from '../../../src/broker/contract/instant.js';
import {
  BrokerUnderTest,
  COMPLETE,
  effectKinds,
  failureOf,
  messageOf,
  START,
  withQueue,
} from '../../support/broker-builders.js';

const MINUTE = 60_000;

describe('putting a queue that does not exist', () => {
  it('creates it, with a store of its own and one for its dead letters [DLQ-01]', () => {
    const bus = new BrokerUnderTest();
    bus.putQueue('orders');
    const turn = bus.putQueue('invoices');
    expect(turn.result).toMatchObject({ kind: 'entity-info', entity: { createdTime: START } });
    expect(turn.events).toEqual([
      {
        kind: 'entity-put',
        entity: {
          type: 'queue',
          description: describeQueue('invoices'),
          createdTime: START,
          updatedTime: START,
          storeId: 3,
          deadLetterStoreId: 4,
        },
      },
    ]);
  });

  it('never uses the store id of an earlier queue again after a restart', () => {
    const turn = withQueue().restarted().putQueue('invoices');
    expect(turn.events).toMatchObject([{ entity: { storeId: 3, deadLetterStoreId: 4 } }]);
  });

  it.each([
    '',
    '/orders',
    'orders/',
    'a//b',
    '.',
    'a/../b',
    'a/...',
    'a b',
    'orders?',
    'orders/$DeadLetterQueue',
    '$orders',
    'x'.repeat(261),
  ])('refuses the name %j [ENT-01]', (name) => {
    const turn = new BrokerUnderTest().putQueue(name);
    expect(failureOf(turn)?.reason).toBe('argument');
    expect(turn.events).toEqual([]);
  });

  it.each(['o', 'team-1/orders.v2_x', 'fault--ns/type--', '-_.~', '.a/~', 'x'.repeat(260)])(
    'accepts the name %j [ENT-01]',
    (name) => {
      const { result } = new BrokerUnderTest().putQueue(name);
      expect(result).toMatchObject({ kind: 'entity-info', entity: { description: { name } } });
    },
  );

  it.each([
    { lockDurationMs: 0 },
    { lockDurationMs: 300_001 },
    { lockDurationMs: Number.NaN },
    { maxDeliveryCount: 1.5 },
    { maxSizeInMegabytes: 0 },
    { maxSizeInMegabytes: 81_921 },
    { maxMessageSizeInKilobytes: 257 },
    { duplicateDetectionHistoryTimeWindowMs: 1000 },
    { autoDeleteOnIdleMs: 60_000 },
    { userMetadata: 'x'.repeat(1025) },
  ])('refuses a value out of its range: %j [ENT-10]', (given) => {
    const failure = failureOf(new BrokerUnderTest().putQueue('orders', given));
    expect(failure?.reason).toBe('argument');
    expect(failure?.message).toContain(Object.keys(given)[0]);
  });

  it('refuses a maximum of deliveries below 1 [DLV-09, ENT-10]', () => {
    const failure = failureOf(new BrokerUnderTest().putQueue('orders', { maxDeliveryCount: 0 }));
    expect(failure?.message).toContain('maxDeliveryCount');
    expect(failureOf(new BrokerUnderTest().putQueue('orders', { maxDeliveryCount: 1 }))).toBeUndefined();
  });

  it('refuses a default time to live of less than a second [TTL-13, ENT-10]', () => {
    const failure = failureOf(new BrokerUnderTest().putQueue('orders', { defaultMessageTimeToLiveMs: 999 }));
    expect(failure?.message).toContain('defaultMessageTimeToLiveMs');
    expect(
      failureOf(new BrokerUnderTest().putQueue('orders', { defaultMessageTimeToLiveMs: 1000 })),
    ).toBeUndefined();
  });

  it.each([
    { lockDurationMs: 1 },
    { lockDurationMs: 300_000 },
    { maxDeliveryCount: 2_147_483_647 },
    { maxSizeInMegabytes: 1 },
    { maxSizeInMegabytes: 81_920 },
    { maxMessageSizeInKilobytes: 256 },
    { defaultMessageTimeToLiveMs: NEVER },
    { autoDeleteOnIdleMs: 300_000 },
    { autoDeleteOnIdleMs: NEVER },
    { userMetadata: 'x'.repeat(1024) },
  ])('accepts a value at the limit of its range: %j [ENT-10]', (given) => {
    const { result } = new BrokerUnderTest().putQueue('orders', given);
    expect(result).toMatchObject({ kind: 'entity-info', entity: { description: given } });
  });

  it("has Azure's defaults for properties that are left out [ENT-10, DUP-03]", () => {
    const bus = withQueue();
    expect(bus.queueInfo('orders').description).toEqual({
      name: 'orders',
      lockDurationMs: MINUTE,
      maxDeliveryCount: 10,
      maxSizeInMegabytes: 1024,
      maxMessageSizeInKilobytes: undefined,
      requiresSession: false,
      requiresDuplicateDetection: false,
      duplicateDetectionHistoryTimeWindowMs: 10 * MINUTE,
      defaultMessageTimeToLiveMs: NEVER,
      deadLetteringOnMessageExpiration: false,
      enableBatchedOperations: true,
      enablePartitioning: false,
      enableExpress: false,
      status: 'Active',
      autoDeleteOnIdleMs: NEVER,
      forwardTo: undefined,
      forwardDeadLetteredMessagesTo: undefined,
      userMetadata: undefined,
      authorizationRules: [],
      otherProperties: undefined,
    });
  });

  it.each([
    'lockDurationMs',
    'maxDeliveryCount',
    'maxSizeInMegabytes',
    'duplicateDetectionHistoryTimeWindowMs',
    'defaultMessageTimeToLiveMs',
    'autoDeleteOnIdleMs',
  ])('refuses a description without %s', (field) => {
    const description = { ...describeQueue('orders'), [field]: undefined } as QueueDescription;
    const failure = failureOf(
      new BrokerUnderTest().execute({ kind: 'put-entity', type: 'queue', description }),
    );
    expect(failure?.reason).toBe('argument');
    expect(failure?.message).toContain(`${field} of queue 'orders' is undefined`);
  });
});

describe('putting a queue that exists', () => {
  it('changes its description and keeps its messages and locks [ENT-09]', () => {
    const bus = withQueue();
    bus.send('orders', 'a', 'b');
    const held = bus.receiveOne('orders');
    bus.passTime(1000);
    const turn = bus.putQueue('orders', { maxDeliveryCount: 3 });
    expect(turn.events).toEqual([
      {
        kind: 'entity-put',
        entity: {
          type: 'queue',
          description: describeQueue('orders', { maxDeliveryCount: 3 }),
          createdTime: START,
          updatedTime: START + 1000,
          storeId: 1,
          deadLetterStoreId: 2,
        },
      },
    ]);
    expect(bus.settle('orders', held, COMPLETE).result).toEqual({ kind: 'done' });
    expect(bus.textOf(bus.receiveOne('orders'))).toBe('b');
  });

  it('does nothing when nothing is different', () => {
    const bus = withQueue({ maxDeliveryCount: 3 });
    bus.passTime(MINUTE);
    expect(bus.putQueue('ORDERS', { maxDeliveryCount: 3 })).toEqual({
      result: { kind: 'entity-info', entity: expect.objectContaining({ updatedTime: START }) },
      events: [],
      effects: [],
    });
  });

  it('finds it in any case, and shows its name in lower case [ENT-02]', () => {
    const bus = new BrokerUnderTest();
    bus.putQueue('Orders');
    bus.send('orders', 'a');
    bus.putQueue('ORDERS', { maxDeliveryCount: 3 });
    const { result } = bus.execute({ kind: 'find-entity', entityPath: 'Orders' });
    expect(result).toMatchObject({ path: 'orders' });
    expect(bus.receive('oRdErS')).toHaveLength(1);
  });

  it.each([{ requiresSession: true }, { enablePartitioning: true }, { requiresDuplicateDetection: true }])(
    'refuses to change a property that is fixed at creation: %j [ENT-10, DUP-01, PRT-01]',
    (given) => {
      const bus = withQueue();
      const turn = bus.putQueue('orders', { ...given, maxDeliveryCount: 3 });
      expect(failureOf(turn)?.reason).toBe('not-allowed');
      expect(turn.events).toEqual([]);
    },
  );

  it('comes back after a restart as it was last put', () => {
    const bus = withQueue();
    bus.putQueue('orders', { maxMessageSizeInKilobytes: 64 });
    const { result } = bus.restarted().execute({ kind: 'find-entity', entityPath: 'orders' });
    expect(result).toMatchObject({ maxMessageSizeBytes: 64 * 1024 });
  });
});

describe('disabling a queue', () => {
  function withLinks() {
    const bus = withQueue();
    const senderId = bus.nextLinkId();
    bus.execute({ kind: 'attach-sender', linkId: senderId, entityPath: 'orders' });
    const receiverId = bus.attachReceiver('orders');
    const deadLetterReceiverId = bus.attachReceiver('orders/$DeadLetterQueue');
    for (const linkId of [receiverId, deadLetterReceiverId]) bus.setCredit(linkId, 1);
    return { bus, senderId, receiverId, deadLetterReceiverId };
  }

  it('detaches its links [ENT-07]', () => {
    const { bus, senderId, receiverId, deadLetterReceiverId } = withLinks();
    const { effects } = bus.putQueue('orders', { status: 'Disabled' });
    expect(effects).toMatchObject(
      [senderId, receiverId, deadLetterReceiverId].map((linkId) => ({
        kind: 'detach',
        linkId,
        error: { reason: 'entity-disabled' },
      })),
    );
  });

  it('for sending leaves the receivers attached [ENT-06]', () => {
    const { bus, senderId } = withLinks();
    const { effects } = bus.putQueue('orders', { status: 'SendDisabled' });
    expect(effects).toMatchObject([{ kind: 'detach', linkId: senderId }]);
  });

  it('for receiving leaves the senders attached, and messages wait [ENT-06, DLQ-11]', () => {
    const { bus, receiverId, deadLetterReceiverId } = withLinks();
    const { effects } = bus.putQueue('orders', { status: 'ReceiveDisabled' });
    expect(effects).toMatchObject([
      { kind: 'detach', linkId: receiverId },
      { kind: 'detach', linkId: deadLetterReceiverId },
    ]);
    expect(effectKinds(bus.send('orders', messageOf('a')))).toEqual([]);
    bus.putQueue('orders', { status: 'Active' });
    expect(bus.receive('orders')).toHaveLength(1);
  });

  it('leaves the links of other queues alone', () => {
    const { bus } = withLinks();
    bus.putQueue('invoices');
    bus.attachReceiver('invoices');
    expect(bus.putQueue('invoices', { status: 'Disabled' }).effects).toHaveLength(1);
  });
});
