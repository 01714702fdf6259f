// Keys, signatures and tokens stay out of everything that tells what happens, at the highest level of the log and with bodies: the log,
// the events, the metrics and the control interface, over TCP and TLS, AMQP and HTTP.

import { request } from 'node:https';
import { connect as connectTcp } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import rhea, { type Connection, type EventContext, type Receiver } from 'rhea';
import { expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator.js';
import { writeSasToken } from '../../src/security/sas-token.js';
import { next, rheaConnect } from '../support/rhea-client.js';
import { TokenClient } from './support/token-client.js';

const KEY = 'cHJpbWFyeS1rZXk=';
const WRONG_KEY = 'd3Jvbmcta2V5';
const POLICIES = [
  {
    keyName: 'boss',
    rights: ['Manage', 'Send', 'Listen'] as const,
    primaryKey: KEY,
    secondaryKey: 'c2Vjb25kYXJ5',
  },
];
const CLIENT_SECRET = 'client-s3cret';
const HEADER_SECRET = 'header-s3cret';
const BODY = 'the body of the message';
const HOUR_MS = 3_600_000;

/** A key where it does not belong, as people write it. */
const ADDRESSES_WITH_KEY = [
  `amqps://Root:${KEY}@host/a`,
  `amqps://Ro%40ot:${KEY}@host/a`,
  `amqps%3A%2F%2FRoot%3A${encodeURIComponent(KEY)}%40host%2Fa`,
  `SharedAccessKey = ${KEY}`,
  `{"SharedAccessKey": "${KEY}"}`,
  `AccessKey=${KEY}`,
  `orders%3BSharedAccessKey%3D${encodeURIComponent(KEY)}`,
  `sig : ${KEY}`,
];

type Way = (emulator: Emulator) => Duplex;
const WAYS: Readonly<Record<string, Way>> = {
  TCP: ({ port }) => connectTcp(port, '127.0.0.1'),
  TLS: ({ port }) =>
    connectTls({ port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false }),
};

test.each(['any', 'strict'] as const)('with --auth %s, whatever clients show', async (auth) => {
  const told: string[] = [];
  await using emulator = await startEmulator({
    auth,
    policies: POLICIES,
    queues: ['orders'],
    logLevel: 'trace',
    logBodies: true,
    log: (level, text, details) => told.push(`${level} ${text} ${JSON.stringify(details)}`),
  });
  const tokens = await tokensFor(emulator);
  const secrets = new Set([KEY.slice(0, -1), WRONG_KEY, 'c2Vjb25kYXJ5', CLIENT_SECRET, HEADER_SECRET]);
  secrets.add(KEY); // also without its last character, which a URL escapes
  for (const secret of [...secrets]) secrets.add(Buffer.from(`\0boss\0${secret}`).toString('base64'));
  for (const token of tokens) for (const secret of secretsIn(token)) secrets.add(secret);

  for (const way of Object.values(WAYS)) {
    for (const password of [KEY, WRONG_KEY]) await signIn(way(emulator), password, auth);
    for (const lockToken of await useTokens(way(emulator), tokens)) secrets.add(lockToken);
  }
  await askOverHttp(emulator, tokens);

  const lines = told.join('\n');
  for (const word of ['sasl-init', 'sasl-outcome', 'Connected over tls', "'/orders'  GET answered", BODY]) {
    expect(lines).toContain(word); // all of it is told of
  }
  told.push(JSON.stringify(emulator.events.since()), ...(await controlAnswers(emulator)));
  expect([...secrets].filter((secret) => told.some((text) => text.includes(secret)))).toEqual([]);
  expect(secrets.size).toBeGreaterThan(15);
});

/** Good and wrong ones, of both kinds. */
async function tokensFor({ host, port }: Emulator): Promise<readonly string[]> {
  const audience = `sb://${host}/`;
  const expiresAtMs = Date.now() + HOUR_MS;
  const [good, wrong] = [KEY, WRONG_KEY].map((key) =>
    writeSasToken({ audience, keyName: 'boss', key, expiresAtMs }),
  );
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: 'worker',
    client_secret: CLIENT_SECRET,
    scope: 'https://servicebus.azure.net/.default',
  });
  const answer = await fetch(`http://127.0.0.1:${port}/adfs/oauth2/v2.0/token`, { method: 'POST', body });
  const { access_token: issued } = (await answer.json()) as { access_token: string };
  const foreign = [...issued.split('.').slice(0, 2), 'Zm9yZWlnbi1zaWduYXR1cmU'].join('.');
  return [good ?? '', wrong ?? '', issued, foreign];
}

/** The part that nobody may know, in each of its spellings. */
function secretsIn(token: string): readonly string[] {
  const signature = /sig=([^&]*)/.exec(token)?.[1] ?? token.split('.')[2] ?? token;
  return [token, signature, decodeURIComponent(signature)];
}

