// Messages sent through one entity to another: they show there alone, at once or when there is room again.

import { describe, expect, it } from 'vitest';
import type { Turn } from '../../../src/broker/broker.js';
import {
  failureOf,
  messageOf,
  messageOfSize,
  START,
  sequenceNumbersTo,
} from '../../support/broker-builders.js';
import { contentOf } from '../../support/json-reader.js';
import { event, publish, subscribe, succeed, withTopic } from '../../support/topic-builders.js';
import {
  countsOf,
  drain,
  FAILED,
  textsIn,
  transfer,
  withFull,
  withVia,
} from '../../support/transfer-builders.js';

const SECOND = 1000;

describe('a transfer', () => {
  it('is refused where the entity it goes through is disabled [ENT-07]', () => {
    const bus = withVia({ via: { status: 'SendDisabled' } });
    expect(transfer(bus, ['a']).result).toMatchObject({ error: { reason: 'entity-disabled' } });
  });

  it('is at its destination in the same turn, as if it were sent there, and leaves no trace on its way [TXN-10]', () => {
    const bus = withVia({ there: { defaultMessageTimeToLiveMs: 5 * SECOND } });
    const turn = transfer(bus, ['one', 'two'], { to: 'THERE' });
    expect(turn.result).toEqual({ kind: 'sent', sequenceNumbers: [1, 2] });
    expect(bus.peek('via')).toEqual([]);
    expect(countsOf(bus)).toEqual({ waiting: 0, failed: 0 });
    expect(bus.restarted().receiveOne('there').properties).toEqual(
      expect.objectContaining({
        enqueuedTime: START,
        expiresAt: START + 5 * SECOND,
        enqueuedSequenceNumber: undefined,
      }),
    );
    expect(bus.send('via', 'own').result).toEqual({ kind: 'sent', sequenceNumbers: [1] });
  });

  it('to a topic reaches its subscriptions, and one through a subscription goes through its topic [TXN-10]', () => {
    const bus = withTopic();
    const path = subscribe(bus, 'mine');
    for (const name of ['via', 'closed']) bus.putQueue(name);
    succeed(transfer(bus, [messageOf('{"messageId":"a"}')], { to: 'events' }));
    expect(bus.peek(path)).toHaveLength(1);
    transfer(bus, ['b'], { through: path, to: 'closed' });
    expect(textsIn(bus, 'closed')).toEqual(['b']);
    bus.putQueue('closed', { status: 'Disabled' });
    transfer(bus, ['c'], { through: path, to: 'closed' });
    expect(textsIn(bus, `events${FAILED}`)).toEqual(['c']);
    expect(textsIn(bus, `${path}${FAILED}`)).toEqual([]);
  });

  it.each([
    ['an entity that is not there', 'nowhere', 'entity-not-found'],
    ['a dead-letter queue', 'there/$DeadLetterQueue', 'not-allowed'],
    ['a subscription', 'events/Subscriptions/mine', 'not-allowed'],
  ])('to %s is refused [TXN-11]', (_, to, reason) => {
    const bus = withTopic();
    subscribe(bus, 'mine');
    for (const name of ['via', 'there']) bus.putQueue(name);
    expect(failureOf(transfer(bus, ['a'], { to }))?.reason).toBe(reason);
    expect(failureOf(transfer(bus, ['a'], { through: 'nowhere', to: 'there' }))?.reason).toBe(
      'entity-not-found',
    );
  });

  it('of messages that the destination never takes is refused, and none of them is kept [TXN-11, SND-11]', () => {
    const bus = withFull({ there: { requiresSession: true } });
    const turn = transfer(bus, [messageOf('a', { sessionId: 's' }), 'b']);
    expect(failureOf(turn)?.message).toMatch(/^The SessionId was not set/);
    expect(turn.events).toEqual([]);
    const tooLarge = transfer(withVia(), [messageOfSize(2 ** 20 + 1)]);
    expect(failureOf(tooLarge)?.reason).toBe('message-size-exceeded');
  });

  it('is refused as a batch with two keys if its destination is partitioned [PRT-06]', () => {
    const bus = withVia({ there: { enablePartitioning: true } });
    const messages = ['a', 'b'].map((partitionKey) => messageOf('m', { partitionKey }));
    const sent = { kind: 'transfer', entityPath: 'via', destination: 'there', messages } as const;
    expect(failureOf(bus.execute({ ...sent, isBatch: true }))?.reason).toBe('not-allowed');
    expect(bus.execute(sent).result.kind).toBe('sent');
  });

  it('of a duplicate is answered with the number of the message it repeats [TXN-10, DUP-05]', () => {
    const bus = withVia({ there: { requiresDuplicateDetection: true } });
    transfer(bus, ['a']);
    expect(transfer(bus, ['b', 'a']).result).toEqual({ kind: 'sent', sequenceNumbers: [2, 1] });
  });

  it('of a scheduled message waits for its time at the destination [TXN-10]', () => {
    const bus = withVia();
    transfer(bus, [messageOf('a', { scheduledEnqueueTime: START + SECOND })]);
    expect(bus.queueInfo('there').counts).toMatchObject({ scheduled: 1 });
  });
});

