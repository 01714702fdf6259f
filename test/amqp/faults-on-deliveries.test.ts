// Faults of messages on their way to a receiver, and of locks, frame by frame: what comes, and what becomes of the message.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FaultyEmulator } from '../steer/faulty-emulator.js';
import { str, sym } from '../support/frame-encoder.js';
import { receiverFields } from '../support/frame-fields.js';
import { giveCredit, settle, takeRefusal } from '../support/frame-links.js';
import { composite } from '../support/frame-lists.js';
import { applicationProperties, dataSection } from '../support/frame-message.js';
import { notation } from '../support/frame-notation.js';
import { LinkClient } from '../support/link-client.js';
import { SessionClient } from '../support/session-client.js';

const ACCEPTED = composite('accepted');

let under: FaultyEmulator;
beforeEach(async () => {
  under = await FaultyEmulator.open();
});
afterEach(() => under.stop());

const sending = (...texts: readonly string[]) => LinkClient.sending(under.connect(), ...texts);
const receiving = (credit: number) => LinkClient.receiving(under.connect(), credit);

/** What is said of the settlement. */
async function complete(client: LinkClient, deliveryId: number): Promise<string> {
  return notation((await settle(client.session, deliveryId, ACCEPTED)).field('state'));
}

describe('a message on its way to a receiver', () => {
  test('that fails detaches the link with the error, and is there for others, its delivery not counted', async () => {
    await sending('a');
    under.faults.add({ on: 'receive', error: 'server-busy', times: 1 });
    const client = await receiving(1);
    expect((await takeRefusal(client.session)).condition).toBe('com.microsoft:server-busy');
    expect(await under.conditions()).toEqual(['active 0']);
    expect(await (await receiving(1)).takeTexts(1)).toEqual(['a']);
  });

  test('can detach the link: those behind it are there for others, too', async () => {
    await sending('a', 'b', 'c');
    under.faults.add({ on: 'receive', detach: 'entity-disabled', nth: 2 });
    const client = await receiving(3);
    expect(await client.takeTexts(1)).toEqual(['a']);
    expect((await takeRefusal(client.session)).condition).toBe('com.microsoft:entity-disabled');
    await client.expectNone();
    expect(await under.conditions()).toEqual(['locked 0', 'active 0', 'active 0']);
    expect(await (await receiving(3)).takeTexts(2)).toEqual(['b', 'c']);
  });

  test.each([{ close: true }, { reset: true }] as const)(
    'can end the connection: with %j it never comes, and is locked as others that were lost on their way',
    async (effect) => {
      await sending('a');
      under.faults.add({ on: 'receive', ...effect });
      const client = await receiving(1);
      await expect(client.take()).rejects.toThrow(/wrote close|closed the connection|broke/);
      expect(await under.conditions()).toEqual(['locked 0']);
    },
  );

  test('can be lost: it stays locked, and the credit is there for the next', async () => {
    await sending('lost', 'next');
    under.faults.add({ on: 'receive', loseAnswer: true, times: 1 });
    const client = await receiving(1);
    expect(await client.takeTexts(1)).toEqual(['next']);
    expect(await under.conditions()).toEqual(['locked 0', 'locked 0']);
  });

  test('that is lost on a silent connection stays locked', async () => {
    await sending('a');
    under.faults.add({ on: 'receive', silence: true });
    const client = await receiving(1);
    await client.expectNone();
    expect(await under.conditions()).toEqual(['locked 0']);
    expect(under.emulator.connections.list()).toHaveLength(2);
  });

  test('that a match does not fit comes as ever; its properties are those of the moment', async () => {
    const sender = await sending();
    for (const region of ['US', 'EU']) {
      sender.transfer(Buffer.concat([applicationProperties({ region: str(region) }), dataSection(region)]));
    }
    await under.conditions();
    under.faults.add({
      on: 'receive',
      error: 'server-busy',
      times: 1,
      match: "region = 'EU' AND sys.DeliveryCount = 0 AND sys.SequenceNumber = 2",
    });
    const client = await receiving(2);
    expect(await client.takeTexts(1)).toEqual(['US']);
    await takeRefusal(client.session);
    expect(await (await receiving(1)).takeTexts(1)).toEqual(['EU']);
  });

  test('is not hit on its way to a browser, which gets what is there', async () => {
    await sending('a');
    const fault = under.faults.add({ on: 'receive', error: 'server-busy' });
    const client = await LinkClient.open(under.connect());
    client.session.send('attach', browserFields());
    await client.session.take('attach');
    giveCredit(client.session, 1, 1);
    expect((await client.take()).text).toBe('a');
    expect(fault.matchedCount).toBe(0);
  });
});