/** SASL PLAIN. */
async function signIn(stream: Duplex, password: string, auth: 'any' | 'strict'): Promise<void> {
  const connection = rheaConnect(stream, { username: 'boss', password, hostname: 'localhost' });
  const isRefused = auth === 'strict' && password === WRONG_KEY;
  await next(connection, isRefused ? 'connection_error' : 'connection_open');
  connection.close();
}

/** Sends and locks a message, and uses tokens in wrong places, too. Returns the lock token in its spellings. */
async function useTokens(stream: Duplex, tokens: readonly string[]): Promise<readonly string[]> {
  const connection = rheaConnect(stream, { hostname: 'localhost' });
  const client = new TokenClient(connection);
  for (const token of [...tokens].reverse()) await client.put(token, 'sb://localhost/orders');
  const sender = connection.open_sender({ target: { address: 'orders' } });
  await next(sender, 'sendable');
  sender.send({ body: rhea.message.data_section(Buffer.from(BODY)) });
  await next(sender, 'accepted');
  const tag = await lockOne(connection);
  const connectionString = `Endpoint=sb://localhost;SharedAccessKeyName=boss;SharedAccessKey=${KEY}`;
  for (const address of [...tokens, connectionString, ...ADDRESSES_WITH_KEY]) {
    await client.openSender(address);
    await client.openReceiver(address);
  }
  connection.close();
  return [tag.toString('hex'), tag.toString('base64'), guidOf(tag)];
}

async function lockOne(connection: Connection): Promise<Buffer> {
  const receiver: Receiver = connection.open_receiver({
    source: { address: 'orders' },
    credit_window: 0,
    autoaccept: false,
  });
  receiver.add_credit(1);
  const { delivery }: EventContext = await next(receiver, 'message');
  return Buffer.from(delivery?.tag as Buffer);
}

/** As .NET reads the bytes of a delivery tag. */
function guidOf(tag: Buffer): string {
  const [a, b, c] = [tag.subarray(0, 4), tag.subarray(4, 6), tag.subarray(6, 8)].map((part) =>
    Buffer.from(part).reverse().toString('hex'),
  );
  return `${a}-${b}-${c}-${tag.toString('hex', 8, 10)}-${tag.toString('hex', 10)}`;
}

async function askOverHttp({ port }: Emulator, tokens: readonly string[]): Promise<void> {
  const origin = `http://127.0.0.1:${port}`;
  const msi = `${origin}/msi/token?api-version=2019-08-01&resource=https://servicebus.azure.net`;
  await fetch(msi, { headers: { 'x-identity-header': HEADER_SECRET } });
  for (const address of ADDRESSES_WITH_KEY) {
    const url = `${origin}/${encodeURIComponent(address)}`;
    await fetch(url, { headers: { authorization: tokens[0] ?? '' } });
    await fetch(`${url}/messages`, { method: 'POST', headers: { authorization: 'none' }, body: BODY });
  }
  for (const token of tokens) {
    for (const authorization of [token, `Bearer ${token}`]) {
      const headers = { authorization };
      await fetch(`${origin}/orders?sig=${encodeURIComponent(token)}`, { headers });
      await fetch(`${origin}/orders/messages`, { method: 'POST', headers, body: BODY });
      await new Promise((resolve, reject) => {
        const options = { host: '127.0.0.1', port, path: '/orders', headers, rejectUnauthorized: false };
        request(options, (response) => response.resume().once('end', resolve))
          .once('error', reject)
          .end();
      });
    }
  }
}

/** What the control interface and the metrics say. */
async function controlAnswers({ port, host }: Emulator): Promise<readonly string[]> {
  const expiresAtMs = Date.now() + HOUR_MS;
  const token = writeSasToken({ audience: `sb://${host}/`, keyName: 'boss', key: KEY, expiresAtMs });
  const paths = ['info', 'entities', 'connections', 'locks?entity=orders', 'messages?entity=orders&max=10'];
  const urls = [...paths, 'history?entity=orders&sequenceNumber=1', '../../metrics'];
  const answers = urls.map(async (path) => {
    const url = `http://localhost:${port}/$jitney/v1/${path}`;
    const response = await fetch(url, { headers: { authorization: token } });
    expect([path, response.status]).toEqual([path, 200]);
    return response.text();
  });
  const events = await fetch(`http://localhost:${port}/$jitney/v1/events?since=0`, {
    headers: { authorization: token },
  });
  const reader = events.body?.getReader();
  let text = '';
  while (!text.includes('"kind":"locked"')) text += new TextDecoder().decode((await reader?.read())?.value);
  await reader?.cancel();
  return [...(await Promise.all(answers)), text];
}