describe('a transfer to a full destination', () => {
  it('is no refusal: it waits, counted and sized with the entity it goes through, and shows nowhere [TXN-11, TXN-12]', () => {
    const bus = withFull();
    bus.send('via', 'own');
    expect(transfer(bus, ['one', 'two']).result).toEqual({ kind: 'sent', sequenceNumbers: [2, 3] });
    expect(countsOf(bus)).toEqual({ waiting: 2, failed: 0 });
    expect(bus.queueInfo('via')).toMatchObject({ sizeBytes: 9, counts: { active: 1, deadLetter: 0 } });
    expect(textsIn(bus, 'via')).toEqual(['own']);
    expect(bus.peek('there')).toHaveLength(1);
    expect(bus.send('via', 'next').result).toEqual({ kind: 'sent', sequenceNumbers: [4] });
  });

  it('moves on when there is room again, tried less and less often [TXN-11]', () => {
    const bus = withFull();
    transfer(bus, ['one', messageOf('two', { messageId: undefined })]);
    const pauses: number[] = [];
    for (let tries = 0; tries < 7; tries++) {
      const pause = bus.broker.nextDeadline() - bus.now;
      pauses.push(pause / SECOND);
      bus.tickAfter(pause);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30]);
    drain(bus, 'there');
    bus.tickAfter(30 * SECOND);
    expect(textsIn(bus, 'there')).toEqual(['one', 'two']);
    expect(bus.peek('there').map(({ properties }) => properties)).toMatchObject([
      {
        sequenceNumber: 2,
        enqueuedTime: bus.now,
        enqueuedSequenceNumber: undefined,
        generatedMessageId: undefined,
      },
      { sequenceNumber: 3, generatedMessageId: expect.stringMatching(/^[0-9a-f]{32}$/) },
    ]);
    expect(bus.queueInfo('via')).toMatchObject({ sizeBytes: 0, counts: { transfer: 0 } });
    expect(bus.broker.nextDeadline()).toBe(Number.POSITIVE_INFINITY);
  });

  it('does not overtake what waits for the same destination, and holds up no other [TXN-11]', () => {
    const bus = withFull();
    bus.putQueue('other');
    transfer(bus, ['one']);
    drain(bus, 'there');
    transfer(bus, ['two'], { to: 'There' });
    transfer(bus, ['three'], { to: 'other' });
    expect(textsIn(bus, 'there')).toEqual([]);
    expect(textsIn(bus, 'other')).toEqual(['three']);
    bus.tickAfter(SECOND);
    expect(textsIn(bus, 'there')).toEqual(['one', 'two']);
  });

  it('of several messages takes as many as there is room for [TXN-11]', () => {
    const bus = withVia();
    transfer(bus, [messageOfSize(2 ** 19), messageOfSize(2 ** 19 - 1)]);
    transfer(bus, ['ab', 'left']);
    expect(bus.queueInfo('there').counts.active).toBe(3);
    expect(countsOf(bus).waiting).toBe(1);
  });

  it('fills it again with the first of them: the rest goes on waiting, from a second on [TXN-11]', () => {
    const bus = withFull();
    transfer(bus, [messageOfSize(2 ** 20)]);
    transfer(bus, ['two']);
    bus.tickAfter(SECOND);
    drain(bus, 'there');
    bus.tickAfter(2 * SECOND);
    expect(bus.peek('there')).toHaveLength(1);
    expect(countsOf(bus).waiting).toBe(1);
    expect(bus.broker.nextDeadline() - bus.now).toBe(SECOND);
  });

  it('expires by its own time to live while it waits [TXN-11, TTL-08]', () => {
    const bus = withFull({ via: { defaultMessageTimeToLiveMs: SECOND } });
    transfer(bus, [messageOf('short', { timeToLiveMs: 1500 }), 'long']);
    const later = { timeToLiveMs: 1500, scheduledEnqueueTime: START + SECOND };
    transfer(bus, [messageOf('later', later)]);
    bus.tickAfter(1500);
    expect(countsOf(bus)).toEqual({ waiting: 2, failed: 0 });
    bus.tickAfter(SECOND);
    expect(countsOf(bus)).toEqual({ waiting: 1, failed: 0 });
  });

  it('is dead-lettered when it has expired, where the entity it goes through says so [DLQ-02, TTL-08]', () => {
    const behaviour = { expirySweep: 'whenListening' } as const; // nobody ever listens there
    const bus = withFull({ via: { deadLetteringOnMessageExpiration: true }, behaviour });
    transfer(bus, [messageOf('short', { timeToLiveMs: SECOND / 2 })]);
    bus.tickAfter(SECOND / 2);
    expect(countsOf(bus)).toEqual({ waiting: 0, failed: 1 });
    expect(textsIn(bus, 'via/$DeadLetterQueue')).toEqual([]);
  });

  it('survives a restart, keeps its order and is tried at once [TXN-11]', () => {
    const bus = withFull();
    const scheduledEnqueueTime = START + 9 * SECOND;
    transfer(bus, ['one', event({ scheduledEnqueueTime }, { scheduledEnqueueTime })]);
    const down = bus.restarted();
    expect(countsOf(down)).toEqual({ waiting: 2, failed: 0 });
    expect(transfer(down, ['three']).result).toEqual({ kind: 'sent', sequenceNumbers: [3] });
    drain(down, 'there');
    const up = down.restarted();
    up.tickAfter(0);
    expect(textsIn(up, 'there')).toEqual(['one', expect.stringContaining('scheduled'), 'three']);
    expect(up.queueInfo('there').counts).toMatchObject({ active: 2, scheduled: 1 });
    expect(up.queueInfo('via').sizeBytes).toBe(0);
    expect(countsOf(up)).toEqual({ waiting: 0, failed: 0 });
    expect(up.rows.contents.size).toBe(3);
  });

  it('is numbered in the partition that its via partition key picks, in the first without [TXN-11, PRT-05]', () => {
    const bus = withFull({ via: { enablePartitioning: true } });
    const partitionsOf = ({ result }: Turn) =>
      result.kind === 'sent' ? result.sequenceNumbers.map((number) => Math.floor(number / 2 ** 48)) : [];
    const [picked] = partitionsOf(bus.send('via', messageOf('own', { partitionKey: 'k' })));
    const turn = transfer(bus, ['one', 'two', messageOf('three', { viaPartitionKey: 'k' })]);
    expect(partitionsOf(turn)).toEqual([0, 0, picked]);
    expect(picked).not.toBe(0);
    drain(bus, 'there');
    const up = bus.restarted();
    up.tickAfter(0);
    expect(textsIn(up, 'there')).toHaveLength(3);
  });

  it('goes with the entity it goes through when that is deleted [TXN-11, ENT-05]', () => {
    const bus = withFull();
    transfer(bus, ['one']);
    bus.execute({ kind: 'delete-entity', entityPath: 'via' });
    bus.tickAfter(30 * SECOND);
    expect(bus.rows.messageCount).toBe(1);
    expect(bus.rows.contents.size).toBe(1);
    bus.putQueue('via');
    expect(countsOf(bus.restarted())).toEqual({ waiting: 0, failed: 0 });
  });

  it('keeps the entity it goes through from idling, and has done until it has moved on [TXN-11, IDL-03]', () => {
    const IDLE = 300 * SECOND;
    const bus = withFull({ via: { autoDeleteOnIdleMs: IDLE } });
    transfer(bus, ['one']);
    bus.tickAfter(4 * IDLE);
    drain(bus, 'there');
    bus.tickAfter(30 * SECOND);
    expect(countsOf(bus).waiting).toBe(0);
    bus.tickAfter(IDLE - 1);
    expect(bus.queueInfo('via').counts.transfer).toBe(0);
    bus.tickAfter(IDLE);
    expect(() => bus.queueInfo('via')).toThrow('there is no via');
  });

  it('keeps it from idling until it has expired, too [TXN-11, IDL-03]', () => {
    const IDLE = 300 * SECOND;
    const bus = withFull({ via: { autoDeleteOnIdleMs: IDLE } });
    transfer(bus, [messageOf('one', { timeToLiveMs: 1.5 * IDLE })]);
    bus.tickAfter(IDLE);
    bus.tickAfter(IDLE / 2);
    expect(bus.rows.messageCount).toBe(1);
    bus.tickAfter(IDLE - 1);
    expect(bus.rows.findQueue('via')).toBeDefined();
    bus.tickAfter(1);
    expect(bus.rows.findQueue('via')).toBeUndefined();
  });

  it('waits with its topic, which counts it [TXN-12]', () => {
    const bus = withTopic();
    const path = subscribe(bus, 'mine');
    bus.putQueue('there', { maxSizeInMegabytes: 1 });
    for (let sent = 0; sent < 5; sent++) bus.send('there', messageOfSize(2 ** 18));
    transfer(bus, ['one'], { through: path });
    publish(bus, { body: 'x' });
    const { result } = bus.restarted().execute({ kind: 'get-entity', entityPath: 'events' });
    expect(result).toMatchObject({
      entity: {
        counts: { active: 0, transfer: 1, transferDeadLetter: 0 },
        sizeBytes: 3 + contentOf({ body: 'x' }).byteLength,
      },
    });
  });
});

