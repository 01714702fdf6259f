// The test client itself: that it writes what it is told, reads what is there, and says clearly what came instead.

import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyValue } from './frame-arbitraries.js';
import { FrameClient, PROTOCOL_HEADER } from './frame-client.js';
import { decode, decodeAt } from './frame-decoder.js';
import { array, FALSE, long, map, NULL, str, sym, timestamp, uint, ushort } from './frame-encoder.js';
import { composite } from './frame-lists.js';
import { notation } from './frame-notation.js';
import { memoryPipe } from './memory-pipe.js';

/** A client, and a second one that plays the server. */
function clientAndServer(): { client: FrameClient; server: FrameClient } {
  const [left, right] = memoryPipe();
  return { client: new FrameClient(left), server: new FrameClient(right) };
}

test('a list has the fields that were named and nulls between them, and ends with the last one named', () => {
  const open = composite('open', { containerId: str('c'), channelMax: ushort(7), properties: NULL });
  expect(open.toString('hex')).toBe('005310c00f0aa101634040600007404040404040');
});

test('a list can be written wide, and with its descriptor as a symbol', () => {
  const shape = { isWide: true, descriptor: 'symbol' } as const;
  expect(composite('end', {}, shape).toString('latin1')).toBe(
    '\0\xa3\x0damqp:end:list\xd0\0\0\0\x04\0\0\0\0',
  );
});

test('a value is shown with its type', () => {
  const value = map([
    [sym('a'), array([timestamp(1), timestamp(2)])],
    [str('b'), long(-5)],
  ]);
  expect(notation(decode(value))).toBe(`{'a: array [timestamp 1, timestamp 2], "b": long -5}`);
});

test('every value that can be written can be read, to its last byte', () =>
  fc.assert(
    fc.property(anyValue, (value) => {
      expect(decodeAt(value, 0).next).toBe(value.length);
    }),
  ));

test('a frame arrives with its fields by name and by position, and its payload', async () => {
  const { client, server } = clientAndServer();
  client.send('transfer', { handle: uint(3), settled: FALSE }, { payload: Buffer.from('body') });
  const transfer = await server.inbox.expect('transfer');
  expect(transfer.positions.map(notation)).toEqual(['uint 3', 'null', 'null', 'null', 'false']);
  expect(notation(transfer.field('settled'))).toBe('false');
  expect(notation(transfer.field('more'))).toBe('absent');
  expect(transfer.payload.toString()).toBe('body');
});

test('a frame that was not expected is shown', async () => {
  const { client, server } = clientAndServer();
  server.send('open', { containerId: str('me') });
  server.send('close', { error: composite('error', { condition: sym('amqp:not-allowed') }) });
  await client.expect('open');
  await expect(client.expect('begin')).rejects.toThrow(
    "expected begin on the connection, but the server wrote close[error['amqp:not-allowed]]",
  );
});

test('waiting ends when nothing comes, and at once when the other side is gone', async () => {
  const { client, server } = clientAndServer();
  await expect(client.channel(1).expect('begin')).rejects.toThrow(
    /expected begin on channel 1, but .* nothing/,
  );
  server.destroy();
  await expect(client.channel(1).expect('begin')).rejects.toThrow('but the server closed the connection');
});

test('what is written in pieces is read as frames, and each frame knows the write it came in', async () => {
  const { client, server } = clientAndServer();
  server.write(PROTOCOL_HEADER.amqp.subarray(0, 3));
  await nextTurn();
  server.inOneWrite(() => {
    server.write(PROTOCOL_HEADER.amqp.subarray(3));
    server.send('open', { containerId: str('me') });
  });
  await nextTurn();
  server.send('close', {});
  await client.expectHeader('amqp');
  const open = await client.expect('open');
  const close = await client.expect('close');
  expect([open.writeIndex, close.writeIndex]).toEqual([2, 3]);
});

test('a pipe holds its writer back until it is read', async () => {
  const [left, right] = memoryPipe();
  let isWritten = false;
  left.write(Buffer.alloc(1024 * 1024), () => {
    isWritten = true;
  });
  await nextTurn();
  expect(isWritten).toBe(false);
  right.resume();
  await expect.poll(() => isWritten).toBe(true);
});

test('the end of one end of a pipe is the end of the other', async () => {
  const [left, right] = memoryPipe();
  const closed = new Promise((resolve) => right.once('close', resolve));
  right.resume();
  left.destroy();
  await closed;
});
