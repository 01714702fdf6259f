// Handles on entities: counts and messages as a test sees them, and the errors of a wrong name or query.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeMessage } from '../../src/content/encode-message.js';
import { NO_PROPERTIES } from '../../src/content/message-parts.js';
import { readMessage } from '../../src/content/read-message.js';
import { queueHandle, subscriptionHandle, topicHandle } from '../../src/inspect/entity-handles.js';
import { notRunning } from '../../src/inspect/look-context.js';
import { LookUnderTest } from './look-under-test.js';

const DEAD_LETTER = {
  kind: 'dead-letter',
  changes: [
    { name: 'DeadLetterReason', value: 'unreadable' },
    { name: 'DeadLetterErrorDescription', value: 'no id' },
  ],
} as const;

let look: LookUnderTest;
beforeEach(async () => {
  look = await LookUnderTest.open({
    queues: ['orders', 'jobs?requiresSession=true', 'other'],
    topics: [{ name: 'notices', subscriptions: ['mail'] }],
  });
});
afterEach(async () => {
  expect(look.emulator.faults).toEqual([]);
  await look.emulator.stop();
});

const orders = () => queueHandle(look.context, 'orders');
const START = new Date(Date.UTC(2026, 0, 1));

it('a message that is scheduled for a time that no Date holds has no such time', async () => {
  const properties = { ...NO_PROPERTIES, scheduledEnqueueTime: 9e15, timeToLiveMs: 1000 };
  const sent = readMessage(
    encodeMessage({ properties, applicationProperties: [], body: new Uint8Array() }, 0),
  );
  await look.execute({ kind: 'send', entityPath: 'orders', messages: [sent] });
  const [seen] = await orders().messages();
  expect([seen?.state, seen?.scheduledTime, seen?.expiresAt]).toEqual(['scheduled', undefined, undefined]);
});

