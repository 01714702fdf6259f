// Faults of requests over HTTP: what the client gets, and whether the request was carried out.

import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HttpServer } from '../../src/gateway/http-server.js';
import { Port } from '../../src/gateway/port.js';
import { createApp } from '../../src/http/app.js';
import type { HttpContext } from '../../src/http/http-context.js';
import { CutOff } from '../../src/http/http-faults.js';
import { createHttpHandler } from '../../src/http/http-handler.js';
import type { FaultOperation } from '../../src/steer/fault.js';
import { Faults } from '../../src/steer/faults.js';
import type { ActivityRecord } from '../../src/watch/activity-record.js';
import { countingGuids } from '../support/broker-builders.js';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { turns } from '../support/rhea-client.js';
import { VirtualTimers } from '../support/virtual-timers.js';
import { contextUnderTest } from './support/http-context.js';

const AUTHORIZATION = 'SharedAccessSignature sr=x&sig=x&se=1&skn=x';
const BUSY_TEXT = /^The request was terminated because the namespace is being throttled\..*TrackingId:/;

let emulator: EmulatorUnderTest;
let context: HttpContext;
let internal: readonly unknown[];
let faults: Faults;
let timers: VirtualTimers;
let records: ActivityRecord[];

beforeEach(async () => {
  emulator = await openEmulatorUnderTest({
    queues: ['orders', 'other'],
    topics: [{ name: 'news', subscriptions: ['all'] }],
  });
  timers = new VirtualTimers();
  faults = new Faults({ nextGuid: countingGuids(), now: () => timers.nowMs });
  const { activity } = emulator;
  const under = contextUnderTest(emulator.engine, { faults, activity, startTimer: timers.startTimer });
  context = under.context;
  internal = under.faults;
  records = [];
  activity.observe((_kind, read) => records.push(read()));
});
afterEach(async () => {
  await turns();
  expect({ internal, timers: timers.delays }).toEqual({ internal: [], timers: [] });
  await emulator.stop();
});

type Asked = { readonly body?: string; readonly signal?: AbortSignal };