describe('a transfer whose destination has gone since it was checked', () => {
  it.each([
    ['deleted', 'MessagingEntityNotFoundException', "The messaging entity 'there' could not be found."],
    ['disabled', 'MessagingEntityDisabledException', "The messaging entity 'there' is currently disabled."],
  ])(
    '%s: is in the transfer dead-letter queue, and tells why [TXN-11, DLQ-02, DLQ-05, M35]',
    (how, reason, text) => {
      const bus = withVia();
      if (how === 'deleted') bus.execute({ kind: 'delete-entity', entityPath: 'there' });
      else bus.putQueue('there', { status: 'SendDisabled' });
      const turn = transfer(bus, ['a'], { isChecked: true });
      expect(turn.result).toEqual({ kind: 'sent', sequenceNumbers: [1] });
      expect(countsOf(bus)).toEqual({ waiting: 0, failed: 1 });
      const up = bus.restarted();
      expect(up.receiveOne(`via${FAILED}`).properties).toMatchObject({
        sequenceNumber: 1,
        propertyChanges: [
          { name: 'DeadLetterReason', value: reason },
          { name: 'DeadLetterErrorDescription', value: text },
        ],
      });
    },
  );

  it('while it waited: what waits fails in its order, and the next goes its way [TXN-11]', () => {
    const bus = withFull();
    transfer(bus, ['one', 'two']);
    bus.execute({ kind: 'delete-entity', entityPath: 'there' });
    bus.tickAfter(SECOND);
    expect(countsOf(bus)).toEqual({ waiting: 0, failed: 2 });
    bus.putQueue('there');
    transfer(bus, ['three']);
    expect(textsIn(bus, 'there')).toEqual(['three']);
    expect(textsIn(bus, `via${FAILED}`)).toEqual(['one', 'two']);
  });

  it('and takes other messages now: each that it refuses fails alone [TXN-11]', () => {
    const bus = withFull();
    const withSession = event({ sessionId: 's' });
    transfer(bus, ['one', withSession]);
    bus.execute({ kind: 'delete-entity', entityPath: 'there' });
    bus.putQueue('there', { requiresSession: true });
    bus.tickAfter(SECOND);
    expect(bus.queueInfo('via').counts).toMatchObject({ transfer: 0, transferDeadLetter: 1 });
    expect(bus.queueInfo('there').counts.active).toBe(1);
    transfer(bus, ['three', withSession], { isChecked: true });
    expect(bus.queueInfo('there').counts.active).toBe(2);
    expect(countsOf(bus)).toEqual({ waiting: 0, failed: 2 });
  });
});

