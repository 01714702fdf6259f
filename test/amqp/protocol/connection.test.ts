// The endpoint's connections frame by frame: headers, SASL, open and close, breaches of the protocol, heartbeats, frame sizes.

import { afterEach, describe, expect, test } from 'vitest';
import { ACCEPTED } from '../../../src/codec/delivery-state.js';
import { amqpSessionOf } from '../../support/amqp-session-of.js';
import { type EndpointUnderTest, openEndpoint } from '../../support/endpoint-under-test.js';
import { numberOf } from '../../support/frame-channel.js';
import { FrameClient } from '../../support/frame-client.js';
import { bin, fixed, str, sym, uint } from '../../support/frame-encoder.js';
import {
  conditionOf,
  creditFields,
  descriptionOf,
  pieceFields,
  receiverFields,
  senderFields,
} from '../../support/frame-fields.js';
import { beginSession, openClient, openSession } from '../../support/frame-links.js';
import { composite, type Fields } from '../../support/frame-lists.js';
import { turns, until } from '../../support/rhea-client.js';

let endpoint: EndpointUnderTest;
afterEach(async () => {
  expect(endpoint.faults).toEqual([]);
});

const closed = () => until(() => endpoint.isClosed, 'the pipe is closed');

describe('the protocol header', () => {
  test.each([
    ['AMQP 0-9-1', '414d515000000901'],
    ['HTTP', '474554202f204854'],
    ['AMQP over in-band TLS', '414d515002010000'],
    ['AMQP 1.1', '414d515000010100'],
  ])('of %s is answered with the header that is accepted, and a close', async (_, hex) => {
    endpoint = openEndpoint();
    const client = new FrameClient(endpoint.client);
    client.write(Buffer.from(hex, 'hex'));
    await client.expectHeader('sasl');
    await closed();
  });

  test('may come byte by byte', async () => {
    endpoint = openEndpoint();
    const client = new FrameClient(endpoint.client);
    for (const byte of Buffer.from('414d515000010000', 'hex')) client.write(Buffer.of(byte));
    await client.expectHeader('amqp');
  });

  test('after SASL must be that of AMQP', async () => {
    endpoint = openEndpoint();
    const client = await speakSasl({ mechanism: sym('ANONYMOUS') });
    await client.expect('sasl-outcome');
    client.writeHeader('sasl');
    await client.expectHeader('amqp');
    await closed();
  });
});

describe('SASL', () => {
  test('lists its mechanisms', async () => {
    endpoint = openEndpoint();
    const client = new FrameClient(endpoint.client);
    client.writeHeader('sasl');
    await client.expectHeader('sasl');
    expect((await client.expect('sasl-mechanisms')).text).toBe(
      "sasl-mechanisms[array ['MSSBCBS, 'PLAIN, 'ANONYMOUS, 'EXTERNAL]]",
    );
  });

  test.each([
    ['ANONYMOUS', '\0key name', 'key name'],
    ['MSSBCBS', '', ''],
    ['EXTERNAL', '', ''],
    ['PLAIN', '\0user\0password', 'user'],
    ['PLAIN', 'authorised as\0user\0pass', 'user'],
  ])('takes %s with %j', async (mechanism, response, name) => {
    endpoint = openEndpoint();
    const client = await speakSasl({
      mechanism: sym(mechanism),
      initialResponse: bin(Buffer.from(response)),
    });
    expect((await client.expect('sasl-outcome')).field('code')?.value).toBe(0);
    client.writeHeader('amqp');
    client.send('open', { containerId: str('a client') });
    await client.expectHeader('amqp');
    await client.expect('open');
    expect(endpoint.owner.names).toEqual([name]);
  });

  test.each<[string, Fields<'sasl-init'>, number]>([
    ['a mechanism that was not offered', { mechanism: sym('SCRAM-SHA-256') }, 1],
    ['a mechanism named like a property of every object', { mechanism: sym('constructor') }, 1],
    ['PLAIN without a password', { mechanism: sym('PLAIN'), initialResponse: bin(Buffer.from('user')) }, 1],
    [
      'a client the owner does not accept',
      { mechanism: sym('ANONYMOUS'), initialResponse: bin(Buffer.from('intruder')) },
      1,
    ],
    ['an init without a mechanism', {}, 2],
    ['a mechanism that is no symbol', { mechanism: uint(7) }, 2],
  ])('turns away %s', async (_, fields, code) => {
    endpoint = openEndpoint();
    const client = await speakSasl(fields);
    expect((await client.expect('sasl-outcome')).field('code')?.value).toBe(code);
    await closed();
  });

  test.each([true, false])('a client that is decided on later waits for it: %s', async (isAccepted) => {
    endpoint = openEndpoint();
    const client = await speakSasl({
      mechanism: sym('ANONYMOUS'),
      initialResponse: bin(Buffer.from('undecided')),
    });
    client.writeHeader('amqp');
    client.send('open', { containerId: str('a client') });
    await turns();
    expect(endpoint.owner.opens).toEqual([]);
    endpoint.connection.decide(isAccepted);
    expect((await client.expect('sasl-outcome')).field('code')?.value).toBe(isAccepted ? 0 : 1);
    if (!isAccepted) {
      await closed();
      return;
    }
    await client.expectHeader('amqp');
    await client.expect('open');
  });

  test.each([
    ['an AMQP frame', Buffer.from('0000000902000000405345', 'hex')],
    ['a frame that claims two gigabytes', Buffer.from('7fffffff02010000', 'hex')],
    ['a frame smaller than its header', Buffer.from('0000000702010000', 'hex')],
    ['a frame whose body would begin behind its end', Buffer.from('0000000cff01000040404040', 'hex')],
    ['a frame of nothing', Buffer.from('0000000802010000', 'hex')],
    ['a sasl-outcome', Buffer.from('0000000f02010000005344c0030150', 'hex')],
  ])('says that it is over to %s', async (_, bytes) => {
    endpoint = openEndpoint();
    const client = await startSasl();
    client.write(bytes);
    expect((await client.expect('sasl-outcome')).field('code')?.value).toBe(2);
    await closed();
  });
});

