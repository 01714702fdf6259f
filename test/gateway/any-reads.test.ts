// Messages come as they were sent, however their bytes are cut into frames, and these into reads, over TCP, TLS and WebSocket.

import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWebSocketStream, WebSocket } from 'ws';
import { serveEndpoint } from '../support/endpoint-under-test.js';
import { frameOf, PROTOCOL_HEADER } from '../support/frame-client.js';
import { str } from '../support/frame-encoder.js';
import { beginFields, pieceFields, senderFields } from '../support/frame-fields.js';
import { composite } from '../support/frame-lists.js';
import { GatewayUnderTest } from '../support/gateway-under-test.js';
import { until } from '../support/rhea-client.js';

/** What a frame holds besides its part of a message. */
const FRAME_OVERHEAD_BYTES = 128;
const LARGEST_PART = 65_536 - FRAME_OVERHEAD_BYTES;
const LINK_COUNT = 2;

let gateway: GatewayUnderTest;
let endpoint: ReturnType<typeof serveEndpoint>;
beforeAll(async () => {
  gateway = await GatewayUnderTest.open({
    amqp: (stream) => {
      endpoint = serveEndpoint(stream);
    },
  });
});
afterAll(() => gateway.close());

const CLIENTS = {
  TCP: () => gateway.plain(),
  TLS: () => gateway.secure(),
  WebSocket: async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/$servicebus/websocket`, ['AMQPWSB10']);
    await once(socket, 'open');
    return createWebSocketStream(socket).on('error', () => {});
  },
} as const satisfies Record<string, () => Promise<Duplex>>;

const anySize = fc.oneof(
  fc.integer({ min: 1, max: 300 }),
  fc.integer({ min: 60_000, max: 70_000 }),
  fc.integer({ min: 1, max: 400_000 }),
);
const anyCase = fc.record({
  /** The sizes of the messages of each link. */
  sizes: fc.array(fc.array(anySize, { maxLength: 3 }), { minLength: LINK_COUNT, maxLength: LINK_COUNT }),
  partBytes: fc.oneof(fc.constant(LARGEST_PART), fc.integer({ min: 3000, max: LARGEST_PART })),
  /** Whether the links take turns, frame by frame. */
  isInterleaved: fc.boolean(),
  cuts: fc.array(fc.nat(), { maxLength: 12 }),
});

/** Bytes in which no two places near each other look the same. */
function messageOf(byteLength: number, seed: number): Buffer {
  const bytes = Buffer.alloc(byteLength);
  for (let at = 0; at < byteLength; at++) bytes[at] = (at * 31 + (at >> 8) * 7 + seed) & 0xff;
  return bytes;
}

/** The transfers of one message. */
function framesOf(message: Buffer, link: number, deliveryId: number, partBytes: number): Buffer[] {
  const frames: Buffer[] = [];
  for (let start = 0; start < message.length; start += partBytes) {
    const more = start + partBytes < message.length;
    const fields = pieceFields(link, { more, ...(start === 0 ? { deliveryId } : {}) });
    const part = message.subarray(start, start + partBytes);
    frames.push(frameOf(Buffer.concat([composite('transfer', fields), part])));
  }
  return frames;
}

/** The first frame of each list, then the second of each. */
function interleaved(lists: readonly (readonly Buffer[])[]): Buffer[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list[index] ?? [])).flat();
}

function beginning(): Buffer[] {
  const attaches = Array.from({ length: LINK_COUNT }, (_, link) => composite('attach', senderFields(link)));
  const lists = [
    composite('open', { containerId: str('c') }),
    composite('begin', beginFields()),
    ...attaches,
  ];
  return [PROTOCOL_HEADER.amqp, ...lists.map((list) => frameOf(list))];
}

function cutAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...cuts.map((cut) => cut % bytes.length), bytes.length].sort((a, b) => a - b);
  return places
    .map((end, index) => bytes.subarray(places[index - 1] ?? 0, end))
    .filter(({ length }) => length > 0);
}

test.each(Object.keys(CLIENTS) as (keyof typeof CLIENTS)[])(
  'messages come as they were sent, however they are cut into frames and reads, over %s',
  async (transport) => {
    const property = fc.asyncProperty(anyCase, async ({ sizes, partBytes, isInterleaved, cuts }) => {
      let deliveryId = 0;
      const messages = sizes.map((ofLink, link) =>
        ofLink.map((size, index) => messageOf(size, 10 * link + index)),
      );
      const frames = messages.map((ofLink, link) =>
        ofLink.flatMap((message) => framesOf(message, link, deliveryId++, partBytes)),
      );
      const stream = Buffer.concat([
        ...beginning(),
        ...(isInterleaved ? interleaved(frames) : frames.flat()),
      ]);
      const client = await CLIENTS[transport]();
      for (const part of cutAt(stream, cuts)) {
        client.write(part);
        await nextTurn();
      }
      const count = messages.flat().length;
      const came = () =>
        endpoint.owner.senders.map(({ deliveries }) => deliveries.map(({ payload }) => payload));
      await until(
        () => endpoint.owner.senders.length === LINK_COUNT && came().flat().length === count,
        'all came',
      );
      expect(
        came().map((ofLink, link) => ofLink.map((each, index) => messages[link]?.[index]?.equals(each))),
      ).toEqual(sizes.map((ofLink) => ofLink.map(() => true)));
      client.destroy();
      await until(() => endpoint.isClosed, 'the connection has ended');
      expect(endpoint.faults).toEqual([]);
      expect(endpoint.connection.held.unfinished).toBe(0);
    });
    await fc.assert(property, { numRuns: 25 });
  },
);