describe('a queue', () => {
  it('has the counts of its messages by state, and those of its dead-letter queues', async () => {
    const later = new Date(START.getTime() + 60_000).toISOString();
    await look.send('orders', { body: 'a' }, { body: 'b' }, { body: 'c' }, { body: 'd' });
    await look.send('orders', { body: 'later', scheduledEnqueueTime: later });
    await look.settle('orders', await look.lockOne('orders'), { kind: 'defer', changes: [] });
    await look.settle('orders', await look.lockOne('orders'), DEAD_LETTER);
    await look.lockOne('orders');
    expect(await orders().counts()).toEqual({
      active: 1,
      locked: 1,
      scheduled: 1,
      deferred: 1,
      deadLetter: 1,
      transfer: 0,
      transferDeadLetter: 0,
    });
  });

  it('has messages as plain values, without the properties that are not set', async () => {
    await look.send('orders', {
      ...{ body: { id: 7 }, messageId: 'one', subject: 'placed', timeToLiveMs: 60_000 },
      applicationProperties: { region: 'EU', at: { type: 'timestamp', value: START.toISOString() } },
    });
    const [message] = await orders().messages();
    expect(message).toStrictEqual({
      ...{ body: { id: 7 }, messageId: 'one', subject: 'placed', timeToLiveMs: 60_000 },
      applicationProperties: { region: 'EU', at: START },
      state: 'active',
      sequenceNumber: 1,
      deliveryCount: 0,
      sizeBytes: message?.sizeBytes,
      annotations: {},
      hopCount: 0,
      enqueuedTime: START,
      expiresAt: new Date(START.getTime() + 60_000),
    });
    expect(message?.sizeBytes).toBeGreaterThan(50);
  });

  it('shows the state of each message, when it becomes active and until when it is locked', async () => {
    const later = new Date(START.getTime() + 90_000);
    await look.send('orders', { body: 'a' }, { body: 'b' }, { body: 'c' });
    await look.send('orders', { body: 'later', scheduledEnqueueTime: later.toISOString() });
    await look.settle('orders', await look.lockOne('orders'), { kind: 'defer', changes: [] });
    await look.lockOne('orders');
    expect(await orders().messages()).toMatchObject([
      { body: 'a', state: 'deferred' },
      { body: 'b', state: 'locked', lockedUntil: new Date(START.getTime() + 60_000) },
      { body: 'c', state: 'active' },
      { body: 'later', state: 'scheduled', scheduledTime: later },
    ]);
    look.emulator.clock.advance(90_000);
    expect(await orders().messages({ state: ['locked', 'scheduled'] })).toEqual([]);
    expect(await orders().messages({ state: 'deferred' })).toMatchObject([{ body: 'a' }]);
  });

  it('has more messages than one page, from a number on and up to a count', async () => {
    for (let count = 0; count < 3; count++) {
      await look.send('orders', ...Array.from({ length: 200 }, () => ({ body: 'x' })));
    }
    const numbers = (await orders().messages()).map(({ sequenceNumber }) => sequenceNumber);
    expect(numbers).toEqual(Array.from({ length: 600 }, (_, index) => index + 1));
    const some = await orders().messages({ from: 100, max: 300 });
    expect([some.length, some[0]?.sequenceNumber, some.at(-1)?.sequenceNumber]).toEqual([300, 100, 399]);
  });

  it('says of each dead letter why it is there', async () => {
    await look.send('orders', { body: 'a' });
    await look.settle('orders', await look.lockOne('orders'), DEAD_LETTER);
    const reasons = { deadLetterReason: 'unreadable', deadLetterErrorDescription: 'no id' };
    expect(await orders().deadLetters()).toMatchObject([{ body: 'a', state: 'active', ...reasons }]);
    expect(await orders().messages()).toEqual([]);
    expect(orders().deadLetterQueue.path).toBe('orders/$DeadLetterQueue');
  });

  it('is not used by a look, and nothing is locked or counted', async () => {
    await look.send('orders', { body: 'a' });
    await orders().messages();
    await orders().counts();
    expect(await orders().messages()).toMatchObject([{ state: 'active', deliveryCount: 0 }]);
    expect(look.emulator.activity.isOn).toBe(false);
  });
});

describe('purging', () => {
  it('takes the messages of a queue, of its dead-letter queue, or of all subscriptions of a topic', async () => {
    await look.send('orders', { body: 'a' }, { body: 'b' });
    await look.settle('orders', await look.lockOne('orders'), DEAD_LETTER);
    await look.send('notices', { body: 'c' });
    expect(await orders().purge()).toBe(1);
    expect(await orders().counts()).toMatchObject({ active: 0, deadLetter: 1 });
    expect(await orders().deadLetterQueue.purge()).toBe(1);
    expect(await topicHandle(look.context, 'notices').purge()).toBe(1);
    expect(await subscriptionHandle(look.context, 'notices', 'mail').messages()).toEqual([]);
    await expect(queueHandle(look.context, 'notices').purge()).rejects.toMatchObject({
      kind: 'other-entity',
    });
  });
});

describe('a topic', () => {
  it('has the scheduled messages itself, and all others in its subscriptions', async () => {
    const later = new Date(START.getTime() + 60_000).toISOString();
    const topic = topicHandle(look.context, 'notices');
    await look.send('notices', { body: 'now' }, { body: 'later', scheduledEnqueueTime: later });
    expect(await topic.counts()).toMatchObject({ active: 0, scheduled: 1 });
    expect(await topic.messages()).toMatchObject([{ body: 'later', state: 'scheduled' }]);
    expect(await topic.subscription('mail').messages()).toMatchObject([{ body: 'now' }]);
    const mail = subscriptionHandle(look.context, 'notices', 'mail');
    expect(await mail.counts()).toMatchObject({ active: 1 });
  });
});

