// Tokens that end, on a clock that the test moves: which links they take with them, and how a renewal keeps them.

import type { Delivery, Receiver, Sender } from 'rhea';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  HOST,
  HOUR_MS,
  keyOf,
  openSecuredEmulator,
  type SasParts,
  type SecuredEmulator,
  START_MS,
  sasToken,
} from '../security/support/secured-emulator.js';
import {
  ALLOWED,
  detachOf,
  type OpenLink,
  TokenClient,
  UNAUTHORIZED,
} from '../security/support/token-client.js';
import { next, turns } from '../support/rhea-client.js';

const ORDERS = `sb://${HOST}/orders`;

let emulator: SecuredEmulator;
let client: TokenClient;

beforeEach(async () => {
  emulator = await openSecuredEmulator();
  client = new TokenClient(emulator.connect());
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

/** Puts a token for the queue `orders`, which ends in an hour unless told otherwise. */
async function put(parts: SasParts = {}, audience = ORDERS): Promise<void> {
  expect((await client.put(sasToken(parts), audience)).status).toBe(202);
}

async function pass(durationMs: number): Promise<void> {
  await turns();
  emulator.advance(durationMs);
  await turns();
}

describe.each(['sender', 'receiver'])('a %s', (role) => {
  const open = () => (role === 'sender' ? client.openSender('orders') : client.openReceiver('orders'));

  test('is detached when its token ends, and not before [LNK-08]', async () => {
    await put();
    const opened = await open();
    await pass(HOUR_MS - 1);
    expect(opened.link.is_open()).toBe(true);
    const detached = detachOf(opened);
    await pass(1);
    const { word, text } = await detached;
    expect(word).toBe(UNAUTHORIZED);
    const right = role === 'sender' ? 'Send' : 'Listen';
    expect(text).toContain(
      `The link '${opened.link.name}' is force detached. Code: RenewToken. Details: ExpiredToken: The token is expired. ` +
        `Unauthorized access. '${right}' claim(s) are required to perform this operation. Resource: '${ORDERS}'.`,
    );
    expect((await open()).word).toBe(UNAUTHORIZED);
  });

  test('stays attached when a new token for the same audience comes [LNK-08]', async () => {
    await put();
    const opened = await open();
    await pass(HOUR_MS / 2);
    await put({ expiresAtMs: START_MS + 2 * HOUR_MS });
    await pass(HOUR_MS);
    expect(opened.link.is_open()).toBe(true);
    const detached = detachOf(opened);
    await pass(HOUR_MS / 2);
    expect((await detached).word).toBe(UNAUTHORIZED);
  });

  test('stays attached when a token for the whole namespace comes', async () => {
    await put();
    await put({ expiresAtMs: START_MS + 2 * HOUR_MS }, `sb://${HOST}/`);
    const opened = await open();
    await pass(HOUR_MS);
    expect(opened.link.is_open()).toBe(true);
  });

  test('is detached at once when its token is exchanged for one without the right', async () => {
    await put();
    const opened = await open();
    const detached = detachOf(opened);
    await put({ keyName: role === 'sender' ? 'listen-namespace' : 'send-namespace' });
    const { word, text } = await detached;
    expect(word).toBe(UNAUTHORIZED);
    expect(text).not.toContain('ExpiredToken');
  });
});

/** Sends one message and receives it under a lock. */
async function receiveOne(): Promise<{ readonly opened: OpenLink; readonly delivery: Delivery }> {
  await put();
  const sender = await client.openSender('orders');
  (sender.link as Sender).send({ body: 'one' });
  const opened = await client.openReceiver('orders');
  const receiver = opened.link as Receiver;
  const message = next(receiver, 'message');
  receiver.add_credit(1);
  const { delivery } = await message;
  if (delivery === undefined) throw new Error('nothing was delivered');
  return { opened, delivery };
}

test.each(['has just been detached for it', 'its client had closed before'])(
  'a client that has lost the right to receive cannot settle over a link that %s: the message returns [LNK-08]',
  async (way) => {
    const { opened, delivery } = await receiveOne();
    if (way.includes('closed')) opened.link.close();
    await turns();
    await put({ keyName: 'send-namespace' });
    delivery.accept();
    await turns();
    emulator.clock.advance(60_000);
    await put();
    const receiver = (await client.openReceiver('orders')).link as Receiver;
    const message = next(receiver, 'message');
    receiver.add_credit(1);
    expect((await message).message).toMatchObject({ body: 'one', delivery_count: 1 });
  },
);

test('other links stay when the token of one ends, and the connection stays', async () => {
  await put();
  await put({ expiresAtMs: START_MS + 2 * HOUR_MS }, `sb://${HOST}/other`);
  const [ends, stays] = [await client.openSender('orders'), await client.openSender('other')];
  await pass(HOUR_MS);
  expect([ends.link.is_open(), stays.link.is_open()]).toEqual([false, true]);
  expect((await client.openReceiver('other')).word).toBe(ALLOWED);
});

test('a token that is refused takes nothing from the one before it', async () => {
  await put();
  const opened = await client.openSender('orders');
  expect((await client.put(sasToken({ key: 'wrong' }), ORDERS)).status).toBe(401);
  await pass(HOUR_MS - 1);
  expect(opened.link.is_open()).toBe(true);
});

test('links that were opened with a token in place of a key end with it [JMS-89, LNK-08]', async () => {
  const request = { audience: 'https://servicebus.azure.net/', lifetimeMs: HOUR_MS };
  const { text: password } = await emulator.entraTokens.issue(request, START_MS);
  const opened = await new TokenClient(emulator.connect({ username: '$jwt', password })).openSender('orders');
  await pass(HOUR_MS - 1);
  expect(opened.link.is_open()).toBe(true);
  const detached = detachOf(opened);
  await pass(1);
  expect((await detached).word).toBe(UNAUTHORIZED);
});

test('links that were opened with the key of SASL PLAIN never expire', async () => {
  const username = 'manage-namespace';
  const plain = new TokenClient(emulator.connect({ username, password: keyOf(username) }));
  const opened = await plain.openReceiver('orders');
  await pass(1000 * HOUR_MS);
  expect(opened.link.is_open()).toBe(true);
});

test('a token that is valid for many years works although timers are shorter', async () => {
  await put({ expiresAtMs: START_MS + 100_000 * HOUR_MS });
  expect(emulator.timers.delays.every((delayMs) => delayMs < 2 ** 31)).toBe(true);
  const opened = await client.openSender('orders');
  await pass(2 ** 31 - 1);
  expect(opened.link.is_open()).toBe(true);
  expect(emulator.timers.delays).toHaveLength(1);
});

test('a connection that has gone leaves no timer', async () => {
  await put();
  expect(emulator.timers.delays).toHaveLength(1);
  client.connection.close();
  await turns();
  expect(emulator.timers.delays).toEqual([]);
});

test('the later of two tokens for one audience counts when they come together', async () => {
  const send = client.put(sasToken({ keyName: 'send-namespace' }), ORDERS);
  const listen = client.put(sasToken({ keyName: 'listen-namespace' }), ORDERS);
  await Promise.all([send, listen]);
  expect((await client.openReceiver('orders')).word).toBe(ALLOWED);
  expect((await client.openSender('orders')).word).toBe(UNAUTHORIZED);
});

test('the number of audiences of a connection is limited, and a renewal does not count', async () => {
  const token = sasToken();
  for (let count = 0; count < 4096; count += 64) {
    const puts = Array.from({ length: 64 }, (_, index) => client.put(token, `${ORDERS}/$${count + index}`));
    expect((await Promise.all(puts)).every(({ status }) => status === 202)).toBe(true);
  }
  const refused = await client.put(token, ORDERS);
  expect(refused.status).toBe(401);
  expect(refused.text).toContain('too many tokens');
  expect((await client.put(token, `${ORDERS}/$0`)).status).toBe(202);
});