describe('a message that is held back', () => {
  test('comes after its time, locked meanwhile, and those behind it in their order', async () => {
    await sending('a', 'b', 'c');
    under.faults.add({ on: 'receive', delay: 100, times: 1 });
    const client = await receiving(3);
    await under.pass(99);
    await client.expectNone();
    expect(await under.conditions()).toEqual(['locked 0', 'locked 0', 'locked 0']);
    await under.pass(1);
    expect(await client.takeTexts(3)).toEqual(['a', 'b', 'c']);
  });

  test('comes before the answer to a drain that was behind it', async () => {
    await sending('a');
    under.faults.add({ on: 'receive', delay: 100 });
    const client = await receiving(0);
    client.give({ credit: 5, drain: true });
    await under.pass(99);
    await client.session.expectNothing([]);
    await under.pass(1);
    expect((await client.take()).text).toBe('a');
    await client.takeDrained();
    expect(await complete(client, 0)).toBe('accepted[]');
  });

  test('holds back the settlements behind it', async () => {
    const sender = await sending('a');
    const client = await receiving(2);
    const { deliveryId } = await client.take();
    under.faults.add({ on: 'receive', delay: 100 });
    await sender.sendTexts('b');
    const settled = complete(client, deliveryId);
    await under.pass(99);
    expect(await under.conditions()).toEqual(['locked 0', 'locked 0']);
    await under.pass(1);
    expect(await settled).toBe('accepted[]');
    expect(await under.conditions()).toEqual(['locked 0']);
  });

  test.each<[string, (client: LinkClient) => unknown]>([
    ['its link is closed', (client) => client.detach()],
    ['its connection is lost', (client) => client.vanish()],
  ])('is there for others at once when %s, its delivery not counted', async (_, lose) => {
    await sending('a', 'b');
    under.faults.add({ on: 'receive', delay: 100 });
    const client = await receiving(2);
    await under.pass(10);
    under.faults.clear();
    await lose(client);
    expect(await under.conditions()).toEqual(['active 0', 'active 0']);
    expect(under.timers.delays).toEqual([]);
    expect(await (await receiving(2)).takeTexts(2)).toEqual(['a', 'b']);
  });

  test('and lost with its link in receive-and-delete mode is gone, as it is in the service', async () => {
    await sending('a');
    under.faults.add({ on: 'receive', delay: 100 });
    const client = await LinkClient.open(under.connect());
    await client.openReceiver(1, undefined, { isSettled: true });
    client.give({ credit: 1 });
    await under.pass(10);
    await client.detach();
    expect(await under.messages()).toEqual([]);
  });
});

