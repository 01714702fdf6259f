// The broker's activities: one record for each thing that happens in a turn, in order, and none while nothing listens.

import { afterAll, describe, expect, it } from 'vitest';
import type { Turn } from '../../src/broker/broker.js';
import type { Activity } from '../../src/broker/contract/activity.js';
import type { MessageAction } from '../../src/broker/contract/management.js';
import {
  ABANDON,
  type BrokerUnderTest,
  COMPLETE,
  DEFER,
  messageOf,
  RELEASE,
  withQueue,
} from '../support/broker-builders.js';
import {
  accept,
  CONNECTION,
  claimOf,
  detach,
  messageIn,
  renewSession,
  setState,
  withSessionQueue,
} from '../support/session-builders.js';
import {
  addRule,
  event,
  publish,
  removeRule,
  sqlRule,
  trySubscribe,
  withTopic,
} from '../support/topic-builders.js';
import { transfer, withFull } from '../support/transfer-builders.js';

const MINUTE = 60_000;
const seen = new Set<Activity['kind']>();

function listening(bus: BrokerUnderTest): BrokerUnderTest {
  bus.broker.recordsActivities = true;
  return bus;
}

/** The activities of a turn, in short. */
function said(...turns: Turn[]): readonly Activity[] {
  const all = turns.flatMap(({ activities }) => activities?.all ?? []);
  for (const { kind } of all) seen.add(kind);
  return all;
}

function kindsIn(...turns: Turn[]): readonly Activity['kind'][] {
  return said(...turns).map(({ kind }) => kind);
}

