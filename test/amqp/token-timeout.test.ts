// The time a client has to put its first token, through the whole server, on a clock that the test moves.

import { afterEach, describe, expect, test } from 'vitest';
import { attachSender } from '../support/frame-links.js';
import {
  ANONYMOUS,
  expectAlive,
  expectForced,
  IdleServer,
  putToken,
  type Sasl,
} from '../support/idle-server.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

let server: IdleServer;
afterEach(async () => {
  expect(server.emulator.faults).toEqual([]);
  await server.emulator.stop();
});

describe('a token', () => {
  const anonymous: readonly [string, Sasl | undefined][] = [
    ['without SASL', undefined],
    ['with ANONYMOUS', ANONYMOUS],
    ['with MSSBCBS', { mechanism: 'MSSBCBS', response: '' }],
  ];
  test.each(anonymous)(
    'that a client %s does not put within 20 seconds is missed: its connection is closed [LNK-07]',
    async (_, sasl) => {
      server = await IdleServer.open({ idleTimeouts: 'azure' });
      const connected = await server.connect(sasl);
      await attachSender(connected.session, 0, 'q');
      await server.pass(20 * SECOND - 1);
      await expectAlive(connected);
      await server.pass(1);
      await expectForced(connected, 'no token was put to $cbs within 20000 milliseconds');
    },
  );

  test.each(anonymous)(
    'that a client %s puts in time keeps its connection open [LNK-07]',
    async (_, sasl) => {
      server = await IdleServer.open({ idleTimeouts: 'azure' });
      const connected = await server.connect(sasl);
      await server.pass(19 * SECOND);
      await putToken(connected.session, { type: 'jwt', name: 'sb://jitney.example/q' });
      await server.pass(30 * SECOND);
      await expectAlive(connected);
    },
  );

  test('that is refused does not count', async () => {
    server = await IdleServer.open({ idleTimeouts: 'azure' });
    const connected = await server.connect();
    await putToken(connected.session, { type: 'jwt' });
    await server.pass(20 * SECOND);
    await expectForced(connected, 'no token was put to $cbs');
  });

  test.each([
    ['PLAIN', '\0RootManageSharedAccessKey\0secret'],
    ['EXTERNAL', ''],
  ])('is not needed with %s', async (mechanism, response) => {
    server = await IdleServer.open({ idleTimeouts: 'azure' });
    const connected = await server.connect({ mechanism, response });
    await server.pass(30 * SECOND);
    await expectAlive(connected);
  });

  test('may be all that is waited for', async () => {
    server = await IdleServer.open({ authorizationTimeoutMs: 5 * SECOND });
    const silent = await server.connect();
    const talking = await server.connectWithToken();
    await server.pass(5 * SECOND);
    await expectForced(silent, 'within 5000 milliseconds');
    await server.pass(30 * MINUTE);
    await expectAlive(talking);
  });
});
