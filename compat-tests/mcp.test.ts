// `jitney mcp` with the client of the protocol's own SDK.

import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { startEmulator } from 'jitney';
import { expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

async function connect(port: number, ...options: string[]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const args = [PROGRAM, 'mcp', '--port', String(port), ...options];
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  return client;
}

/** The text of an answer, which is JSON unless it is an error. */
async function call(client: Client, name: string, given: Record<string, unknown> = {}) {
  const { content, isError = false } = await client.callTool({ name, arguments: given });
  const [first] = content as readonly { readonly text: string }[];
  return { isError, text: first?.text ?? '' };
}

test('an assistant looks into the emulator, and acts on it only with --write', async () => {
  await using emulator = await startEmulator({ queues: ['orders'] });
  const reader = await connect(emulator.port);
  const writer = await connect(emulator.port, '--write');

  const message = { body: { total: 12 }, messageId: 'a-17' };
  expect(await call(reader, 'add_messages', { entity: 'orders', messages: message })).toEqual({
    isError: true,
    text: expect.stringContaining('need --write'),
  });
  const sent = await call(writer, 'add_messages', { entity: 'orders', messages: message });
  expect(JSON.parse(sent.text)).toEqual({ sequenceNumbers: [1] });

  const seen = await call(reader, 'get_message', { entity: 'orders', id: 1 });
  expect(JSON.parse(seen.text)).toMatchObject({ messageId: 'a-17', body: { value: { total: 12 } } });
  const found = await call(reader, 'search', { text: 'a-17' });
  expect(JSON.parse(found.text)).toMatchObject({ hits: [{ path: 'orders', sequenceNumber: 1 }] });
  expect(await call(reader, 'get_entity', { entity: 'order' })).toEqual({
    isError: true,
    text: expect.stringMatching(/^JIT3007 .*'order'.*'orders'/s),
  });

  await emulator.stop();
  expect(await call(reader, 'get_info')).toEqual({ isError: true, text: expect.stringContaining('JIT3006') });
  await Promise.all([reader.close(), writer.close()]);
});

test('without --write no act is offered, and each is refused and changes nothing', async () => {
  await using emulator = await startEmulator({ queues: ['orders'] });
  await emulator.queue('orders').send({ body: 'stays' });
  const reader = await connect(emulator.port);
  const writer = await connect(emulator.port, '--write');

  const looks = (await reader.listTools()).tools;
  expect(looks.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
  const offered = new Set(looks.map(({ name }) => name));
  const acts = (await writer.listTools()).tools.filter(({ name }) => !offered.has(name));
  expect(acts.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'add_messages',
      'purge_messages',
      'add_faults',
      'delete_entity',
      'reset',
      'stop',
    ]),
  );
  for (const { name, annotations } of acts) {
    expect(annotations, name).toMatchObject({ readOnlyHint: false });
    expect(await call(reader, name, { entity: 'orders' }), name).toEqual({
      isError: true,
      text: expect.stringContaining('need --write'),
    });
  }
  expect(await emulator.queue('orders').counts()).toMatchObject({ active: 1 });

  const purged = await call(writer, 'purge_messages', { entity: 'orders' });
  expect(JSON.parse(purged.text)).toEqual({ count: 1 });
  expect(await emulator.queue('orders').counts()).toMatchObject({ active: 0 });
  await Promise.all([reader.close(), writer.close()]);
});
