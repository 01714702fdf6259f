// The answer to what node:http cannot read as a request, and the end of a client that never stops.

import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { answerUnreadable } from '../../src/gateway/unreadable-request.js';

test('a client that goes on sending after its answer is cut off', async () => {
  const socket = new PassThrough();
  const closed = once(socket, 'close');
  answerUnreadable(Object.assign(new Error('overflow'), { code: 'HPE_HEADER_OVERFLOW' }), socket, 1);
  expect(String(socket.read())).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
  await closed;
});

test('each further fault of the same request is not answered again', () => {
  const socket = new PassThrough();
  answerUnreadable(new Error('first'), socket);
  answerUnreadable(new Error('second'), socket);
  expect(String(socket.read()).match(/HTTP\/1\.1 400 /g)).toHaveLength(1);
  socket.destroy();
});
