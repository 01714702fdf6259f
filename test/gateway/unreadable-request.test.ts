// The answer to what node:http cannot read as a request, and the end of a client that never stops.

import { once } from 'node:events';
import { expect, test } from 'vitest';
import { answerUnreadable } from '../../src/gateway/unreadable-request.js';
import { memoryPipe } from '../support/memory-pipe.js';
import { VirtualTimers } from '../support/virtual-timers.js';

function fault(code: string): Error {
  return Object.assign(new Error('unreadable'), { code });
}

test.each([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', '413 Payload Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
  ['HPE_INVALID_METHOD', '400 Bad Request'],
])('the fault %s is answered %s', async (code, status) => {
  const [socket, client] = memoryPipe();
  answerUnreadable(fault(code), socket, 1000, new VirtualTimers().startTimer);
  const [answer] = await once(client, 'data');
  expect(String(answer)).toBe(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
  client.destroy();
});

test('a client that goes on sending after its answer is cut off when its time is over', async () => {
  const timers = new VirtualTimers();
  const [socket, client] = memoryPipe();
  answerUnreadable(fault('HPE_HEADER_OVERFLOW'), socket, 1000, timers.startTimer);
  await new Promise((sent) => client.write('x', sent));
  timers.advance(999);
  expect(socket.destroyed).toBe(false);
  timers.advance(1);
  expect(socket.destroyed).toBe(true);
});

test('a client that closes its side after its answer is waited for no longer', async () => {
  const timers = new VirtualTimers();
  const [socket, client] = memoryPipe();
  const closed = once(socket, 'close');
  answerUnreadable(fault('HPE_HEADER_OVERFLOW'), socket, 1000, timers.startTimer);
  client.resume().end();
  await closed;
  expect(timers.delays).toEqual([]);
});

test('each further fault of the same request is not answered again', async () => {
  const timers = new VirtualTimers();
  const [socket, client] = memoryPipe();
  answerUnreadable(fault('first'), socket, 1000, timers.startTimer);
  answerUnreadable(fault('second'), socket, 1000, timers.startTimer);
  expect((await client.setEncoding('utf8').toArray()).join('').match(/HTTP\/1\.1 400 /g)).toHaveLength(1);
  expect(timers.delays).toEqual([1000]);
  socket.destroy();
});

test('a client that is gone is neither answered nor waited for', () => {
  const timers = new VirtualTimers();
  const [socket] = memoryPipe();
  answerUnreadable(fault('ECONNRESET'), socket.destroy(), 1000, timers.startTimer);
  expect(timers.delays).toEqual([]);
});