describe('a message of a queue', () => {
  it('tells its numbers when it is enqueued, locked and completed', () => {
    const bus = listening(withQueue());
    expect(said(bus.send('orders', messageOf('a', { messageId: 'm1' })))).toEqual([
      {
        kind: 'enqueued',
        path: 'orders',
        sequenceNumber: 1,
        messageId: 'm1',
        correlationId: undefined,
        sessionId: undefined,
        sizeBytes: 1,
        content: new TextEncoder().encode('a'),
      },
    ]);
    const linkId = bus.attachReceiver('orders');
    const [locked] = said(bus.setCredit(linkId, 1));
    expect(locked).toMatchObject({
      kind: 'locked',
      path: 'orders',
      sequenceNumber: 1,
      linkId,
      deliveryCount: 0,
    });
    const lockToken = locked?.kind === 'locked' ? locked.lockToken : '';
    bus.passTime(20);
    expect(said(bus.settle('orders', { lockToken }, COMPLETE))).toEqual([
      { kind: 'completed', path: 'orders', sequenceNumber: 1, linkId, heldMs: 20 },
    ]);
  });

  it('tells its count when it is abandoned, and the reason of its last abandon when it is dead-lettered', () => {
    const bus = listening(withQueue({ maxDeliveryCount: 1 }));
    bus.send('orders', 'a');
    const held = bus.receiveOne('orders');
    bus.passTime(13);
    expect(said(bus.settle('orders', held, ABANDON))).toMatchObject([
      { kind: 'abandoned', heldMs: 13, deliveryCount: 1, maxDeliveryCount: 1 },
      { kind: 'dead-lettered', path: 'orders', sequenceNumber: 1, reason: 'MaxDeliveryCountExceeded' },
    ]);
  });

  it('is dead-lettered with the reason that the client gave, as text', () => {
    const bus = listening(withQueue());
    bus.send('orders', 'a');
    const changes = [{ name: 'DeadLetterReason', value: new TextEncoder().encode('"unreadable"') }];
    const turn = bus.settle('orders', bus.receiveOne('orders'), { kind: 'dead-letter', changes });
    expect(said(turn)).toMatchObject([
      { kind: 'dead-lettered', reason: 'unreadable', description: undefined, outcome: 'dead-letter' },
    ]);
  });

  it('has a lock that is renewed, released and expires', () => {
    const bus = listening(withQueue({ lockDurationMs: MINUTE }));
    bus.send('orders', 'a');
    const held = bus.receiveOne('orders');
    expect(said(bus.renew('orders', held.lockToken))).toMatchObject([
      { kind: 'renewed', lockToken: held.lockToken, lockedUntil: bus.now + MINUTE },
    ]);
    expect(kindsIn(bus.settle('orders', held, RELEASE))).toEqual(['released']);
    bus.receiveOne('orders');
    expect(said(bus.tickAfter(MINUTE))).toMatchObject([
      { kind: 'lock-expired', heldMs: MINUTE, deliveryCount: 1 },
    ]);
  });

  it('is deferred and then consumed by its number', () => {
    const bus = listening(withQueue());
    bus.send('orders', 'a');
    expect(kindsIn(bus.settle('orders', bus.receiveOne('orders'), DEFER))).toEqual(['deferred']);
    const turn = bus.execute({
      kind: 'receive-deferred',
      entityPath: 'orders',
      sequenceNumbers: [1],
      receiveMode: 'receive-and-delete',
    });
    expect(said(turn)).toEqual([{ kind: 'consumed', path: 'orders', sequenceNumber: 1, linkId: undefined }]);
  });

  it('is scheduled, activated under a new number, or cancelled', () => {
    const bus = listening(withQueue());
    const enqueueAt = bus.now + MINUTE;
    const later = messageOf('a', { scheduledEnqueueTime: enqueueAt });
    expect(said(bus.send('orders', later, later))).toMatchObject([
      { kind: 'scheduled', sequenceNumber: 1, enqueueAt },
      { kind: 'scheduled', sequenceNumber: 2 },
    ]);
    expect(said(bus.cancelScheduled('orders', 2))).toEqual([
      { kind: 'cancelled', path: 'orders', sequenceNumber: 2 },
    ]);
    expect(said(bus.tickAfter(MINUTE))).toEqual([
      { kind: 'activated', path: 'orders', sequenceNumber: 3, scheduledNumber: 1 },
    ]);
  });

  it('tells its correlation id, which is read only while something listens', () => {
    const bus = withQueue({ requiresDuplicateDetection: true });
    const message = messageOf('a', { correlationIdOffset: 9 });
    bus.send('orders', message);
    expect(bus.reader.correlationReadCount).toBe(0);
    listening(bus);
    const later = messageOf('b', { correlationIdOffset: 7, scheduledEnqueueTime: bus.now + MINUTE });
    expect(said(bus.send('orders', message, later, messageOf('c')))).toMatchObject([
      { kind: 'duplicate', messageId: 'a', correlationId: 'at 9' },
      { kind: 'scheduled', messageId: 'b', correlationId: 'at 7' },
      { kind: 'enqueued', messageId: 'c', correlationId: undefined },
    ]);
  });

  it('expires, is a duplicate, or is deleted', () => {
    const bus = listening(
      withQueue({ requiresDuplicateDetection: true, deadLetteringOnMessageExpiration: true }),
    );
    bus.attachReceiver('orders');
    const turn = bus.send('orders', messageOf('a', { timeToLiveMs: 5 }), 'b', 'b');
    expect(kindsIn(turn)).toEqual(['enqueued', 'enqueued', 'duplicate']);
    expect(said(bus.tickAfter(5))).toMatchObject([
      { kind: 'expired', sequenceNumber: 1 },
      { kind: 'dead-lettered', sequenceNumber: 1, reason: 'TTLExpiredException' },
    ]);
    bus.passTime(1);
    expect(said(bus.deleteMessages('orders', 10))).toEqual([
      { kind: 'deleted', path: 'orders', sequenceNumber: 2 },
    ]);
    expect(said(bus.execute({ kind: 'reset' }))).toEqual([
      { kind: 'purged', path: 'orders/$DeadLetterQueue', messageCount: 1 },
    ]);
  });
});

describe('a message of a topic', () => {
  it('is accepted, routed by the rule that matched, or matched by none', () => {
    const bus = listening(withTopic());
    expect(said(trySubscribe(bus, 'red'))).toMatchObject([
      { kind: 'entity-created', entity: 'subscription', path: 'events/Subscriptions/red' },
      { kind: 'entity-created', entity: 'rule', path: 'events/Subscriptions/red/Rules/$Default' },
    ]);
    expect(
      kindsIn(removeRule(bus, 'red', '$Default'), addRule(bus, 'red', sqlRule('isRed', "sys.Label = 'red'"))),
    ).toEqual(['entity-deleted', 'entity-created']);
    expect(said(publish(bus, event({ subject: 'red' })))).toMatchObject([
      { kind: 'accepted', path: 'events', sequenceNumber: 1 },
      { kind: 'routed', path: 'events/Subscriptions/red', rule: 'isRed', acceptedNumber: 1 },
    ]);
    expect(said(publish(bus, event({ subject: 'blue' })))).toMatchObject([
      { kind: 'accepted', sequenceNumber: 2 },
      { kind: 'unmatched', path: 'events', sequenceNumber: 2 },
    ]);
  });
});

