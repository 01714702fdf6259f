// Strict authorization on AMQP: which policy may do what, in which way, and what a client without the right is told.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  HOST,
  keyOf,
  type Level,
  openSecuredEmulator,
  type PolicyRight,
  type SecuredEmulator,
  START_MS,
  sasToken,
} from '../security/support/secured-emulator.js';
import {
  ALLOWED,
  detachOf,
  type Outcome,
  TokenClient,
  UNAUTHORIZED,
} from '../security/support/token-client.js';
import { next } from '../support/rhea-client.js';

type Operation = {
  readonly name: string;
  readonly path: string;
  readonly level: Level | 'other';
  readonly needs: PolicyRight;
  readonly perform: (client: TokenClient) => Promise<Outcome>;
};

const LEVELS: readonly Level[] = ['namespace', 'orders', 'news'];
const RIGHTS: readonly PolicyRight[] = ['manage', 'send', 'listen'];
const TRACKED = / TrackingId:[0-9a-f-]{36}, SystemTracker:\S+, Timestamp:\S+$/;

const LINKS: readonly Operation[] = [
  sending('orders', 'orders'),
  sending('news', 'news'),
  sending('other', 'other'),
  sending('orders/archive', 'other'),
  receiving('orders', 'orders'),
  receiving('orders/$DeadLetterQueue', 'orders'),
  receiving('news/Subscriptions/all', 'news'),
  receiving('news/Subscriptions/all/$DeadLetterQueue', 'news'),
  receiving('other', 'other'),
];

const MANAGEMENT: readonly Operation[] = [
  ...['schedule-message', 'cancel-scheduled-message'].map((name) => managing(name, 'send')),
  ...['renew-lock', 'peek-message', 'receive-by-sequence-number', 'update-disposition'].map((name) =>
    managing(name, 'listen'),
  ),
  ...['batch-delete-messages', 'renew-session-lock', 'get-session-state', 'set-session-state'].map((name) =>
    managing(name, 'listen'),
  ),
  ...['get-message-sessions', 'add-rule', 'remove-rule', 'enumerate-rules'].map((name) =>
    managing(name, 'listen'),
  ),
];

function sending(path: string, level: Operation['level']): Operation {
  return {
    name: `sending to ${path}`,
    path,
    level,
    needs: 'send',
    perform: (client) => client.openSender(path),
  };
}

function receiving(path: string, level: Operation['level']): Operation {
  const perform = (client: TokenClient) => client.openReceiver(path);
  return { name: `receiving from ${path}`, path, level, needs: 'listen', perform };
}

function managing(operation: string, needs: PolicyRight): Operation {
  const perform = (client: TokenClient) => client.manage('orders', `com.microsoft:${operation}`);
  return { name: operation, path: 'orders/$management', level: 'orders', needs, perform };
}

function mayDo({ level, needs }: Operation, policy: Level, right: PolicyRight): boolean {
  return (policy === 'namespace' || policy === level) && (right === 'manage' || right === needs);
}

let emulator: SecuredEmulator;

