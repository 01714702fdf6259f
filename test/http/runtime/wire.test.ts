// What really goes over a socket: the headers that are not there, uploads that are too large, and clients that hang up.

import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHttpHandler } from '../../../src/http/http-handler.js';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../../support/emulator-under-test.js';
import { VirtualTimers } from '../../support/virtual-timers.js';
import { contextUnderTest } from '../support/http-context.js';

const MEBIBYTE = 1024 * 1024;

let emulator: EmulatorUnderTest;
let server: Server;
let timers: VirtualTimers;
let faults: readonly unknown[];

beforeEach(async () => {
  emulator = await openEmulatorUnderTest({ queues: ['orders'] });
  timers = new VirtualTimers();
  const under = contextUnderTest(emulator.engine, { startTimer: timers.startTimer });
  faults = under.faults;
  server = createServer(createHttpHandler(() => undefined, under.context)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await emulator.stop();
  expect(faults).toEqual([]);
});

function open(method: string, path: string, headers: Readonly<Record<string, string | number>> = {}) {
  const { port } = server.address() as AddressInfo;
  const authorization = 'SharedAccessSignature sr=x';
  return request({
    host: '127.0.0.1',
    port,
    method,
    path,
    agent: false,
    headers: { authorization, ...headers },
  });
}

async function ask(method: string, path: string, body = '', headers: Readonly<Record<string, string>> = {}) {
  const client = open(method, path, headers).end(body);
  const [response]: IncomingMessage[] = await once(client, 'response');
  if (response === undefined) throw new Error('a response event has a response');
  const text = (await response.setEncoding('utf8').toArray()).join('');
  return { status: response.statusCode, headers: response.headers, text };
}

test('an answer with a message has no header that azure-sb would take for a property of it', async () => {
  await ask('POST', '/orders/messages', 'hello', { 'content-type': 'text/plain', Colour: '"red"' });
  const { status, headers, text } = await ask('POST', '/orders/messages/head');
  expect({ status, text }).toEqual({ status: 201, text: 'hello' });
  expect(Object.keys(headers).sort()).toEqual([
    ...['brokerproperties', 'colour', 'content-type', 'date', 'location', 'transfer-encoding'],
  ]);
});

test('an empty message is an answer like any other', async () => {
  await ask('POST', '/orders/messages');
  const { status, headers, text } = await ask('DELETE', '/orders/messages/head');
  expect({ status, text }).toEqual({ status: 200, text: '' });
  expect(headers).not.toHaveProperty('content-length');
});

test('a property keeps the spelling in which its name was sent', async () => {
  await ask('POST', '/orders/messages', '', { PriorityOfThis: '"high"' });
  const command = { kind: 'peek', entityPath: 'orders', fromSequenceNumber: 0, maxCount: 1 } as const;
  const result = await emulator.engine.ask(command);
  const [message] = result.kind === 'messages' ? result.messages : [];
  const content = await emulator.engine.readContent(message?.contentId ?? 0);
  expect(Buffer.from(content).includes('PriorityOfThis')).toBe(true);
});

test('the global Request and Response of the program stay unchanged', async () => {
  const { Request: before, Response: answer } = globalThis;
  await ask('DELETE', '/orders/messages/head?timeout=0');
  expect(globalThis.Request).toBe(before);
  expect(globalThis.Response).toBe(answer);
});

test.each<[string, Readonly<Record<string, number>>]>([
  ['whose size is announced', { 'content-length': 100 * MEBIBYTE }],
  ['whose size is not', {}],
])('a body of 100 MiB %s is refused while it is still being sent', async (_, headers) => {
  const client = open('POST', '/orders/messages', headers);
  client.on('error', () => {});
  const chunk = Buffer.alloc(MEBIBYTE);
  const answered = once(client, 'response');
  client.write(chunk);
  const [response]: IncomingMessage[] = await answered;
  expect(response?.statusCode).toBe(403);
  expect((await response?.setEncoding('utf8').toArray())?.join('')).toContain('exceeds the limit');
  client.destroy();
});

test('a client that hangs up while it waits is given nothing, and the next one gets the message', async () => {
  const client = open('DELETE', '/orders/messages/head').end();
  client.on('error', () => {});
  while (timers.delays.length === 0) await new Promise(setImmediate);
  client.destroy();
  while (timers.delays.length > 0) await new Promise(setImmediate);
  await ask('POST', '/orders/messages', 'still here');
  expect((await ask('DELETE', '/orders/messages/head?timeout=0')).text).toBe('still here');
});