function ask(method: string, path: string, { body, signal }: Asked = {}): Promise<Response> {
  const request = new Request(`http://localhost:5300/${path}`, {
    ...{ method, headers: { authorization: AUTHORIZATION } },
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
  return createApp(context)(request);
}

const send = (asked: Asked = {}) => ask('POST', 'orders/messages', { body: 'x', ...asked });

async function detailOf(response: Response): Promise<string> {
  return /<Detail>(.*)<\/Detail>/s.exec(await response.text())?.[1] ?? '';
}

/** The conditions of the messages in the queue. */
async function conditions(): Promise<string[]> {
  await turns();
  const page = { entityPath: 'orders', fromSequenceNumber: 0, maxCount: 10 };
  const result = await emulator.engine.ask({ kind: 'inspect-messages', ...page });
  return result.kind === 'inspected-messages' ? result.messages.map(({ condition }) => condition) : [];
}

/** The path under which a message is locked. */
async function lock(): Promise<string> {
  await send();
  const { status, headers } = await ask('POST', 'orders/messages/head');
  expect(status).toBe(201);
  return new URL(headers.get('location') ?? '').pathname.slice(1);
}

describe('a request that fails', () => {
  test('to send is answered with the status of its error and Azure’s text, and nothing is stored', async () => {
    const { id } = faults.add({ on: 'send', entity: 'Orders', error: 'server-busy', times: 1 });
    const response = await send();
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await detailOf(response)).toMatch(BUSY_TEXT);
    expect(await conditions()).toEqual([]);
    expect(records).toContainEqual(
      expect.objectContaining({
        kind: 'fault-fired',
        path: 'orders',
        operation: 'send',
        fault: id,
        effect: 'error com.microsoft:server-busy',
      }),
    );
    expect((await send()).status).toBe(201);
    expect(await conditions()).toEqual(['active']);
  });

  test.each([
    ['receive', 'POST', 'orders/messages/head', 'active'],
    ['receive', 'DELETE', 'orders/messages/head', 'active'],
  ] as const)('to %s with %s leaves the message', async (on, method, path, condition) => {
    await send();
    faults.add({ on, error: 'timeout' });
    const response = await ask(method, path);
    expect([response.status, response.headers.get('retry-after')]).toEqual([408, null]);
    expect(await conditions()).toEqual([condition]);
  });

  test.each<[FaultOperation, string]>([
    ['complete', 'DELETE'],
    ['abandon', 'PUT'],
    ['renew-lock', 'POST'],
  ])('to %s leaves the lock as it was', async (on, method) => {
    const path = await lock();
    faults.add({ on, error: 'message-lock-lost', text: 'Gone with the wind.', times: 1 });
    const response = await ask(method, path);
    expect([response.status, await detailOf(response)]).toEqual([
      410,
      expect.stringMatching(/^Gone with the wind\. TrackingId:/),
    ]);
    expect(await conditions()).toEqual(['locked']);
    expect((await ask(method, path)).status).toBe(200);
  });

  test.each([
    ['GET', 'orders', 'orders'],
    ['PUT', 'made', 'made'],
    ['DELETE', 'news/Subscriptions/all', 'news/Subscriptions/all'],
    ['DELETE', 'news', 'news'],
    ['GET', '$Resources/queues', ''],
    ['GET', '$namespaceinfo', ''],
  ])('to administer with %s %s is not carried out', async (method, path, entity) => {
    faults.add({ on: 'administration', error: 'internal-error', times: 1 });
    expect((await ask(method, path)).status).toBe(500);
    expect(records).toContainEqual(expect.objectContaining({ operation: 'administration', path: entity }));
    const found = await Promise.all(
      ['orders', 'made', 'news/Subscriptions/all'].map((entityPath) =>
        emulator.engine.ask({ kind: 'find-entity', entityPath }),
      ),
    );
    expect(found.map(({ kind }) => kind)).toEqual(['entity', 'failed', 'entity']);
  });

  test.each([
    [{ status: 429 }, 429, '2', /^The request failed because of a fault that was added to the emulator\./],
    [{ status: 503, text: 'Back soon.' }, 503, '2', /^Back soon\. TrackingId:/],
    [{ status: 418 }, 418, null, /^The request failed/],
    [{ detach: true }, 500, null, /^The link is force detached/],
  ] as const)('is answered so: %j', async (effect, status, retryAfter, text) => {
    faults.add({ on: 'send', ...effect });
    const response = await send();
    expect([response.status, response.headers.get('retry-after')]).toEqual([status, retryAfter]);
    expect(await detailOf(response)).toMatch(text);
    expect(await conditions()).toEqual([]);
  });
});

test('a fault of another entity, or of another operation, does not befall a request', async () => {
  const others = [
    faults.add({ on: 'send', entity: 'other', error: 'server-busy' }),
    faults.add({ on: ['receive', 'complete', 'peek', 'administration'], error: 'server-busy' }),
    faults.add({ on: 'send', match: '1=1', error: 'server-busy' }),
  ];
  expect((await send()).status).toBe(201);
  expect(others.map(({ matchedCount }) => matchedCount)).toEqual([0, 0, 0]);
});

test.each(['deliverTwice', 'endLock'] as const)('over HTTP a receive with %s is as ever', async (effect) => {
  await send();
  faults.add({ on: 'receive', [effect]: true });
  expect((await ask('POST', 'orders/messages/head')).status).toBe(201);
  expect(await conditions()).toEqual(['locked']);
});

describe('a request that is held back', () => {
  test('is carried out and answered after its time', async () => {
    faults.add({ on: 'send', delay: 100 });
    const answer = send();
    expect(await conditions()).toEqual([]);
    expect(timers.delays).toEqual([100]);
    timers.advance(100);
    expect((await answer).status).toBe(201);
    expect(await conditions()).toEqual(['active']);
  });

  test('and whose client goes meanwhile leaves no timer', async () => {
    faults.add({ on: 'send', delay: 100, error: 'server-busy' });
    const client = new AbortController();
    const answer = send({ signal: client.signal });
    await turns();
    client.abort();
    await answer;
    expect([timers.delays, await conditions()]).toEqual([[], []]);
  });
});

describe('a request without an answer', () => {
  test.each([
    ['is carried out when its answer is lost', { loseAnswer: true }, ['active']],
    ['is not carried out on a silent connection', { silence: true }, []],
  ] as const)('%s, and ends when its client goes', async (_, effect, expected) => {
    faults.add({ on: 'send', ...effect });
    const client = new AbortController();
    let isAnswered = false;
    const answer = send({ signal: client.signal }).finally(() => {
      isAnswered = true;
    });
    expect(await conditions()).toEqual(expected);
    expect(isAnswered).toBe(false);
    client.abort();
    expect(await answer).toBeInstanceOf(CutOff);
  });

  test.each([{ silence: true }, { loseAnswer: true }] as const)(
    'ends also when its client has gone before: %j',
    async (effect) => {
      faults.add({ on: 'send', delay: 100, ...effect });
      const client = new AbortController();
      const answer = send({ signal: client.signal });
      await turns();
      client.abort();
      expect(await answer).toBeInstanceOf(CutOff);
    },
  );
});

describe('on a socket', () => {
  let door: HttpServer;
  let port: Port;
  const sockets: Socket[] = [];

  beforeEach(async () => {
    door = new HttpServer(createHttpHandler(() => undefined, context));
    port = await Port.open({ host: '127.0.0.1', port: 0 }, (socket) => door.take(socket));
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await Promise.all([door.close(0), port.close(0)]);
  });

  /** A connection on which a send has been written. */
  function sending(): Socket {
    const socket = connect({ host: '127.0.0.1', port: port.port });
    sockets.push(socket);
    const head = ['Host: localhost', `Authorization: ${AUTHORIZATION}`, 'Content-Length: 1'];
    socket.write(`POST /orders/messages HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\nx`);
    return socket;
  }

  test.each([{ reset: true }, { close: true }] as const)(
    'a request is cut off: its connection ends without an answer, with %j',
    async (effect) => {
      faults.add({ on: 'send', ...effect });
      const bytes = await sending()
        .toArray()
        .catch((error: NodeJS.ErrnoException) => [error.code]);
      expect([[], ['ECONNRESET']]).toContainEqual(bytes);
      expect(await conditions()).toEqual([]);
    },
  );

  test('a silent request ends with its connection, and the emulator with it', async () => {
    faults.add({ on: 'send', silence: true });
    const fired = new Promise<void>((resolve) => {
      emulator.activity.observe((kind) => kind === 'fault-fired' && resolve());
    });
    const bytes = sending().toArray();
    await fired;
    await door.close(0);
    expect(await bytes).toEqual([]);
  });
});