describe('open and close', () => {
  test('are answered with all their fields', async () => {
    endpoint = openEndpoint();
    const client = new FrameClient(endpoint.client);
    client.writeHeader('amqp');
    client.send('open', { containerId: str('a client'), hostname: str('a host') });
    await client.expectHeader('amqp');
    const open = await client.expect('open');
    expect(open.positions).toHaveLength(10);
    expect(open.text).toContain('"product": "Jitney"'.replaceAll('"product"', "'product"));
    expect(endpoint.owner.opens[0]).toMatchObject({ containerId: 'a client', hostname: 'a host' });
    client.send('close', {});
    expect(conditionOf(await client.expect('close'))).toBeUndefined();
    await closed();
  });

  test('a client that begins before it opens is cut off', async () => {
    endpoint = openEndpoint();
    const client = new FrameClient(endpoint.client);
    client.writeHeader('amqp');
    client.send('begin', { nextOutgoingId: uint(0), incomingWindow: uint(1), outgoingWindow: uint(1) });
    await client.expectHeader('amqp');
    await closed();
  });

  test('a second open closes the connection', async () => {
    endpoint = openEndpoint();
    const client = await openClient(endpoint);
    client.send('open', { containerId: str('again') });
    expect(conditionOf(await client.expect('close'))).toBe('amqp:not-allowed');
    await closed();
  });

  test('all pending output is written before our close, and nothing after it', async () => {
    endpoint = openEndpoint({ outcomeOf: () => undefined });
    const session = await openSession(endpoint);
    session.send('attach', senderFields(0));
    await session.take('flow');
    session.send('transfer', pieceFields(0, { deliveryId: 0 }));
    session.send('transfer', pieceFields(0, { deliveryId: 1 }));
    const [sender] = endpoint.owner.senders;
    await until(() => sender?.deliveries.length === 2, 'the messages came');
    sender?.link.settle(0, ACCEPTED);
    endpoint.connection.close({ condition: 'amqp:connection:forced', description: 'Time to go.' });
    sender?.link.settle(1, ACCEPTED);
    sender?.link.setCredit(5);
    sender?.link.detach(undefined);
    expect(numberOf(await session.take('disposition'), 'last')).toBe(0);
    await closed();
    await expect(session.take('disposition')).rejects.toThrow('amqp:connection:forced');
  });

  test('a client that vanishes is noticed by its links', async () => {
    endpoint = openEndpoint();
    const session = await openSession(endpoint);
    session.send('attach', receiverFields(0));
    await session.expect('attach');
    endpoint.client.destroy();
    await closed();
    expect(endpoint.owner.receivers[0]?.detachedCount).toBe(1);
    expect(endpoint.owner.ends).toHaveLength(1);
  });
});