describe('forwarding', () => {
  it('names the entity that a message went to', () => {
    const bus = listening(withQueue());
    bus.putQueue('inbox', { forwardTo: 'orders' });
    expect(said(bus.send('inbox', 'a'))).toMatchObject([
      { kind: 'enqueued', path: 'inbox' },
      { kind: 'forwarded', path: 'inbox', sequenceNumber: 1, destination: 'orders' },
      { kind: 'enqueued', path: 'orders' },
    ]);
  });

  it('says what waits for a full destination', () => {
    const bus = listening(withFull());
    expect(said(transfer(bus, ['a']))).toMatchObject([{ kind: 'transfer-waiting', destination: 'there' }]);
  });
});

describe('sessions', () => {
  it('are accepted, renewed, given a state, lost and released', () => {
    const bus = listening(withSessionQueue({ lockDurationMs: MINUTE }));
    bus.send('orders', messageIn('s'));
    const linkId = bus.nextLinkId();
    const turn = bus.execute({
      kind: 'accept-session',
      linkId,
      connectionId: CONNECTION,
      entityPath: 'orders',
      receiveMode: 'peek-lock',
      sessionId: 's',
    });
    expect(said(turn)).toMatchObject([{ kind: 'session-accepted', path: 'orders', sessionId: 's', linkId }]);
    expect(kindsIn(renewSession(bus, claimOf('s')), setState(bus, 's', 'x'))).toEqual([
      'session-renewed',
      'session-state-set',
    ]);
    bus.setCredit(linkId, 1);
    expect(said(bus.tickAfter(MINUTE))).toMatchObject([
      { kind: 'session-lost', sessionId: 's', linkId },
      { kind: 'lock-expired', linkId },
    ]);
    expect(kindsIn(detach(bus, accept(bus, 's')))).toEqual(['session-released']);
  });
});

describe('transactions', () => {
  const discharge = (bus: BrokerUnderTest, transactionId: number, isFailed: boolean) =>
    bus.execute({ kind: 'discharge', transactionId, connectionId: CONNECTION, isFailed });

  it('are declared, committed and rolled back', () => {
    const bus = listening(withQueue());
    const declare = () => bus.execute({ kind: 'declare-transaction', connectionId: CONNECTION });
    expect(kindsIn(declare(), declare())).toEqual(['transaction-declared', 'transaction-declared']);
    const command = { kind: 'send', entityPath: 'orders', messages: [messageOf('a')] } as const;
    bus.execute({ kind: 'enlist', transactionId: 1, connectionId: CONNECTION, command });
    expect(said(discharge(bus, 1, false))).toMatchObject([
      { kind: 'enqueued' },
      { kind: 'transaction-committed', transactionId: 1, operationCount: 1 },
    ]);
    expect(said(discharge(bus, 2, true))).toEqual([
      { kind: 'transaction-rolled-back', transactionId: 2, operationCount: 0, cause: undefined },
    ]);
  });

  it('end at their roll back, counted, the deliveries that were forgotten or have run out', () => {
    const bus = listening(withQueue({ lockDurationMs: 30_000 }));
    bus.execute({ kind: 'declare-transaction', connectionId: CONNECTION });
    bus.send('orders', 'a', 'b');
    for (const isForgotten of [false, true]) {
      const { lockToken } = bus.receiveOne('orders');
      const command = { kind: 'settle', entityPath: 'orders', lockToken, outcome: COMPLETE } as const;
      const asked = { transactionId: 1, connectionId: CONNECTION, command, isForgotten } as const;
      bus.execute({ kind: 'enlist', ...asked });
      bus.tickAfter(20_000);
    }
    expect(said(discharge(bus, 1, true))).toMatchObject([
      { kind: 'transaction-rolled-back', operationCount: 2 },
      { kind: 'lock-expired', sequenceNumber: 1, heldMs: 40_000, deliveryCount: 1 },
      { kind: 'abandoned', sequenceNumber: 2, heldMs: 20_000, deliveryCount: 1 },
    ]);
  });
});