describe('a transfer dead-letter queue', () => {
  function withFailed() {
    const bus = withVia({ there: { status: 'Disabled' }, via: { maxDeliveryCount: 1 } });
    transfer(bus, ['a', 'b', 'c']);
    return bus;
  }

  it('is received from, settled and counted as any dead-letter queue [DLQ-02]', () => {
    const bus = withFailed();
    const path = `via${FAILED}`;
    const abandoned = bus.receiveOne(path);
    bus.settle(path, abandoned, { kind: 'abandon', changes: [] });
    const again = bus.receiveOne(path);
    expect(bus.textOf(again)).toBe('a');
    bus.settle(path, again, { kind: 'complete' });
    bus.settle(path, bus.receiveOne(path), { kind: 'defer', changes: [] });
    expect(countsOf(bus)).toEqual({ waiting: 0, failed: 2 });
    expect(bus.queueInfo('via')).toMatchObject({ sizeBytes: 2, counts: { active: 0, deadLetter: 0 } });
    const up = bus.restarted();
    expect(up.textOf(up.receiveOne(path))).toBe('c');
    expect(up.textOf(up.receiveOneDeferred(path, 2))).toBe('b');
  });

  it('delivers failed messages to a receiver that was there before them [DLQ-02]', () => {
    const bus = withVia({ there: { status: 'Disabled' } });
    const linkId = bus.attachReceiver(`via${FAILED}`);
    bus.setCredit(linkId, 2);
    expect(sequenceNumbersTo(linkId, transfer(bus, ['a']))).toEqual([1]);
  });

  it('lets nothing expire, and is deleted with its entity [DLQ-02, ENT-05]', () => {
    const bus = withVia({ there: { status: 'Disabled' } });
    transfer(bus, [messageOf('a', { timeToLiveMs: SECOND })]);
    bus.tickAfter(10 * SECOND);
    expect(countsOf(bus).failed).toBe(1);
    bus.execute({ kind: 'delete-entity', entityPath: 'via' });
    bus.tickAfter(1);
    expect(bus.rows.messageCount + bus.rows.contents.size).toBe(0);
  });

  it('of a topic is there, and nothing else of a topic is received from [DLQ-02, RCV-12]', () => {
    const bus = withTopic();
    expect(bus.receive(`events${FAILED}`)).toEqual([]);
    expect(() => bus.attachReceiver('events')).toThrow('is a topic');
    expect(() => bus.attachReceiver('events/$DeadLetterQueue')).toThrow('could not be found');
  });
});

describe('in a step', () => {
  it('a transfer waits or fails without refusing the rest, and one through an entity that the step deletes is refused [TXN-11]', () => {
    const bus = withFull();
    bus.putQueue('closed', { status: 'Disabled' });
    const messages = [messageOf('a')];
    const { result } = bus.execute({
      kind: 'step',
      commands: [
        { kind: 'transfer', entityPath: 'via', destination: 'there', messages },
        { kind: 'transfer', entityPath: 'via', destination: 'closed', messages },
      ],
    });
    expect(result.kind).toBe('step');
    expect(countsOf(bus)).toEqual({ waiting: 1, failed: 1 });
    const refused = bus.execute({
      kind: 'step',
      commands: [
        { kind: 'delete-entity', entityPath: 'there' },
        { kind: 'transfer', entityPath: 'via', destination: 'there', messages },
      ],
    });
    expect(failureOf(refused)?.reason).toBe('not-allowed');
  });
});