describe('a breach of the protocol', () => {
  test.each([
    ['a frame over the size we announced', '00010001 02000000', 'amqp:connection:framing-error'],
    ['a frame smaller than its header', '00000004 02000000', 'amqp:connection:framing-error'],
    ['a frame of an unknown type', '00000009 02050000 40', 'amqp:decode-error'],
    ['a performative that does not exist', '0000000c 02000000 00537745', 'amqp:decode-error'],
    ['a descriptor named like a property of every object', symbolFrame('constructor'), 'amqp:decode-error'],
    ['a SASL performative', '00000013 02000000 005341c0060 1a30378797a', 'amqp:decode-error'],
    ['an attach cut short', '0000000f 02000000 005312c0ff0ea1', 'amqp:decode-error'],
    ['a begin without its windows', '0000000c 02000000 00531145', 'amqp:invalid-field'],
    ['a flow on a channel without a session', '0000000c 02000007 00531345', 'amqp:invalid-field'],
    ['an end on a channel without a session', '0000000c 02000007 00531745', 'amqp:not-allowed'],
  ])('such as %s closes the connection with a reason', async (_, hex, condition) => {
    endpoint = openEndpoint();
    const client = await openClient(endpoint);
    client.write(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
    expect(conditionOf(await client.expect('close'))).toBe(condition);
    await closed();
  });

  test('harms no other connection', async () => {
    endpoint = openEndpoint();
    const other = openEndpoint();
    const session = await openSession(other);
    const client = await openClient(endpoint);
    client.writeFrame(fixed(0x99));
    await client.expect('close');
    session.send('attach', senderFields(0));
    await session.expect('attach');
  });

  test.each([
    ['refused link', 'detach'],
    ['rejected message', 'disposition'],
    ['session', 'end'],
    ['connection', 'close'],
  ] as const)(
    'a %s is explained in a description that fits into the frames of the client',
    async (what, frameName) => {
      const error = { condition: 'a:condition', description: 'ü'.repeat(1000) };
      endpoint = openEndpoint({
        onAttached: (link, owner) => (what === 'refused link' ? link.refuse(error) : owner.accept(link)),
        outcomeOf: () => ({ kind: 'rejected', error }),
      });
      const client = await openClient(endpoint, { maxFrameSize: uint(512) });
      const sizes = collectFrameSizes(endpoint);
      const session = await beginSession(client);
      session.send('attach', senderFields(0));
      session.send('transfer', pieceFields(0, { deliveryId: 0 }));
      await session.take('attach');
      if (what === 'session') amqpSessionOf(endpoint.owner.senders[0]?.link).end(error);
      if (what === 'connection') endpoint.connection.close(error);
      const frame = await (what === 'connection' ? client : session).inbox.take(frameName);
      expect(frame.text).toMatch(/'a:condition, "ü{150,}…"/);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(512);
    },
  );
});

describe('frames', () => {
  test('are never larger than the client takes', async () => {
    endpoint = openEndpoint();
    const client = await openClient(endpoint, { maxFrameSize: uint(512) });
    const sizes = collectFrameSizes(endpoint);
    const session = await beginSession(client);
    session.send('attach', receiverFields(0));
    session.send('flow', creditFields(0, 1));
    await session.expect('attach');
    const message = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 255));
    endpoint.owner.receivers[0]?.send(
      message.subarray(0, 7),
      message.subarray(7, 50_000),
      message.subarray(50_000),
    );
    const delivery = await session.takeDelivery();
    expect(delivery.payload.equals(message)).toBe(true);
    expect(delivery.frameCount).toBeGreaterThan(200);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(512);
  });

  test('are never smaller than 512 bytes, whatever the client says', async () => {
    endpoint = openEndpoint();
    const session = await beginSession(await openClient(endpoint, { maxFrameSize: uint(0) }));
    session.send('attach', receiverFields(0));
    session.send('flow', creditFields(0, 1));
    await session.expect('attach');
    endpoint.owner.receivers[0]?.send(Buffer.alloc(1000));
    expect((await session.takeDelivery()).frameCount).toBeLessThan(4);
  });

  test('an attach whose answer would not fit ends its session', async () => {
    endpoint = openEndpoint();
    const client = await openClient(endpoint, { maxFrameSize: uint(512) });
    const session = await beginSession(client);
    session.send(
      'attach',
      senderFields(0, { source: composite('source', { address: str('s'.repeat(500)) }) }),
    );
    expect(conditionOf(await session.take('end'))).toBe('amqp:frame-size-too-small');
    await beginSession(client, 1);
  });
});

