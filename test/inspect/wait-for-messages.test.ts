// `waitFor`: messages that a test waits for, by their number or by a function, without polling.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeQueue } from '../../src/broker/contract/entities/queue-description.js';
import { describeSubscription } from '../../src/broker/contract/entities/topic-description.js';
import { queueHandle, topicHandle } from '../../src/inspect/entity-handles.js';
import { notRunning } from '../../src/inspect/look-context.js';
import { LookUnderTest } from './look-under-test.js';

let look: LookUnderTest;
beforeEach(async () => {
  look = await LookUnderTest.open({
    queues: ['orders', 'other', 'source?forwardTo=orders', 'short?defaultMessageTimeToLive=PT10S'],
    topics: [{ name: 'notices', subscriptions: ['mail'] }],
  });
});
afterEach(async () => {
  expect(look.timers.delays).toEqual([]);
  expect(look.emulator.faults).toEqual([]);
  await look.emulator.stop();
});

const orders = () => queueHandle(look.context, 'orders');
const START = Date.UTC(2026, 0, 1);

/** The state of a promise, without waiting for it. */
async function stateOf(promise: Promise<unknown>): Promise<'pending' | 'resolved' | 'rejected'> {
  let state: 'pending' | 'resolved' | 'rejected' = 'pending';
  promise.then(
    () => (state = 'resolved'),
    () => (state = 'rejected'),
  );
  await look.settled();
  return state;
}

describe('a number of messages', () => {
  it('is there at once if the messages are, and all of them are answered', async () => {
    await look.send('orders', { body: 'a' }, { body: 'b' });
    expect(await orders().waitFor(1)).toMatchObject([{ body: 'a' }, { body: 'b' }]);
    expect(await orders().waitFor(1, { timeoutMs: 0 })).toHaveLength(2);
  });

  it('is waited for until the last one has come, and messages of other queues do not count', async () => {
    const waiting = orders().waitFor(2);
    await look.send('orders', { body: 'a' });
    await look.send('other', { body: 'x' }, { body: 'y' });
    expect(await stateOf(waiting)).toBe('pending');
    await look.send('Orders', { body: 'b' });
    expect(await waiting).toMatchObject([{ body: 'a' }, { body: 'b' }]);
  });

  it('may come by forwarding, through a topic, by a schedule, and into a dead-letter queue', async () => {
    const forwarded = orders().waitFor(1);
    const routed = topicHandle(look.context, 'notices').subscription('mail').waitFor(1);
    const active = topicHandle(look.context, 'notices').subscription('mail').waitFor(2);
    const dead = queueHandle(look.context, 'other').deadLetterQueue.waitFor(1);
    await look.send('source', { body: 'forwarded' });
    await look.send('notices', { body: 'routed' });
    const scheduledEnqueueTime = new Date(START + 5000).toISOString();
    await look.send('notices', { body: 'scheduled', scheduledEnqueueTime });
    await look.send('other', { body: 'dead' });
    await look.settle('other', await look.lockOne('other'), { kind: 'dead-letter', changes: [] });
    expect(await forwarded).toMatchObject([{ body: 'forwarded' }]);
    expect(await routed).toMatchObject([{ body: 'routed' }]);
    expect(await dead).toMatchObject([{ body: 'dead' }]);
    expect(await stateOf(active)).toBe('pending');
    look.emulator.clock.advance(5000);
    expect(await active).toMatchObject([{ body: 'routed' }, { body: 'scheduled' }]);
  });

  it('counts only the given states', async () => {
    await look.send('orders', { body: 'a' });
    const locked = orders().waitFor(1, { state: 'locked' });
    const deferred = orders().waitFor(1, { state: ['deferred', 'scheduled'] });
    expect(await stateOf(locked)).toBe('pending');
    const lockToken = await look.lockOne('orders');
    expect(await locked).toMatchObject([{ body: 'a', state: 'locked' }]);
    await look.settle('orders', lockToken, { kind: 'defer', changes: [] });
    expect(await deferred).toMatchObject([{ body: 'a', state: 'deferred' }]);
    look.emulator.clock.advance(60_000);
    await look.send('orders', { body: 'b' });
    const returned = orders().waitFor(1, { state: 'active' });
    expect(await returned).toMatchObject([{ body: 'b' }]);
  });

  it('sees a message again whose lock has ended', async () => {
    await look.send('orders', { body: 'a' });
    await look.lockOne('orders');
    const waiting = orders().waitFor(1, { state: 'active' });
    expect(await stateOf(waiting)).toBe('pending');
    look.emulator.clock.advance(60_000);
    expect(await waiting).toMatchObject([{ body: 'a', deliveryCount: 1 }]);
  });

  it.each([0, -1, 1.5, Number.NaN])('cannot be %d', async (wanted) => {
    await expect(orders().waitFor(wanted)).rejects.toThrow(RangeError);
  });

  it.each([
    ['2', "not '2'."],
    [undefined, 'not undefined.'],
  ])('cannot be %j', async (given, end) => {
    const text = `waitFor takes a number of messages, or a function that returns true for a wanted message, ${end}`;
    await expect(orders().waitFor(given as unknown as number)).rejects.toThrow(new TypeError(text));
  });

  it('is not waited for with an option of another name', async () => {
    const text =
      "waitFor has no option 'timeout'; it has state, timeoutMs, signal. Did you mean 'timeoutMs'?";
    const waiting = orders().waitFor(1, { timeout: 100 } as object);
    await expect(waiting).rejects.toThrow(new TypeError(text));
    await expect(orders().waitFor(1, 100 as unknown as object)).rejects.toThrow('not 100.');
  });
});