describe('the records of a turn', () => {
  it('name the change of an entity and its end', () => {
    const bus = listening(withQueue());
    expect(kindsIn(bus.putQueue('orders', { maxDeliveryCount: 3 }))).toEqual(['entity-updated']);
    expect(said(bus.execute({ kind: 'delete-entity', entityPath: 'orders' }))).toEqual([
      { kind: 'entity-deleted', entity: 'queue', path: 'orders' },
    ]);
  });

  it('name the entity and the new number of a message that is moved by hand', () => {
    const bus = listening(withQueue());
    bus.putQueue('other');
    bus.send('other', 'x');
    bus.send('orders', 'a');
    const manage = (entityPath: string, action: MessageAction) =>
      said(
        bus.execute({
          kind: 'manage-messages',
          entityPath,
          action,
          selection: { kind: 'matching', fromSequenceNumber: 0 },
        }),
      );
    expect(manage('orders', { kind: 'dead-letter', reason: 'r' })).toMatchObject([
      { kind: 'dead-lettered', path: 'orders', reason: 'r', description: undefined },
    ]);
    expect(manage('orders/$DeadLetterQueue', { kind: 'resubmit' })).toMatchObject([
      { kind: 'enqueued', path: 'orders', sequenceNumber: 2 },
      { kind: 'resubmitted', path: 'orders/$DeadLetterQueue', sequenceNumber: 1, newNumber: 2 },
    ]);
    expect(manage('orders', { kind: 'move', destination: 'other' })).toMatchObject([
      { kind: 'enqueued', path: 'other', sequenceNumber: 2 },
      { kind: 'moved', path: 'orders', sequenceNumber: 2, destination: 'other', newNumber: 2 },
    ]);
  });

  it('name the command that was refused, and why', () => {
    const bus = listening(withQueue());
    expect(said(bus.settle('orders', { lockToken: '0'.repeat(32) }, COMPLETE))).toMatchObject([
      { kind: 'refused', command: 'settle', path: 'orders', reason: 'message-lock-lost' },
    ]);
  });

  it('distinguish the command from due work before it and deliveries after it', () => {
    const bus = listening(withQueue({ lockDurationMs: MINUTE }));
    bus.send('orders', 'a');
    bus.receiveOne('orders');
    bus.setCredit(bus.attachReceiver('orders'), 2);
    bus.passTime(MINUTE);
    const { activities } = bus.send('orders', 'b');
    expect(activities?.all.map(({ kind }) => kind)).toEqual(['lock-expired', 'locked', 'enqueued', 'locked']);
    expect(activities).toMatchObject({ commandStart: 2, commandEnd: 3 });
  });

  it('are not made while nothing listens', () => {
    expect(withQueue().send('orders', 'a').activities).toBeUndefined();
  });
});

afterAll(() => {
  // A kind that is added to the broker is shown here.
  const unseen = Object.entries(ALL_KINDS).filter(([kind]) => !seen.has(kind as Activity['kind']));
  expect(unseen).toEqual([]);
});

/** The compiler holds this list against the broker's. */
const ALL_KINDS: { readonly [Kind in Activity['kind']]: true } = {
  accepted: true,
  enqueued: true,
  scheduled: true,
  duplicate: true,
  routed: true,
  unmatched: true,
  activated: true,
  locked: true,
  consumed: true,
  renewed: true,
  completed: true,
  abandoned: true,
  'lock-expired': true,
  released: true,
  deferred: true,
  'dead-lettered': true,
  expired: true,
  forwarded: true,
  moved: true,
  resubmitted: true,
  'transfer-waiting': true,
  cancelled: true,
  deleted: true,
  purged: true,
  'session-accepted': true,
  'session-renewed': true,
  'session-lost': true,
  'session-released': true,
  'session-state-set': true,
  'transaction-declared': true,
  'transaction-committed': true,
  'transaction-rolled-back': true,
  'entity-created': true,
  'entity-updated': true,
  'entity-deleted': true,
  refused: true,
};