describe('a message that is delivered twice', () => {
  test('comes again after its completion, which the client was told had succeeded', async () => {
    await sending('a');
    const fault = under.faults.add({ on: 'receive', deliverTwice: true, times: 1 });
    const client = await receiving(2);
    const first = await client.take();
    expect(await complete(client, first.deliveryId)).toBe('accepted[]');
    const second = await client.take();
    expect([second.text, first.deliveryCount, second.deliveryCount]).toEqual(['a', 0, 1]);
    expect(await complete(client, second.deliveryId)).toBe('accepted[]');
    expect(await under.messages()).toEqual([]);
    expect(fault.firedCount).toBe(1);
  });

  test('comes again also when the fault is removed meanwhile', async () => {
    await sending('a');
    under.faults.add({ on: 'receive', deliverTwice: true });
    const client = await receiving(2);
    const { deliveryId } = await client.take();
    under.faults.clear();
    await complete(client, deliveryId);
    expect(await client.takeTexts(1)).toEqual(['a']);
  });

  test('is a dead letter once when the client dead-letters it', async () => {
    await sending('a');
    under.faults.add({ on: 'receive', deliverTwice: true });
    const client = await receiving(2);
    const { deliveryId } = await client.take();
    await settle(client.session, deliveryId, composite('rejected'));
    await client.expectNone();
    expect(await under.messages()).toEqual([]);
    expect(await under.messages('q/$DeadLetterQueue')).toHaveLength(1);
  });

  test('comes once in receive-and-delete mode, in which there is no completion', async () => {
    await sending('a');
    under.faults.add({ on: 'receive', deliverTwice: true });
    const client = await LinkClient.open(under.connect());
    await client.openReceiver(1, undefined, { isSettled: true });
    client.give({ credit: 2 });
    expect(await client.takeTexts(1)).toEqual(['a']);
    await client.expectNone();
    expect(await under.messages()).toEqual([]);
  });
});

describe('a lock that ends early', () => {
  const LOST = /^rejected\[error\['com\.microsoft:message-lock-lost, /;

  test('ends at once, and the message is there again with its delivery counted', async () => {
    await sending('a');
    under.faults.add({ on: 'receive', endLock: true, times: 1 });
    const client = await receiving(1);
    const { deliveryId } = await client.take();
    await under.pass(0);
    expect(await under.conditions()).toEqual(['active 1']);
    expect(await complete(client, deliveryId)).toMatch(LOST);
    const ends = [...under.emulator.activity.since(1)].filter(({ kind }) => kind === 'lock-expired');
    expect(ends).toMatchObject([{ client: { product: 'fault 1' } }]);
  });

  test('ends after its delay, which does not hold the message back', async () => {
    await sending('a');
    under.faults.add({ on: 'receive', endLock: true, delay: 100, times: 1 });
    const client = await receiving(1);
    const { deliveryId } = await client.take();
    await under.pass(99);
    expect(await under.conditions()).toEqual(['locked 0']);
    await under.pass(1);
    expect(await under.conditions()).toEqual(['active 1']);
    expect(await complete(client, deliveryId)).toMatch(LOST);
  });

  test('that was settled before its end ends nothing', async () => {
    await sending('a');
    under.faults.add({ on: 'receive', endLock: true, delay: 100 });
    const client = await receiving(1);
    const { deliveryId } = await client.take();
    expect(await complete(client, deliveryId)).toBe('accepted[]');
    await under.pass(100);
    expect(await under.messages()).toEqual([]);
  });
});

test('the lock of a session ends early as a whole: its link is detached, and its messages are there again', async () => {
  await under.stop();
  under = await FaultyEmulator.open({ queues: ['q?requiresSession=true'] });
  const client = await SessionClient.open(under.connect());
  await client.send('s', 'a', 'b');
  under.faults.add({ on: 'receive', endLock: true, nth: 2 });
  await client.accept('s');
  client.give(2);
  for (const text of ['a', 'b']) expect((await client.take()).text).toBe(text);
  await under.pass(0);
  expect((await client.detached()).condition).toBe('com.microsoft:session-lock-lost');
  expect(await under.conditions()).toEqual(['active 1', 'active 1']);
  expect((await client.accept('s', { handle: 1 })).sessionId).toBe('s');
});

function browserFields() {
  const source = composite('source', { address: str('q'), distributionMode: sym('copy') });
  return receiverFields(1, { source });
}
