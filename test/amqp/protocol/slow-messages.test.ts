// Messages that come too slowly: only their links are detached.

import { expect, test } from 'vitest';
import { type EndpointUnderTest, openEndpoint } from '../../support/endpoint-under-test.js';
import type { FrameChannel } from '../../support/frame-channel.js';
import { uint } from '../../support/frame-encoder.js';
import { conditionOf, pieceFields, senderFields } from '../../support/frame-fields.js';
import { openSession } from '../../support/frame-links.js';
import { until } from '../../support/rhea-client.js';

const SECOND = 1000;
/** What a message must have after so many seconds. */
const BYTES_A_SECOND = 64_000;

let endpoint: EndpointUnderTest;
let seconds: number;

/** Two links, of which the first has begun a message. */
async function beginMessage(options: Parameters<typeof openEndpoint>[0] = {}): Promise<FrameChannel> {
  endpoint = openEndpoint(options);
  seconds = 0;
  const session = await openSession(endpoint);
  endpoint.connection.tick(0);
  for (const handle of [0, 1]) {
    session.send('attach', senderFields(handle, { initialDeliveryCount: uint(0) }));
    await session.take('attach');
  }
  await send(session, 1);
  return session;
}

async function send(session: FrameChannel, byteCount: number, more = true): Promise<void> {
  const heldBytes = more ? endpoint.connection.held.unfinished + byteCount : 0;
  session.send('transfer', pieceFields(0, { deliveryId: 0, more }), { payload: Buffer.alloc(byteCount) });
  await until(() => endpoint.connection.held.unfinished === heldBytes, 'the piece came');
}

function pass(count: number): void {
  for (let passed = 0; passed < count; passed++) endpoint.connection.tick(++seconds * SECOND);
}

test('a message whose sender stops in the middle ends its link after five seconds, with a reason, and no other link', async () => {
  const session = await beginMessage();
  pass(5);
  expect(endpoint.owner.slowCount).toBe(0);
  pass(1);
  expect(conditionOf(await session.take('detach'))).toBe('amqp:resource-limit-exceeded');
  expect(endpoint.owner.slowCount).toBe(1);
  expect(endpoint.connection.held.unfinished).toBe(0);
  pass(60);
  expect(endpoint.owner.slowCount).toBe(1);
});

test('one that comes at 64 KB a second has its minute, and no more', async () => {
  const session = await beginMessage();
  for (let second = 0; second < 59; second++) {
    await send(session, BYTES_A_SECOND);
    pass(1);
  }
  expect(endpoint.owner.slowCount).toBe(0);
  await send(session, BYTES_A_SECOND);
  pass(1);
  expect(endpoint.owner.slowCount).toBe(1);
});

test('time in which the connection is not read does not count, nor does time in which the process stood still', async () => {
  await beginMessage();
  endpoint.connection.isHeldBack = true;
  pass(120);
  endpoint.connection.isHeldBack = false;
  seconds += 100;
  pass(4);
  expect(endpoint.owner.slowCount).toBe(0);
  pass(2);
  expect(endpoint.owner.slowCount).toBe(1);
});

test('a finished message is of no interest', async () => {
  const session = await beginMessage();
  await send(session, 1, false);
  pass(120);
  expect(endpoint.owner.slowCount).toBe(0);
});

test('any time is allowed where it was asked for', async () => {
  await beginMessage({ allowsSlowMessages: true });
  pass(120);
  expect(endpoint.owner.slowCount).toBe(0);
});