it('a handle has the path in lower case, whatever it was asked for [ENT-02]', () => {
  const { context } = look;
  const handles = [
    queueHandle(context, 'Orders'),
    topicHandle(context, 'Notices'),
    subscriptionHandle(context, 'Notices', 'Mail'),
  ];
  expect(handles.map(({ path }) => path)).toEqual(['orders', 'notices', 'notices/Subscriptions/Mail']);
});

describe('an error', () => {
  it('names the entity that the missing one may be', async () => {
    const wrong = queueHandle(look.context, 'order'); // a handle needs no entity yet
    for (const call of [wrong.counts(), wrong.messages(), wrong.deadLetters(), wrong.purge()]) {
      await expect(call).rejects.toMatchObject({
        name: 'JitneyError',
        kind: 'entity-not-found',
        code: 'JIT7001',
        message: "There is no 'order'. Did you mean 'orders'?",
      });
    }
    const missing = topicHandle(look.context, 'notices').subscription('mial').counts();
    await expect(missing).rejects.toThrow(/Did you mean 'notices\/Subscriptions\/mail'\?$/);
  });

  it('says of an entity of another kind which one it is', async () => {
    const message = "'notices' is a topic, not a queue; look at it with emulator.topic().";
    const call = queueHandle(look.context, 'notices').messages();
    await expect(call).rejects.toMatchObject({ kind: 'other-entity', code: 'JIT7002', message });
    await expect(topicHandle(look.context, 'orders').counts()).rejects.toThrow(/is a queue, not a topic/);
    for (const [path, handle] of [
      ['orders/$DeadLetterQueue', "emulator.queue('orders').deadLetters()"],
      [
        'notices/Subscriptions/mail/$deadletterqueue',
        "emulator.subscription('notices', 'mail').deadLetters()",
      ],
    ] as const) {
      const text = `is a dead-letter queue; read it with ${handle}`;
      await expect(queueHandle(look.context, path).messages()).rejects.toThrow(text);
      await expect(queueHandle(look.context, path).waitFor(1)).rejects.toThrow(text);
    }
  });

  it.each([
    [{ state: 'Active' }, "The state 'Active' does not exist; give one or more of active, locked, "],
    [{ max: 0 }, 'max is 0; it must be a whole number of 1 or more.'],
    [{ max: '1' }, "max is the text '1'; it must be a whole number of 1 or more."],
    [
      { state: 'deadLetter' },
      "'deadLetter' is not a state but a queue of its own; read it with deadLetters(), ",
    ],
    [{ from: 1.5 }, 'from is 1.5; it must be a whole number of 0 or more.'],
  ])('says what is wrong with the query %j', async (query, message) => {
    const call = orders().messages(query as object);
    await expect(call).rejects.toThrow(RangeError);
    await expect(orders().messages(query as object)).rejects.toThrow(message);
  });

  it.each([
    [{ State: 'active' }, "messages has no option 'State'; it has state, from, max. Did you mean 'state'?"],
    [{ take: 5 }, "messages has no option 'take'; it has state, from, max."],
    [null, 'messages takes an object with any of state, from, max, not null.'],
    ['active', 'messages takes an object with any of state, from, max, not active.'],
  ])('names the options of a query when it is given %j', async (query, message) => {
    await expect(orders().messages(query as object)).rejects.toThrow(new TypeError(message));
  });

  it.each([undefined, null, 5])('names %s, which is no name, and the emulator goes on', async (given) => {
    const name = given as unknown as string;
    const message = `must be a string, not ${given}.`;
    expect(() => queueHandle(look.context, name)).toThrow(message);
    expect(() => topicHandle(look.context, name)).toThrow(message);
    expect(() => subscriptionHandle(look.context, 'notices', name)).toThrow(message);
    expect(await orders().counts()).toMatchObject({ active: 0 });
  });

  it('says that the emulator has been stopped', async () => {
    look.context.waits.endAll(notRunning());
    for (const call of [orders().counts(), orders().messages(), orders().waitFor(1)]) {
      await expect(call).rejects.toMatchObject({ kind: 'not-running', code: 'JIT7005' });
    }
  });
});
