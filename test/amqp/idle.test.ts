// Azure's idle timers through the whole server, frame by frame, on a clock that the test moves.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AZURE_IDLE_TIMEOUTS, IdleWatch } from '../../src/amqp/idle-watch.js';
import { parseQueueSpec } from '../../src/config/given-queue.js';
import { openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { openEndpoint } from '../support/endpoint-under-test.js';
import type { FrameChannel } from '../support/frame-channel.js';
import { str, TRUE, uint } from '../support/frame-encoder.js';
import {
  conditionOf,
  creditFields,
  descriptionOf,
  pieceFields,
  receiverFields,
} from '../support/frame-fields.js';
import { attachReceiver, attachSender, openSession, sendPieces, settle } from '../support/frame-links.js';
import { composite } from '../support/frame-lists.js';
import {
  ANONYMOUS,
  expectAlive,
  expectForced,
  type IdleClient,
  IdleServer,
  TRACKED,
} from '../support/idle-server.js';
import { addressIn, attachConsumer, attachCreator, jmsOpen } from '../support/jms-client.js';
import { turns } from '../support/rhea-client.js';
import { sessionFields } from '../support/session-client.js';
import { VirtualTimers } from '../support/virtual-timers.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** A message of one data section of eight bytes. */
const MESSAGE = Buffer.from('005375a0083031323334353637', 'hex');

let server: IdleServer;

beforeEach(async () => {
  server = await IdleServer.open({ idleTimeouts: 'azure' });
});
afterEach(async () => {
  expect(server.emulator.faults).toEqual([]);
  await server.emulator.stop();
});

/** A server of its own kind in the place of the usual one. */
async function reopen(options: Parameters<typeof IdleServer.open>[0]): Promise<void> {
  await server.emulator.stop();
  server = await IdleServer.open(options);
}

async function detach(session: FrameChannel, handle: number): Promise<void> {
  session.send('detach', { handle: uint(handle), closed: TRUE });
  await session.take('detach');
}

describe('a link', () => {
  test.each([
    ['sender', 'Code: publisher(link1). Details: AmqpMessagePublisher.'],
    ['receiver', 'Code: consumer(link1). Details: AmqpMessageConsumer.'],
  ])(
    'of a %s that is unused for ten minutes is detached despite heartbeats, and its connection stays [LNK-07]',
    async (role, details) => {
      const connected = await server.connectWithToken();
      const { session } = connected;
      if (role === 'sender') await attachSender(session, 0, 'q');
      else await attachReceiver(session, 0, { path: 'q', isSettled: false });
      await server.pass(10 * MINUTE - 1);
      await expectAlive(connected);
      await server.pass(1);
      const word = await session.take('detach');
      expect(conditionOf(word)).toBe('amqp:link:detach-forced');
      expect(word.field('closed')?.value).toBe(true);
      expect(descriptionOf(word)).toContain(
        `The link '${role}-0' is force detached. ${details}IdleTimerExpired: Idle timeout: 00:10:00.`,
      );
      expect(descriptionOf(word)).toMatch(TRACKED);
      expect(descriptionOf(word)).toContain('SystemTracker:jitney:Queue:q,');
      session.send('detach', { handle: uint(0), closed: TRUE });
      await attachSender(session, 1, 'q');
      await expectAlive(connected);
    },
  );

  const uses: readonly [string, (session: FrameChannel) => void][] = [
    [
      'a message of the client',
      (session) => session.send('transfer', pieceFields(0, { deliveryId: 1 }), { payload: MESSAGE }),
    ],
    ['a flow of the client', (session) => session.send('flow', creditFields(0, 0))],
    ['credit for a receiver', (session) => session.send('flow', creditFields(0, 1))],
  ];
  test.each(uses)('has another ten minutes after %s [LNK-07]', async (what, use) => {
    const connected = await server.connectWithToken();
    const { session } = connected;
    if (what.endsWith('receiver')) await attachReceiver(session, 0, { path: 'q', isSettled: false });
    else await attachSender(session, 0, 'q');
    await server.pass(9 * MINUTE);
    use(session);
    await expectTenMinutes(connected);
  });

  test('that has made a temporary queue is never idle, and sends to it like any other [JMS-42]', async () => {
    const plain = { mechanism: 'PLAIN', response: '\0RootManageSharedAccessKey\0SAS_KEY_VALUE' };
    const connected = await server.connect(plain, jmsOpen());
    const { session } = connected;
    const name = addressIn(await attachCreator(session, 0, 'temporary-queue'), 'target') ?? '';
    await server.pass(60 * MINUTE);
    await expectAlive(connected);
    await sendPieces(session, 0, { pieces: [MESSAGE], deliveryId: 1 });
    await attachConsumer(session, 1, { address: name, capabilities: ['temporary-queue'] });
    session.send('flow', creditFields(1, 1));
    expect((await session.takeDelivery()).payload.includes('01234567')).toBe(true);
  });

  test('has another ten minutes after a message that is delivered on it [LNK-07]', async () => {
    const connected = await server.connectWithToken();
    await attachReceiver(connected.session, 0, { path: 'q', isSettled: true });
    connected.session.send('flow', creditFields(0, 10));
    await server.pass(9 * MINUTE);
    const { session } = await server.connectWithToken();
    await attachSender(session, 0, 'q');
    await sendPieces(session, 0, { pieces: [MESSAGE], deliveryId: 1 });
    await connected.session.takeDelivery();
    await expectTenMinutes(connected);
  });

  test('has another ten minutes after a delivery of it is settled [LNK-07]', async () => {
    const connected = await server.connectWithToken();
    const { session } = connected;
    await attachSender(session, 1, 'q');
    await sendPieces(session, 1, { pieces: [MESSAGE], deliveryId: 1 });
    await detach(session, 1);
    await attachReceiver(session, 0, { path: 'q', isSettled: false });
    session.send('flow', creditFields(0, 1));
    const { deliveryId } = await session.takeDelivery();
    await server.pass(9 * MINUTE);
    await settle(session, deliveryId, composite('accepted'));
    await expectTenMinutes(connected);
  });

  test('is not kept alive by the use of another link [LNK-07]', async () => {
    const { session } = await server.connectWithToken();
    await attachSender(session, 0, 'q');
    await attachSender(session, 1, 'q');
    for (let deliveryId = 1; deliveryId <= 11; deliveryId++) {
      await server.pass(MINUTE);
      await sendPieces(session, 1, { pieces: [MESSAGE], deliveryId });
    }
    expect(descriptionOf(await session.take('detach'))).toContain("The link 'sender-0'");
    await session.expectNothing();
  });

  test('that waits for a session, or holds one, is never idle [LNK-07, SES-09, SES-12]', async () => {
    await server.emulator.stop();
    const timers = new VirtualTimers();
    server = await IdleServer.open({ idleTimeouts: 'azure', startTimer: timers.startTimer });
    const description = parseQueueSpec('by-session?requiresSession=true&lockDuration=PT1M');
    await server.emulator.engine.ask({ kind: 'put-entity', type: 'queue', description });
    const connected = await server.connectWithToken();
    const { session } = connected;
    session.send('attach', sessionFields(0, 'one', { path: 'by-session' }));
    await session.take('attach');
    session.send('attach', sessionFields(1, null, { path: 'by-session' }));
    await server.pass(60 * MINUTE);
    await expectAlive(connected);
    // It is the session's lock that ends, on the clock of the messages.
    server.emulator.clock.advance(MINUTE);
    expect(conditionOf(await session.take('detach'))).toBe('com.microsoft:session-lock-lost');
    timers.advance(2 * MINUTE);
    expect(conditionOf(await session.take('detach'))).toBe('com.microsoft:timeout');
  });

  test('that is detached takes no message any more, though the client has not answered', async () => {
    const idle = await server.connectWithToken();
    await attachReceiver(idle.session, 0, { path: 'q', isSettled: false });
    idle.session.send('flow', creditFields(0, 10));
    await server.pass(10 * MINUTE);
    await idle.session.take('detach');
    const { session } = await server.connectWithToken();
    await attachReceiver(session, 1, { path: 'q', isSettled: false });
    await attachSender(session, 2, 'q');
    session.send('flow', creditFields(1, 1));
    await sendPieces(session, 2, { pieces: [MESSAGE], deliveryId: 1 });
    await session.takeDelivery();
  });

  /** From now on, and no more. */
  async function expectTenMinutes(connected: IdleClient): Promise<void> {
    await server.pass(10 * MINUTE - 1);
    await expectAlive(connected);
    await server.pass(1);
    expect(conditionOf(await connected.session.take('detach'))).toBe('amqp:link:detach-forced');
  }
});

describe('a connection', () => {
  test('that never had a link is closed after a minute, though it has talked to $cbs [LNK-07]', async () => {
    const connected = await server.connectWithToken();
    await server.pass(MINUTE - 1);
    await expectAlive(connected);
    await server.pass(1);
    await expectForced(connected, 'it did not have any active links in the past 60000 milliseconds');
  });

  test('whose only link was refused is closed after a minute [LNK-07]', async () => {
    const connected = await server.connectWithToken();
    const { client, session } = connected;
    const source = composite('source', { address: str('missing') });
    client.inOneWrite(() => {
      session.send('attach', receiverFields(0, { source }));
      session.send('flow', creditFields(0, 1));
    });
    await session.take('detach');
    await server.pass(MINUTE);
    await expectForced(connected, 'in the past 60000 milliseconds');
  });

  test('is closed five minutes after its last link has gone, unless there is another by then [LNK-07]', async () => {
    const connected = await server.connectWithToken();
    for (let round = 0; round < 2; round++) {
      // The link comes and goes between two looks at the clock.
      await attachSender(connected.session, 0, 'q');
      await detach(connected.session, 0);
      await server.pass(5 * MINUTE - 1);
      await expectAlive(connected);
    }
    await server.pass(1);
    await expectForced(connected, 'it did not have any active links in the past 300000 milliseconds');
  });

  test('with an idle link is closed five minutes after that link is detached [LNK-07]', async () => {
    const connected = await server.connectWithToken();
    await attachSender(connected.session, 0, 'q');
    await server.pass(10 * MINUTE);
    await connected.session.take('detach');
    await server.pass(5 * MINUTE - 1);
    await expectAlive(connected);
    await server.pass(1);
    await expectForced(connected, 'in the past 300000 milliseconds');
  });

  test('never times out unless timeouts are switched on [LNK-07]', async () => {
    await reopen({});
    const idle = await server.connect(ANONYMOUS);
    const attached = await server.connect();
    await attachSender(attached.session, 0, 'q');
    await server.pass(60 * MINUTE);
    await expectAlive(idle);
    await expectAlive(attached);
  });

  test('that is not read because others must catch up does not count as idle', async () => {
    const endpoint = openEndpoint();
    const watch = new IdleWatch({
      timeouts: AZURE_IDLE_TIMEOUTS,
      containerId: 'an endpoint',
      context: { host: 'localhost', nextGuid: () => '0123456789abcdef0123456789abcdef' },
    });
    watch.authorized();
    await openSession(endpoint);
    endpoint.connection.isHeldBack = true;
    watch.tick(endpoint.connection, 0);
    watch.tick(endpoint.connection, 10 * MINUTE);
    expect(endpoint.owner.ends).toEqual([]);
    endpoint.connection.isHeldBack = false;
    watch.tick(endpoint.connection, 11 * MINUTE);
    expect(endpoint.owner.ends).toMatchObject([{ error: { condition: 'amqp:connection:forced' } }]);
  });
});

describe('the check for idle links', () => {
  test('ends with the last connection', async () => {
    const { client } = await server.connect();
    const other = await server.connect();
    client.send('close', {});
    await turns();
    expect(server.isTicking).toBe(true);
    other.duplex.destroy();
    await turns();
    expect(server.isTicking).toBe(false);
  });

  test('keeps no process alive', async () => {
    const timerCount = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const onMachineTime = await openEmulatorUnderTest({ queues: [], idleTimeouts: 'azure' });
    const before = timerCount();
    onMachineTime.connect();
    expect(timerCount()).toBe(before);
    await onMachineTime.stop();
  });
});
