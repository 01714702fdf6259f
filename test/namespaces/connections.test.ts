// A connection over AMQP belongs to one namespace: that of its first key or token.

import type { Receiver, Sender } from 'rhea';
import { describe, expect, test } from 'vitest';
import type { Emulator } from '../../src/emulator.js';
import { ALLOWED } from '../security/support/token-client.js';
import { next, until } from '../support/rhea-client.js';
import { activeIn, amqpClient, expectBothNamed, keyNameOf, put, start, tokenOf } from './support.js';

const ROOT = 'RootManageSharedAccessKey';

/** Sends a message to `orders` with a token of this key. */
async function sendAs({ port }: Emulator, keyName: string): Promise<void> {
  const client = amqpClient(port);
  expect(await put(client, tokenOf(keyName))).toMatchObject({ status: 202 });
  await send(client);
}

async function send(client: ReturnType<typeof amqpClient>): Promise<void> {
  const { link, word } = await client.openSender('orders');
  expect(word).toBe(ALLOWED);
  (link as Sender).send({ body: 'one' });
  await next(link, 'accepted');
}

test('the name of the key chooses the namespace, in any case, and without @ it is default', async () => {
  const emulator = await start({ namespaces: ['a', 'B'] });
  const [a, b] = await Promise.all([emulator.namespace('A'), emulator.namespace('b')]);
  expect([emulator, a, b].map(keyNameOf)).toEqual([ROOT, `${ROOT}@a`, `${ROOT}@b`]);
  await sendAs(emulator, `${ROOT}@A`);
  expect(await Promise.all([emulator, a, b].map(activeIn))).toEqual([0, 1, 0]);
  await sendAs(emulator, ROOT);
  await sendAs(emulator, `${ROOT}@default`);
  expect(await Promise.all([emulator, a, b].map(activeIn))).toEqual([2, 1, 0]);
});

test('a token for another namespace is answered 401, which names both; the first stays', async () => {
  const emulator = await start({ namespaces: ['a', 'b'] });
  const client = amqpClient(emulator.port);
  await put(client, tokenOf(`${ROOT}@a`));
  for (const [keyName, other] of [
    [`${ROOT}@b`, 'b'],
    [ROOT, 'default'],
  ] as const) {
    const { status, text } = await put(client, tokenOf(keyName));
    expect(status).toBe(401);
    expectBothNamed(text, 'a', other);
  }
  expect(await put(client, tokenOf(`${ROOT}@a`))).toMatchObject({ status: 202 });
  await send(client);
  expect(await activeIn(await emulator.namespace('a'))).toBe(1);
});

test('a link before any token, and a token of Entra, mean default', async () => {
  const emulator = await start({ namespaces: ['a'] });
  await send(amqpClient(emulator.port));
  const bound = amqpClient(emulator.port);
  expect(await put(bound, 'a.b.c')).toMatchObject({ status: 202 });
  expectBothNamed((await put(bound, tokenOf(`${ROOT}@a`))).text, 'default', 'a');
  expect(await activeIn(emulator)).toBe(1);
});

test("SASL PLAIN's user chooses it, too", async () => {
  const emulator = await start({ namespaces: ['a'] });
  const client = amqpClient(emulator.port, { username: `${ROOT}@a`, password: 'SAS_KEY_VALUE' });
  await send(client);
  expect(await activeIn(await emulator.namespace('a'))).toBe(1);
  expectBothNamed((await put(client, tokenOf(ROOT))).text, 'a', 'default');
  const unknown = amqpClient(emulator.port, { username: `${ROOT}@none`, password: 'SAS_KEY_VALUE' });
  await next(unknown.connection, 'connection_error');
});

test('a token as the password of $jwt chooses it, and one without @ means default', async () => {
  const emulator = await start({ namespaces: ['a'] });
  const counts: number[][] = [];
  for (const keyName of [`${ROOT}@a`, ROOT]) {
    await send(amqpClient(emulator.port, { username: '$jwt', password: tokenOf(keyName) }));
    counts.push(await Promise.all([emulator, await emulator.namespace('a')].map(activeIn)));
  }
  expect(counts).toEqual([
    [0, 1],
    [1, 1],
  ]);
});

test('one that is not there is answered 401, which says which are and how to add it', async () => {
  const lines: string[] = [];
  const emulator = await start({ namespaces: ['a'], log: (level, text) => lines.push(`${level} ${text}`) });
  const client = amqpClient(emulator.port);
  const { status, text } = await put(client, tokenOf(`${ROOT}@none`));
  expect(status).toBe(401);
  expect(text).toMatch(
    /There is no namespace 'none'; there are 'default', 'a'\. Start with --namespaces none/,
  );
  expect(lines.filter((line) => line.startsWith('warn A client was refused. UnknownNamespace'))).toHaveLength(
    1,
  );
  // The connection belongs to none yet.
  expect(await put(client, tokenOf(`${ROOT}@a`))).toMatchObject({ status: 202 });
});

test('what a connection did before its token is recorded where it then belongs', async () => {
  const emulator = await start({ namespaces: ['a', 'b'] });
  const a = await emulator.namespace('a');
  const [ofDefault, ofA] = [emulator.events, a.events];
  const client = amqpClient(emulator.port);
  await put(client, tokenOf(`${ROOT}@a`));
  const kinds = () => ofA.since().map(({ kind }) => kind);
  expect(kinds()).toEqual(['connection-opened', 'link-attached', 'link-attached', 'token-accepted']);
  client.connection.close();
  await until(() => kinds().includes('connection-closed'), 'the connection is closed');
  expect(ofDefault.since()).toEqual([]);
});

