// A connection for which there is no room: the client reads why.

import { expect, test } from 'vitest';
import { openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { memoryPipe } from '../support/memory-pipe.js';
import { next, rheaConnect } from '../support/rhea-client.js';

test('every link of a refused connection is refused with the error, and nothing is recorded of it', async () => {
  const emulator = await openEmulatorUnderTest({ queues: ['orders'] });
  emulator.activity.turnOn();
  const [client, server] = memoryPipe();
  const refusal = { condition: 'amqp:resource-limit-exceeded', description: 'There is no room.' };
  emulator.server.serve(server, 'tcp', undefined, { refusal });
  const connection = rheaConnect(client);
  for (const address of ['orders', '$cbs', '$management']) {
    const refused = next(connection.open_sender(address), 'sender_error');
    expect((await refused).sender?.error).toMatchObject({
      condition: 'amqp:resource-limit-exceeded',
      description: 'There is no room.',
    });
  }
  expect([...emulator.activity.since(0)]).toEqual([]);
  expect(emulator.connections.list()).toEqual([]);
  await emulator.stop();
});