beforeAll(async () => {
  emulator = await openSecuredEmulator();
});
afterAll(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

function expectLacking(outcome: Outcome, { path }: Operation): void {
  expect(outcome.word).toBe(UNAUTHORIZED);
  expect(outcome.text).toMatch(/^Unauthorized access\. '(Send|Listen|Send,Listen)' claim\(s\) are required /);
  expect(outcome.text).toContain(
    `to perform this operation. Resource: 'sb://${HOST}/${path.toLowerCase()}'.`,
  );
  expect(outcome.text).toMatch(TRACKED);
}

describe.each(LEVELS.flatMap((level) => RIGHTS.map((right) => ({ level, right }))))(
  'the policy "$right" of $level, by tokens',
  ({ level, right }) => {
    test.each(
      [...LINKS, ...MANAGEMENT].map((operation) => ({ operation, is: mayDo(operation, level, right) })),
    )('$operation.name: $is', async ({ operation, is }) => {
      const client = new TokenClient(emulator.connect());
      const audience = `sb://${HOST}/${level === 'namespace' ? '' : level}`;
      const { status } = await client.put(sasToken({ keyName: `${right}-${level}`, audience }), audience);
      expect(status).toBe(202);
      const outcome = await operation.perform(client);
      if (is) expect(outcome.word).toBe(ALLOWED);
      else expectLacking(outcome, operation);
      client.connection.close();
    });
  },
);

describe.each(RIGHTS)('the policy "%s" of the namespace, by SASL PLAIN', (right) => {
  test.each(
    [...LINKS, ...MANAGEMENT].map((operation) => ({ operation, is: mayDo(operation, 'namespace', right) })),
  )('$operation.name: $is', async ({ operation, is }) => {
    const username = `${right}-namespace`;
    const client = new TokenClient(emulator.connect({ username, password: keyOf(username) }));
    const outcome = await operation.perform(client);
    if (is) expect(outcome.word).toBe(ALLOWED);
    else expectLacking(outcome, operation);
    client.connection.close();
  });
});

describe('the user `$jwt` of azure-servicebus-jms', () => {
  const connect = (password: string) => emulator.connect({ username: '$jwt', password });

  test('opens the links that the role of its token allows [JMS-89]', async () => {
    const client = new TokenClient(connect(await senderToken()));
    expect((await client.openSender('orders')).word).toBe(ALLOWED);
    expect((await client.openReceiver('orders')).word).toBe(UNAUTHORIZED);
    client.connection.close();
  });

  test('opens with a shared access signature what that is for [JMS-89]', async () => {
    const audience = `sb://${HOST}/orders`;
    const client = new TokenClient(connect(sasToken({ keyName: 'send-namespace', audience })));
    expect((await client.openSender('orders')).word).toBe(ALLOWED);
    expect((await client.openReceiver('orders')).word).toBe(UNAUTHORIZED);
    expect((await client.openSender('other')).word).toBe(UNAUTHORIZED);
    client.connection.close();
  });

  test.each(['a.b.c', 'SAS_KEY_VALUE', sasToken({ key: 'wrong' })])(
    'is turned away with "%s" for a token [JMS-89]',
    async (password) => {
      const connection = connect(password);
      const { error } = await next(connection, 'connection_error');
      expect(error ?? connection.get_error()).toMatchObject({ condition: UNAUTHORIZED });
    },
  );
});

test.each(LINKS)('without any token $name is refused', async (operation) => {
  const client = new TokenClient(emulator.connect());
  expectLacking(await operation.perform(client), operation);
  client.connection.close();
});

test('sending through one entity to another needs Send on both [TXN-10]', async () => {
  const client = new TokenClient(emulator.connect());
  const open = () => client.openSender('orders', { 'com.microsoft:transfer-destination-address': 'news' });
  for (const entity of ['orders', 'news']) {
    expect((await open()).word).toBe(UNAUTHORIZED);
    const audience = `sb://${HOST}/${entity}`;
    await client.put(sasToken({ keyName: `send-${entity}`, audience }), audience);
  }
  const sender = await open();
  expect(sender.word).toBe(ALLOWED);
  const audience = `sb://${HOST}/news`;
  const ended = detachOf(sender);
  await client.put(sasToken({ keyName: 'listen-news', audience }), audience);
  expect((await ended).word).toBe(UNAUTHORIZED);
  client.connection.close();
});

test('a client without rights cannot distinguish a missing entity from an existing one', async () => {
  const client = new TokenClient(emulator.connect());
  expect((await client.openSender('nothing')).word).toBe(UNAUTHORIZED);
  await client.put(sasToken());
  expect((await client.openSender('nothing')).word).toBe('amqp:not-found');
  client.connection.close();
});

test.each([
  ['manage-namespace', 'wrong'],
  ['nobody', keyOf('nobody')],
])('SASL PLAIN as %s with the key "%s" is turned away', async (username, password) => {
  const connection = emulator.connect({ username, password });
  const { error } = await next(connection, 'connection_error');
  expect(error ?? connection.get_error()).toMatchObject({ condition: UNAUTHORIZED });
});

test.each([
  [
    'tampered with',
    sasToken().replace(/se=\d+/, 'se=9999999999'),
    'InvalidSignature: The token has an invalid signature.',
  ],
  [
    'signed with a wrong key',
    sasToken({ key: 'wrong' }),
    'InvalidSignature: The token has an invalid signature.',
  ],
  [
    'expired',
    sasToken({ expiresAtMs: START_MS - 1000 }),
    "ExpiredToken: The token is expired. Expiration time: '2025-12-31T23:59:59.000Z'.",
  ],
  [
    'for another host',
    sasToken({ audience: 'sb://elsewhere.example/' }),
    `InvalidAudience: The token is not for 'sb://${HOST}/'.`,
  ],
  ['oversized', `${sasToken()}&x=${'x'.repeat(20_000)}`, 'MalformedToken: The token has '],
  ['no JSON Web Token', 'a.b.c', 'MalformedToken: It is not a JSON Web Token.'],
])('a token that is %s is refused with 401 and the reason', async (_, token, why) => {
  const client = new TokenClient(emulator.connect());
  const answer = await client.put(token);
  expect(answer.status).toBe(401);
  expect(answer.text.startsWith(why)).toBe(true);
  expect(answer.text).toMatch(TRACKED);
  expect((await client.openSender('orders')).word).toBe(UNAUTHORIZED);
  client.connection.close();
});

test('a token of Entra opens the links that its role allows', async () => {
  const client = new TokenClient(emulator.connect());
  expect(await client.put(await senderToken(), `sb://${HOST}/orders`)).toMatchObject({ status: 202 });
  expect((await client.openSender('orders')).word).toBe(ALLOWED);
  expect((await client.openReceiver('orders')).word).toBe(UNAUTHORIZED);
  client.connection.close();
});

async function senderToken(): Promise<string> {
  const request = { audience: 'https://servicebus.azure.net/', lifetimeMs: 60_000 };
  const roles = ['Azure Service Bus Data Sender'];
  return (await emulator.entraTokens.issue({ ...request, roles }, emulator.nowMs)).text;
}
