// The largest frame a client may send: what we announced, to the byte.

import { afterEach, expect, test } from 'vitest';
import { type EndpointUnderTest, openEndpoint } from '../../support/endpoint-under-test.js';
import { numberOf } from '../../support/frame-channel.js';
import { FrameClient } from '../../support/frame-client.js';
import { str } from '../../support/frame-encoder.js';
import { conditionOf, pieceFields, senderFields } from '../../support/frame-fields.js';
import { openSession } from '../../support/frame-links.js';
import { composite, readList } from '../../support/frame-lists.js';
import { until } from '../../support/rhea-client.js';

const ANNOUNCED_BYTES = 65_536;
const FRAME_HEADER_BYTES = 8;

let endpoint: EndpointUnderTest;
afterEach(() => {
  expect(endpoint.faults).toEqual([]);
});

test('our open announces frames of up to 65,536 bytes [MSG-13]', async () => {
  endpoint = openEndpoint();
  const client = new FrameClient(endpoint.client);
  client.writeHeader('amqp');
  client.send('open', { containerId: str('a client') });
  await client.expectHeader('amqp');
  expect(numberOf(await client.expect('open'), 'maxFrameSize')).toBe(ANNOUNCED_BYTES);
});

test('a transfer that fills a frame to the last byte is taken', async () => {
  endpoint = openEndpoint();
  const session = await openSession(endpoint);
  session.send('attach', senderFields(0));
  await session.take('attach');
  const fields = pieceFields(0, { deliveryId: 0 });
  const payload = Buffer.alloc(ANNOUNCED_BYTES - FRAME_HEADER_BYTES - composite('transfer', fields).length);
  session.send('transfer', fields, { payload });
  await session.take('disposition');
  expect(endpoint.owner.senders[0]?.deliveries[0]?.payload.length).toBe(payload.length);
});

test('one byte more closes the connection, and the error names the size seen and the limit', async () => {
  endpoint = openEndpoint();
  const client = new FrameClient(endpoint.client);
  client.writeHeader('amqp');
  client.send('open', { containerId: str('a client') });
  await client.expectHeader('amqp');
  await client.expect('open');
  // The header of the frame is enough: nothing of that size is waited for.
  client.write(Buffer.from('0001000102000000', 'hex'));
  const close = await client.expect('close');
  expect(conditionOf(close)).toBe('amqp:connection:framing-error');
  const error = close.field('error');
  const description = error === undefined ? undefined : readList(error).field('description')?.value;
  expect(description).toBe('a frame claims 65537 bytes; 8 to 65536 are allowed');
  await until(() => endpoint.isClosed, 'the pipe is closed');
});
