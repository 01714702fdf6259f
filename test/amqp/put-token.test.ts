// Answers to a client that puts a token to `$cbs`, and how many links it may have there.

import type { Sender } from 'rhea';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeQueue } from '../../src/broker/contract/entities/queue-description.js';
import {
  HOST,
  openSecuredEmulator,
  type SecuredEmulator,
  sasToken,
} from '../security/support/secured-emulator.js';
import { ALLOWED, TokenClient, UNAUTHORIZED } from '../security/support/token-client.js';
import { next } from '../support/rhea-client.js';

const NAMESPACE = `sb://${HOST}/`;
const CONDITIONS = ['errorCondition', 'error-condition'];

let emulator: SecuredEmulator;
let client: TokenClient;

async function open(mode: 'any' | 'strict'): Promise<void> {
  emulator = await openSecuredEmulator(mode);
  client = new TokenClient(emulator.connect());
}

afterEach(async () => {
  client.connection.close();
  await emulator.stop();
  expect(emulator.faults).toEqual([]);
});

describe.each(['any', 'strict'] as const)('with --auth %s a token', (mode) => {
  beforeEach(() => open(mode));

  test.each([
    ['nothing', 'nothing'],
    ['Nothing/', 'Nothing'],
    ['nothing/$management', 'nothing'],
    ['nothing/$DeadLetterQueue', 'nothing'],
    ['nothing/$Transfer/$DeadLetterQueue/$management', 'nothing'],
    ['news/Subscriptions/none', 'news/Subscriptions/none'],
    ['nothing/Subscriptions/all/$management', 'nothing/Subscriptions/all'],
  ])(
    'for %s, which does not exist, is answered 404 in the words that the Java SDK knows [ERR-04]',
    async (path, entity) => {
      const { status, text, names } = await client.put(sasToken(), `${NAMESPACE}${path}`);
      expect(status).toBe(404);
      const [said = '', tracking] = text.split(' TrackingId:');
      const [sentence] = said.split(' Did you mean ');
      expect(sentence).toBe(`The messaging entity '${NAMESPACE}${entity}' could not be found.`);
      expect(tracking).toMatch(/^[0-9a-f-]{36}, SystemTracker:/);
      for (const name of CONDITIONS) expect(names).not.toContain(name);
    },
  );

  test('for a misspelt entity names the one that was probably meant, unless keys are checked', async () => {
    const { status, text } = await client.put(sasToken(), `${NAMESPACE}order`);
    expect(status).toBe(404);
    const hint = mode === 'any' ? " Did you mean 'orders'?" : '';
    expect(text).toMatch(`The messaging entity '${NAMESPACE}order' could not be found.${hint} TrackingId:`);
  });

  test.each(['', '$cbs', 'ORDERS', 'orders/$management', 'orders/$Transfer/$DeadLetterQueue', 'news'])(
    'for "%s" is accepted',
    async (path) => {
      expect((await client.put(sasToken(), `${NAMESPACE}${path}`)).status).toBe(202);
    },
  );

  test('for an address of more than 2,048 characters is answered 400', async () => {
    const { status, text } = await client.put(sasToken(), `${NAMESPACE}${'2525'.repeat(20_000)}`);
    expect(status).toBe(400);
    expect(text).toMatch(
      /^The property 'name' is "sb:[^"]*\.{3}", \d+ characters long; 2048 is the limit\.$/,
    );
  });

  test('for a subscription is accepted', async () => {
    const audience = `${NAMESPACE}news/Subscriptions/All/$DeadLetterQueue`;
    expect((await client.put(sasToken(), audience)).status).toBe(202);
  });

  test('that came too early is accepted when it comes again after its entity', async () => {
    expect((await client.put(sasToken(), `${NAMESPACE}late`)).status).toBe(404);
    await emulator.engine.ask({ kind: 'put-entity', type: 'queue', description: describeQueue('late') });
    expect((await client.put(sasToken(), `${NAMESPACE}late`)).status).toBe(202);
    expect((await client.openSender('late')).word).toBe(ALLOWED);
  });
});

describe('with --auth strict a token', () => {
  beforeEach(() => open('strict'));

  test('that is invalid does not reveal which entities exist', async () => {
    const wrong = sasToken({ key: 'wrong' });
    const answers = await Promise.all(
      ['orders', 'nothing'].map((path) => client.put(wrong, NAMESPACE + path)),
    );
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    for (const { names } of answers) for (const name of CONDITIONS) expect(names).not.toContain(name);
  });

  test.each(['jwt', 'servicebus.windows.net:sastoken', 'amqp:jwt'])(
    'is recognised by its text, not by the type "%s"',
    async (type) => {
      expect((await client.put(sasToken(), NAMESPACE, type)).status).toBe(202);
      const { text } = await emulator.entraTokens.issue(
        { audience: 'https://servicebus.azure.net/', lifetimeMs: 60_000 },
        emulator.nowMs,
      );
      expect((await client.put(text, NAMESPACE, type)).status).toBe(202);
    },
  );

  test('for a missing entity gives no right to one that is created later', async () => {
    await client.put(sasToken(), `${NAMESPACE}late`);
    await emulator.engine.ask({ kind: 'put-entity', type: 'queue', description: describeQueue('late') });
    expect((await client.openSender('late')).word).toBe(UNAUTHORIZED);
  });
});

describe('a second link to $cbs', () => {
  beforeEach(() => open('any'));

  test('of one role is refused, and the first and its connection go on', async () => {
    await client.put(sasToken());
    const senders = await client.openSender('$cbs');
    const receivers = await client.openReceiver('$cbs');
    for (const { word, text } of [senders, receivers]) {
      expect(word).toBe('amqp:not-allowed');
      expect(text).toMatch(/^A link to connection '\d+' \$cbs node has already been opened\. TrackingId:/);
    }
    expect((await client.put(sasToken())).status).toBe(202);
    expect((await client.openSender('orders')).word).toBe(ALLOWED);
  });

  test('opens as soon as the client has begun to detach the first', async () => {
    const first = await client.openSender('$cbs');
    first.link.close();
    expect((await client.openSender('$cbs')).word).toBe(ALLOWED);
  });

  test('opens as soon as the client has begun to end the session of the first, as the Go SDK does', async () => {
    const session = client.connection.create_session();
    session.begin();
    await next(session.open_sender({ target: { address: '$cbs' } }), 'sendable');
    session.close();
    expect((await client.openSender('$cbs')).word).toBe(ALLOWED);
  });

  test('opens while a detach of ours waits for its answer', async () => {
    const { link } = await client.openSender('$cbs');
    const receiver = client.connection.open_receiver({
      source: { address: '$cbs' },
      max_message_size: 10,
    });
    await next(receiver, 'receiver_open');
    (link as Sender).send({ application_properties: { operation: 'none' }, body: '' });
    receiver.on('receiver_error', () => {});
    const again = new Promise<string>((resolve) => {
      // rhea answers the detach only after this.
      receiver.once('receiver_error', async () => resolve((await client.openReceiver('$cbs')).word));
    });
    expect(await again).toBe(ALLOWED);
  });
});
