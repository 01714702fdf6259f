// Messages that are taken in as they were in another entity, and the marks by which a second run of a copy brings none of them twice.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/broker/contract/command.js';
import type { ImportedMessage } from '../../../src/broker/contract/management.js';
import type { Result } from '../../../src/broker/contract/result.js';
import { type BrokerUnderTest, messageOf, withQueue } from '../../support/broker-builders.js';
import { withSessionQueue } from '../../support/session-builders.js';
import { subscribe, TOPIC, withTopic } from '../../support/topic-builders.js';

const COPY = 'a'.repeat(64);
const DEAD = 'orders/$DeadLetterQueue';

function imported(sourceNumber: number, given: Partial<ImportedMessage> = {}): ImportedMessage {
  const message = messageOf(String(sourceNumber));
  return { message, sourceNumber, state: 'active', deliveryCount: 0, details: undefined, ...given };
}

type Given = Partial<Extract<Command, { readonly kind: 'import-messages' }>>;

function importInto(bus: BrokerUnderTest, entityPath: string, messages: ImportedMessage[], more: Given = {}) {
  const { result } = bus.execute({ ...more, kind: 'import-messages', entityPath, messages });
  if (result.kind === 'failed') throw result.error;
  return result as Extract<Result, { readonly kind: 'imported' }>;
}

function messagesIn(bus: BrokerUnderTest, entityPath: string) {
  const query = { entityPath, fromSequenceNumber: 0, maxCount: 250 };
  const { result } = bus.execute({ kind: 'inspect-messages', ...query });
  if (result.kind !== 'inspected-messages') throw new Error(`answered ${result.kind}`);
  return result.messages;
}

const numbersIn = (bus: BrokerUnderTest, path: string) =>
  messagesIn(bus, path).map(({ properties }) => properties.sequenceNumber);

describe('imported messages', () => {
  it('keep their state, delivery count and changes, and get numbers and times of their own', () => {
    const bus = withQueue();
    bus.passTime(5000);
    const at = bus.now + 60_000;
    const later = { ...messageOf('later'), scheduledEnqueueTime: at };
    const propertyChanges = [{ name: 'attempt', value: 'third' }];
    const { sequenceNumbers } = importInto(bus, 'orders', [
      imported(70, { deliveryCount: 3, details: { propertyChanges } }),
      imported(71, { state: 'deferred' }),
      imported(72, { state: 'scheduled', message: later }),
    ]);
    expect(sequenceNumbers).toEqual([1, 2, 3]);
    expect(messagesIn(bus, 'orders')).toMatchObject([
      { condition: 'active', properties: { sequenceNumber: 1, deliveryCount: 3, propertyChanges } },
      { condition: 'deferred', properties: { sequenceNumber: 2, enqueuedTime: bus.now } },
      { condition: 'scheduled', details: { schedule: { enqueueAt: at } } },
    ]);
  });

  it('are dead letters in a dead-letter queue, with their reason, and do not expire', () => {
    const bus = withQueue({ defaultMessageTimeToLiveMs: 1000 });
    const propertyChanges = [{ name: 'DeadLetterReason', value: 'NoAddress' }];
    importInto(bus, DEAD, [imported(1, { deliveryCount: 10, details: { propertyChanges } })]);
    bus.passTime(60_000);
    bus.execute({ kind: 'tick' });
    expect(messagesIn(bus, DEAD)).toMatchObject([
      { condition: 'active', properties: { deliveryCount: 10, propertyChanges } },
    ]);
  });

  it('come into their sessions, with the states of these', () => {
    const bus = withSessionQueue();
    const message = { ...messageOf('a'), sessionId: 'blue' };
    const sessionStates = [{ sessionId: 'blue', state: Buffer.from('half') }];
    importInto(bus, 'orders', [imported(1, { message })], { sessionStates });
    importInto(bus, 'orders', [], { sessionStates });
    const query = { entityPath: 'orders', fromSessionId: '', maxCount: 9 };
    const { result } = bus.execute({ kind: 'inspect-sessions', ...query });
    expect(result).toMatchObject({ sessions: [{ sessionId: 'blue', messageCount: 1, stateBytes: 4 }] });
  });

  it('go from a topic to its subscriptions, and into one subscription alone', () => {
    const bus = withTopic();
    subscribe(bus, 'one');
    subscribe(bus, 'two');
    importInto(bus, TOPIC, [imported(1)]);
    importInto(bus, `${TOPIC}/Subscriptions/two`, [imported(2)]);
    expect(numbersIn(bus, `${TOPIC}/Subscriptions/one`)).toHaveLength(1);
    expect(numbersIn(bus, `${TOPIC}/Subscriptions/two`)).toHaveLength(2);
  });

  it('are all refused if the entity would refuse one of them', () => {
    const bus = withSessionQueue();
    const good = { ...messageOf('a'), sessionId: 'blue' };
    expect(() => importInto(bus, 'orders', [imported(1, { message: good }), imported(2)])).toThrow(
      'SessionId',
    );
    expect(numbersIn(bus, 'orders')).toEqual([]);
  });
});

describe('the mark of a copy', () => {
  it('leaves out what the copy has brought before, also after a restart', () => {
    let bus = withQueue();
    importInto(bus, 'orders', [imported(3), imported(5)], { importId: COPY });
    bus = bus.restarted();
    expect(importInto(bus, 'orders', [imported(5), imported(9)], { importId: COPY })).toMatchObject({
      sequenceNumbers: [3],
      skippedCount: 1,
      marks: [9],
    });
    expect(importInto(bus, 'orders', [], { importId: COPY })).toMatchObject({ marks: [9] });
  });

  it('is one for each partition of the source, and all end together', () => {
    const ofPartition5 = 5 * 2 ** 48 + 2;
    const bus = withQueue();
    importInto(bus, 'orders', [imported(ofPartition5)], { importId: COPY });
    const both = [imported(3), imported(ofPartition5)];
    expect(importInto(bus, 'orders', both, { importId: COPY })).toMatchObject({
      skippedCount: 1,
      marks: [ofPartition5, 3],
    });
    importInto(bus, 'orders', [], { importId: COPY, isLast: true });
    expect(importInto(bus, 'orders', both, { importId: COPY })).toMatchObject({ skippedCount: 0 });
  });

  it('does not concern another copy, and goes when the copy ends', () => {
    let bus = withQueue();
    importInto(bus, 'orders', [imported(3)], { importId: COPY });
    importInto(bus, 'orders', [imported(3)], { importId: 'b'.repeat(64) });
    importInto(bus, 'orders', [], { importId: COPY, isLast: true });
    bus = bus.restarted();
    expect(importInto(bus, 'orders', [imported(3)], { importId: COPY }).sequenceNumbers).toEqual([3]);
  });

  it('goes with the messages when the entity is emptied or deleted', () => {
    let bus = withQueue();
    importInto(bus, 'orders', [imported(3)], { importId: COPY });
    bus.execute({ kind: 'purge', entityPath: 'orders' });
    bus = bus.restarted();
    expect(importInto(bus, 'orders', [imported(3)], { importId: COPY }).skippedCount).toBe(0);
    const { events } = bus.execute({ kind: 'delete-entity', entityPath: 'orders' });
    expect(events).toContainEqual(expect.objectContaining({ kind: 'import-ended', importId: COPY }));
  });
});