describe('a function', () => {
  it('is waited for until it returns true, and all its messages are answered', async () => {
    await look.send('orders', { body: { id: 1 } });
    const waiting = orders().waitFor(({ subject }) => subject === 'placed');
    expect(await stateOf(waiting)).toBe('pending');
    await look.send('orders', { body: { id: 2 }, subject: 'placed' }, { body: { id: 3 }, subject: 'placed' });
    expect(await waiting).toMatchObject([{ body: { id: 2 } }, { body: { id: 3 } }]);
  });

  it('must answer at once: a promise would count as true', async () => {
    await look.send('orders', { body: 'a' });
    const later = (async () => false) as unknown as () => boolean;
    await expect(orders().waitFor(later)).rejects.toThrow(
      /^The function given to waitFor returned a promise/,
    );
  });

  it('ends the wait with its error', async () => {
    const waiting = orders().waitFor(({ body }) => (body as { id: { text: string } }).id.text === '7');
    await look.send('orders', { body: {} });
    await expect(waiting).rejects.toThrow(TypeError);
  });
});

describe('an entity that does not exist yet', () => {
  it('is waited for, and then its messages are', async () => {
    const late = queueHandle(look.context, 'late');
    const [queue, dead] = [late.waitFor(1), late.deadLetterQueue.waitFor(({ body }) => body === 'a')];
    const subscription = topicHandle(look.context, 'Notices').subscription('sms').waitFor(1);
    expect([await stateOf(queue), await stateOf(dead), await stateOf(subscription)]).toEqual(
      new Array(3).fill('pending'),
    );
    await look.execute({ kind: 'put-entity', type: 'queue', description: describeQueue('LATE') });
    const description = describeSubscription('sms');
    await look.execute({ kind: 'put-entity', type: 'subscription', topicName: 'notices', description });
    expect(await stateOf(queue)).toBe('pending');
    await look.send('late', { body: 'a' });
    await look.send('notices', { body: 'b' });
    expect(await queue).toMatchObject([{ body: 'a' }]);
    expect(await subscription).toMatchObject([{ body: 'b' }]);
    await look.settle('late', await look.lockOne('late'), { kind: 'dead-letter', changes: [] });
    expect(await dead).toMatchObject([{ body: 'a' }]);
  });

  it('is looked for once, and named at the end with one that has a similar name', async () => {
    const waiting = queueHandle(look.context, 'order').waitFor(1, { timeoutMs: 700 });
    await look.settled();
    expect(look.emulator.activity.nextId).toBe(1); // a look leaves no record
    look.timers.advance(700);
    await expect(waiting).rejects.toMatchObject({
      name: 'JitneyError',
      kind: 'entity-not-found',
      code: 'JIT7001',
      message: "There is no 'order'. Did you mean 'orders'? waitFor has waited 700 ms for it to be created.",
    });
  });
});