describe('the open', () => {
  test.each(['containerId', 'hostname'] as const)(
    'with a %s of more than 1,024 characters is answered, and its connection closed',
    async (field) => {
      endpoint = openEndpoint();
      const client = await openClient(endpoint, { [field]: str('x'.repeat(1025)) });
      const close = await client.expect('close');
      expect(conditionOf(close)).toBe('amqp:invalid-field');
      expect(descriptionOf(close)).toContain('1025 characters long; 1024 is the limit');
      await closed();
    },
  );
});

describe('time', () => {
  test('a client that has not opened within 30 seconds is cut off, even if it dribbles bytes', async () => {
    endpoint = openEndpoint();
    const client = new FrameClient(endpoint.client);
    client.writeHeader('amqp');
    await client.expectHeader('amqp');
    endpoint.connection.tick(1000);
    for (const nowMs of [10_000, 20_000, 30_999]) {
      client.write(Buffer.of(0));
      await turns();
      endpoint.connection.tick(nowMs);
    }
    await turns();
    expect(endpoint.isClosed).toBe(false);
    endpoint.connection.tick(31_000);
    await closed();
  });

  test('an open client that is silent for twice our idle-time-out is closed with a reason', async () => {
    endpoint = openEndpoint();
    const client = await openClient(endpoint);
    endpoint.connection.tick(0);
    endpoint.connection.tick(200_000);
    client.writeFrame(Buffer.alloc(0));
    await turns();
    endpoint.connection.tick(239_999);
    endpoint.connection.tick(479_998);
    await turns();
    expect(endpoint.isClosed).toBe(false);
    endpoint.connection.tick(479_999);
    expect(conditionOf(await client.expect('close'))).toBe('amqp:resource-limit-exceeded');
    await closed();
  });

  test.each([1000, 2000, 3000, 60_000])(
    'a client with an idle-time-out of %d ms never waits that long',
    async (idleMs) => {
      endpoint = openEndpoint();
      await openClient(endpoint, { idleTimeOut: uint(idleMs) });
      let heardAt = 0;
      let longest = 0;
      let nowMs = 0;
      endpoint.client.on('data', () => {
        longest = Math.max(longest, nowMs - heardAt);
        heardAt = nowMs;
      });
      for (nowMs = 0; nowMs <= 5 * idleMs; nowMs += 1000) {
        endpoint.connection.tick(nowMs);
        await turns(3);
      }
      expect(longest).toBeGreaterThan(0);
      // One look at the clock is a second after the other, and a client asks for nothing below that.
      expect(longest).toBeLessThanOrEqual(Math.max(1000, idleMs - 1000));
    },
  );

  test('a client without an idle-time-out is sent no heartbeats', async () => {
    endpoint = openEndpoint();
    await openClient(endpoint);
    let count = 0;
    endpoint.client.on('data', () => count++);
    for (let nowMs = 0; nowMs < 200_000; nowMs += 1000) endpoint.connection.tick(nowMs);
    await turns();
    expect(count).toBe(0);
  });
});

async function startSasl(): Promise<FrameClient> {
  const client = new FrameClient(endpoint.client);
  client.writeHeader('sasl');
  await client.expectHeader('sasl');
  await client.expect('sasl-mechanisms');
  return client;
}

async function speakSasl(fields: Fields<'sasl-init'>): Promise<FrameClient> {
  const client = await startSasl();
  client.send('sasl-init', fields);
  return client;
}

/** The sizes of the frames that come from now on. */
function collectFrameSizes({ client }: EndpointUnderTest): number[] {
  const sizes: number[] = [];
  let unread = Buffer.alloc(0);
  client.on('data', (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    while (unread.length >= 4 && unread.length >= unread.readUInt32BE(0)) {
      const size = unread.readUInt32BE(0);
      sizes.push(size);
      unread = unread.subarray(size);
    }
  });
  return sizes;
}

function symbolFrame(descriptor: string): string {
  const body = Buffer.concat([Buffer.of(0x00), sym(descriptor), Buffer.of(0x45)]);
  const header = Buffer.from('0000000002000000', 'hex');
  header.writeUInt32BE(header.length + body.length);
  return Buffer.concat([header, body]).toString('hex');
}
