// Clients beyond the number of connections, and links beyond the number that one connection may have.

import { connect as connectSocket } from 'node:net';
import type { Connection, Sender } from 'rhea';
import { expect, test } from 'vitest';
import { startEmulator } from '../../src/emulator.js';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { next, rheaConnect, until } from '../support/rhea-client.js';
import { VirtualTimers } from '../support/virtual-timers.js';

type Opener = { open_sender(address: string): Sender };

/** `error`: the one with which the link is refused. */
async function attach(opener: Opener): Promise<{ sender: Sender; error: Sender['error'] }> {
  const sender = opener.open_sender('orders');
  await Promise.race([next(sender, 'sendable'), next(sender, 'sender_error')]);
  return { sender, error: sender.error };
}

const open = ({ connect }: EmulatorUnderTest): Connection => rheaConnect(connect());

test('a link beyond the limit of its connection is refused with the service’s error, whatever its session', async () => {
  const emulator = await openEmulatorUnderTest({ queues: ['orders'], maxLinks: 3 });
  const connection = open(emulator);
  const session = connection.create_session();
  session.begin();
  const first = await attach(connection);
  for (const opener of [session, session]) expect((await attach(opener)).error).toBeUndefined();
  const { error } = await attach(connection);
  expect(error).toMatchObject({
    condition: 'amqp:resource-limit-exceeded',
    description: expect.stringMatching(
      /^Cannot allocate more handles\. The maximum number of handles is 3\./,
    ),
  });
  expect((await attach(open(emulator))).error).toBeUndefined();

  first.sender.close();
  await next(first.sender, 'sender_close');
  expect((await attach(connection)).error).toBeUndefined();
  expect((await attach(connection)).error).toBeDefined();
  session.close();
  await next(session, 'session_close');
  for (let count = 0; count < 2; count++) expect((await attach(connection)).error).toBeUndefined();
  await emulator.stop();
});

test('a client beyond the limit of connections reads why on its links, and is closed after five seconds', async () => {
  const timers = new VirtualTimers();
  const hints: string[] = [];
  const emulator = await openEmulatorUnderTest({
    queues: ['orders'],
    maxConnections: 2,
    startTimer: timers.startTimer,
    onHint: (hint) => hints.push(hint),
  });
  const served = [open(emulator), open(emulator)];
  for (const connection of served) expect((await attach(connection)).error).toBeUndefined();

  for (let count = 0; count < 2; count++) {
    const late = open(emulator);
    const { error } = await attach(late);
    expect(error).toMatchObject({
      condition: 'amqp:resource-limit-exceeded',
      description: expect.stringMatching(/^ConnectionsQuotaExceeded for namespace: localhost\..*TrackingId/),
    });
    const closed = next(late, 'connection_close');
    timers.advance(5000);
    await closed;
  }
  expect(hints).toEqual([
    expect.stringMatching(/^A client was refused: 2 connections are open.*--limits none$/),
  ]);

  served[0]?.close();
  await until(() => emulator.connections.list().length === 1, 'the connection is closed');
  expect((await attach(open(emulator))).error).toBeUndefined();
  expect(timers.delays).toEqual([]);
  await emulator.stop();
});

test('with --limits azure, a connection has 4,999 links', async () => {
  await using emulator = await startEmulator({ limits: 'azure', queues: ['orders'] });
  const { port } = emulator;
  const connection = rheaConnect(connectSocket({ port, host: '127.0.0.1' }));
  const links = await Promise.all(Array.from({ length: 5000 }, () => attach(connection)));
  expect(links.filter(({ error }) => error !== undefined)).toHaveLength(1);
  connection.close();
});