describe('a wait that ends without the messages', () => {
  it('says what was expected and what was there', async () => {
    const binary = Buffer.from([0, 255]).toString('base64');
    await look.send(
      'orders',
      { body: { id: 7 }, messageId: 'seven' },
      { bodyBase64: binary, messageId: 'bytes' },
      { body: 'x'.repeat(200), messageId: 'long' },
      { body: 'last' },
    );
    await look.lockOne('orders');
    const waiting = orders().waitFor(5, { state: ['active', 'locked'], timeoutMs: 700 });
    await look.settled();
    look.timers.advance(699);
    expect(await stateOf(waiting)).toBe('pending');
    look.timers.advance(1);
    await expect(waiting).rejects.toMatchObject({ name: 'JitneyError', kind: 'not-there', code: 'JIT7003' });
    const message = await waiting.then(String, (error: Error) => error.message);
    expect(message.split('\n')).toEqual([
      "'orders' did not have 5 messages (active or locked) within 700 ms. 'orders' has 3 active, 1 locked, 0 scheduled, 0 deferred, 0 deadLetter, 0 transfer, 0 transferDeadLetter.",
      `  #1 locked, id 'seven': {"id":7}`,
      "  #2 active, id 'bytes': 2 bytes",
      `  #3 active, id 'long': "${'x'.repeat(79)}…`,
      '  and more',
    ]);
  });

  it('takes 5 seconds unless another time is given', async () => {
    const waiting = orders().waitFor(() => false);
    const endless = orders().waitFor(1, { timeoutMs: Number.POSITIVE_INFINITY });
    await look.settled();
    expect(look.timers.delays.toSorted((a, b) => a - b)).toEqual([5000, 2 ** 31 - 1]);
    look.timers.advance(5000);
    await expect(waiting).rejects.toThrow(
      "'orders' did not have a message for which the function returns true within 5000 ms.",
    );
    await look.send('orders', { body: 'a' });
    expect(await endless).toHaveLength(1);
  });

  it('ends with the reason of its signal', async () => {
    const controller = new AbortController();
    const waiting = orders().waitFor(1, { signal: controller.signal });
    await look.settled();
    const reason = new Error('the test is over');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(orders().waitFor(1, { signal: controller.signal })).rejects.toBe(reason);
  });

  it('ends with the entity, and with the emulator', async () => {
    const waiting = queueHandle(look.context, 'other').waitFor(1);
    const stopped = orders().waitFor(1);
    await look.settled();
    await look.execute({ kind: 'delete-entity', entityPath: 'other' });
    await expect(waiting).rejects.toMatchObject({ kind: 'entity-not-found' });
    look.context.waits.endAll(notRunning());
    await expect(stopped).rejects.toMatchObject({ kind: 'not-running' });
  });

  it.each([
    [-1, '-1'],
    [Number.NaN, 'NaN'],
    ['5', "the text '5'"],
  ])('is refused with a timeout of %j', async (timeoutMs, seen) => {
    const waiting = orders().waitFor(1, { timeoutMs: timeoutMs as number });
    await expect(waiting).rejects.toThrow(`timeoutMs is ${seen}; give a number of milliseconds`);
  });
});