test('a connection that never shows a token is recorded in default when it ends', async () => {
  const emulator = await start({ namespaces: ['a'] });
  const { events } = emulator;
  const { connection } = amqpClient(emulator.port);
  await next(connection, 'connection_open');
  expect(events.since()).toEqual([]);
  connection.close();
  await until(() => events.since().length === 2, 'the connection is closed');
  expect(events.since().map(({ kind }) => kind)).toEqual(['connection-opened', 'connection-closed']);
});

test.each(['off', 'azure'] as const)(
  'faults hit the operations of their own namespace, the first token included: idle timeouts %s',
  async (idleTimeouts) => {
    const emulator = await start({ namespaces: ['a'], idleTimeouts });
    const a = await emulator.namespace('a');
    a.faults.add({ on: 'token', error: 'amqp:unauthorized-access', times: 1 });
    expect(await put(amqpClient(emulator.port), tokenOf(ROOT))).toMatchObject({ status: 202 });
    expect((await put(amqpClient(emulator.port), tokenOf(`${ROOT}@a`))).status).toBe(401);
    expect(await put(amqpClient(emulator.port), tokenOf(`${ROOT}@a`))).toMatchObject({ status: 202 });
  },
);

test('a port of its own is for clients without a key, and refuses keys of others', async () => {
  const emulator = await start({ namespaces: [{ name: 'a', port: 0 }, 'b'] });
  const a = await emulator.namespace('a');
  expect(a.port).not.toBe(emulator.port);
  await send(amqpClient(a.port));
  const client = amqpClient(a.port);
  for (const token of ['a.b.c', tokenOf(ROOT), tokenOf(`${ROOT}@a`)]) {
    expect(await put(client, token)).toMatchObject({ status: 202 });
  }
  expectBothNamed((await put(client, tokenOf(`${ROOT}@b`))).text, 'b', 'a');
  expect(await Promise.all([emulator, a].map(activeIn))).toEqual([0, 1]);
  await a.stop();
  await expect(fetch(`http://localhost:${a.port}/health`)).rejects.toThrow();
});

test('`idle` of a namespace does not wait for the clients of another', async () => {
  const emulator = await start({ namespaces: ['a'] });
  const client = amqpClient(emulator.port);
  await put(client, tokenOf(`${ROOT}@a`));
  await send(client);
  const receiving = await client.openReceiver('orders');
  (receiving.link as Receiver).add_credit(1);
  await next(receiving.link, 'message');
  await emulator.idle({ timeoutMs: 1000 });
  await expect((await emulator.namespace('a')).idle({ timeoutMs: 1 })).rejects.toThrow(/1 message locked/);
});

describe('with --auth strict', () => {
  const STRICT = {
    auth: 'strict',
    namespaces: ['a', 'b'],
    policies: [
      { keyName: 'boss', rights: ['Manage', 'Send', 'Listen'], primaryKey: 'of all' },
      { keyName: 'sender@a', rights: ['Send'], primaryKey: 'of a' },
      { keyName: 'listener@b', rights: ['Listen'], primaryKey: 'of b' },
    ],
  } as const;

  test.each([
    ['boss', 'of all', 'default', ['Send', 'Listen']],
    ['boss@a', 'of all', 'a', []],
    ['boss@b', 'of all', 'b', []],
    ['sender', 'of a', 'default', []],
    ['sender@a', 'of a', 'a', ['Send']],
    ['sender@a', 'of all', 'a', []],
    ['sender@b', 'of a', 'b', []],
    ['listener@a', 'of b', 'a', []],
    ['listener@b', 'of b', 'b', ['Listen']],
  ] as const)('the key %s with "%s" has in %s the rights %j', async (keyName, key, _namespace, rights) => {
    const emulator = await start(STRICT);
    const client = amqpClient(emulator.port);
    const { status } = await put(client, tokenOf(keyName, key));
    expect(status).toBe(rights.length === 0 ? 401 : 202);
    const sender = await client.openSender('orders');
    const receiver = await client.openReceiver('orders');
    expect([sender.word === ALLOWED, receiver.word === ALLOWED]).toEqual([
      rights.some((right) => right === 'Send'),
      rights.some((right) => right === 'Listen'),
    ]);
  });

  test("SASL PLAIN's key is checked by the policies of its user's namespace", async () => {
    const { port } = await start(STRICT);
    const signedIn = async (username: string, password: string) => {
      const { connection } = amqpClient(port, { username, password });
      const events = ['connection_open', 'connection_error'].map(async (event) => {
        await next(connection, event);
        return event;
      });
      return (await Promise.race(events)) === 'connection_open';
    };
    expect(await signedIn('boss@b', 'of all')).toBe(false);
    expect(await signedIn('listener@b', 'of b')).toBe(true);
    expect(await signedIn('listener@b', 'of all')).toBe(false);
    expect(await signedIn('listener', 'of b')).toBe(false);
    expect(await signedIn('boss', 'of all')).toBe(true);
  });

  test('a policy for a namespace that is not there refuses the start', async () => {
    const policies = [{ keyName: 'sender@c', rights: ['Send'], primaryKey: 'of c' }] as const;
    await expect(start({ ...STRICT, policies })).rejects.toThrow(
      /'sender@c' is for the namespace 'c', which is not there/,
    );
  });
});
