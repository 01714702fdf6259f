// Messages from the client, frame by frame: put together from transfers, aborted, too many or too large, and their outcomes.

import { afterEach, describe, expect, test, vi } from 'vitest';
import { ACCEPTED, type DeliveryState } from '../../../src/codec/delivery-state.js';
import type { OwnerScript } from '../../support/endpoint-owner.js';
import { type EndpointUnderTest, openEndpoint } from '../../support/endpoint-under-test.js';
import { type FrameChannel, numberOf } from '../../support/frame-channel.js';
import { frameOf } from '../../support/frame-client.js';
import { TRUE, uint } from '../../support/frame-encoder.js';
import { conditionOf, flowFields, pieceFields, senderFields } from '../../support/frame-fields.js';
import { openSession } from '../../support/frame-links.js';
import { composite } from '../../support/frame-lists.js';
import { notation } from '../../support/frame-notation.js';
import { turns, until } from '../../support/rhea-client.js';

const LARGEST = 0xffff_ffff;

let endpoint: EndpointUnderTest;
afterEach(() => {
  expect(endpoint.faults).toEqual([]);
  expect(endpoint.connection.held.unfinished).toBe(0);
});

async function openSender(script: OwnerScript = {}) {
  endpoint = openEndpoint(script);
  const session = await openSession(endpoint);
  return { session, sender: await attachAnother(session, 0) };
}

async function attachAnother(session: FrameChannel, handle: number, initialDeliveryCount = 0) {
  session.send('attach', senderFields(handle, { initialDeliveryCount: uint(initialDeliveryCount) }));
  await session.take('attach');
  const sender = endpoint.owner.senders.at(-1);
  if (sender === undefined) throw new Error('nobody was attached');
  return sender;
}

function sendPiece(
  session: FrameChannel,
  text: string,
  fields: Parameters<typeof pieceFields>[1],
  handle = 0,
): void {
  session.send('transfer', pieceFields(handle, fields), { payload: Buffer.from(text) });
}

describe('a message', () => {
  test.each([
    ['ulong', 'only into its block', 0],
    ['symbol', 'also within each frame', 2],
  ] as const)(
    'in frames cut by reads, with a %s for a descriptor, is copied %s',
    async (descriptor, _when, count) => {
      const { session, sender } = await openSender();
      const payload = Buffer.alloc(9000, 'a long text; ');
      const frames = [true, false].map((more) => {
        const transfer = composite('transfer', pieceFields(0, { deliveryId: 0, more }), { descriptor });
        return frameOf(Buffer.concat([transfer, payload]), { channel: session.number });
      });
      const copies = vi.spyOn(Buffer, 'concat');
      for (const frame of frames) {
        endpoint.connection.receive(frame.subarray(0, 4000));
        endpoint.connection.receive(frame.subarray(4000));
      }
      expect(copies).toHaveBeenCalledTimes(count);
      copies.mockRestore();
      expect(sender.deliveries[0]?.payload.equals(Buffer.concat([payload, payload]))).toBe(true);
    },
  );

  test('is put together while others come on other links', async () => {
    const { session, sender } = await openSender();
    const other = await attachAnother(session, 1);
    sendPiece(session, 'one, ', { deliveryId: 0, more: true });
    sendPiece(session, 'uno, ', { deliveryId: 1, more: true }, 1);
    sendPiece(session, 'two, ', { more: true });
    sendPiece(session, 'due', {}, 1);
    sendPiece(session, 'three', { deliveryId: 0 });
    await until(() => sender.deliveries.length + other.deliveries.length === 2, 'both came');
    expect(sender.deliveries[0]?.payload.toString()).toBe('one, two, three');
    expect(other.deliveries[0]?.payload.toString()).toBe('uno, due');
    const ids = [await session.take('disposition'), await session.take('disposition')];
    expect(ids.map((each) => numberOf(each, 'first'))).toEqual([1, 0]);
  });

  test('may come in 20,000 frames of one byte or none', async () => {
    const { session, sender } = await openSender();
    sendPiece(session, '', { deliveryId: 0, more: true });
    for (let index = 0; index < 20_000; index++) {
      sendPiece(session, String(index % 10), { more: true });
      if (index % 2 === 0) sendPiece(session, '', { more: true });
    }
    await until(() => endpoint.connection.held.unfinished === 20_000, 'all pieces came');
    sendPiece(session, '!', {});
    await until(() => sender.deliveries.length === 1, 'it came');
    expect(sender.deliveries[0]?.payload.toString()).toBe(`${'0123456789'.repeat(2000)}!`);
  });

  test('may be empty', async () => {
    const { session, sender } = await openSender();
    sendPiece(session, '', { deliveryId: 0 });
    await session.take('disposition');
    expect(sender.deliveries[0]).toMatchObject({ payload: Buffer.alloc(0), isTooLarge: false });
  });

  test('that is aborted leaves nothing behind, and the next one is fine', async () => {
    const { session, sender } = await openSender();
    sendPiece(session, 'x'.repeat(50_000), { deliveryId: 0, more: true });
    await until(() => endpoint.connection.held.unfinished === 50_000, 'half of it came');
    sendPiece(session, 'ignored', { aborted: true, more: true });
    sendPiece(session, 'aborted at once', { deliveryId: 1, aborted: true });
    sendPiece(session, 'fine', { deliveryId: 2 });
    expect(numberOf(await session.take('disposition'), 'first')).toBe(2);
    expect(sender.deliveries.map(({ payload }) => payload.toString())).toEqual(['fine']);
  });

  test('is discarded as soon as it is larger than the link allows', async () => {
    const { session, sender } = await openSender({ maxMessageSize: 1000, outcomeOf: () => undefined });
    sendPiece(session, 'x'.repeat(900), { deliveryId: 0, more: true });
    sendPiece(session, 'x'.repeat(101), { more: true });
    await until(() => endpoint.connection.held.unfinished === 0, 'it was thrown away');
    sendPiece(session, 'x'.repeat(900), { more: true });
    sendPiece(session, 'x', {});
    sendPiece(session, 'x'.repeat(1000), { deliveryId: 1 });
    await until(() => sender.deliveries.length === 2, 'both came');
    expect(sender.deliveries.map(({ isTooLarge }) => isTooLarge)).toEqual([true, false]);
  });

  test('has the format, the state and the settlement of its frames', async () => {
    const { session, sender } = await openSender({ outcomeOf: () => undefined });
    session.send('transfer', {
      ...pieceFields(0, { deliveryId: 0, more: true }),
      messageFormat: uint(0x80013700),
    });
    sendPiece(session, 'settled by its last frame', { settled: true });
    sendPiece(session, 'settled by its first frame, ', { deliveryId: 1, settled: true, more: true });
    sendPiece(session, 'and not unsettled by its last', {});
    session.send('transfer', { ...pieceFields(0, { deliveryId: 2 }), state: composite('released') });
    await until(() => sender.deliveries.length === 3, 'all came');
    expect(sender.deliveries).toMatchObject([
      { messageFormat: 0x80013700, isSettled: true, state: undefined },
      { messageFormat: 0, isSettled: true, state: undefined },
      { messageFormat: 0, isSettled: false, state: { kind: 'released' } },
    ]);
  });

  test('that is incomplete is forgotten when its link is detached', async () => {
    const { session } = await openSender();
    sendPiece(session, 'half', { deliveryId: 0, more: true });
    session.send('detach', { handle: uint(0), closed: TRUE });
    await session.take('detach');
    const sender = await attachAnother(session, 0);
    sendPiece(session, 'whole', { deliveryId: 1 });
    await until(() => sender.deliveries.length === 1, 'the next came');
    expect(sender.deliveries[0]?.payload.toString()).toBe('whole');
  });
});

describe('an outcome', () => {
  test('is not sent for messages that came settled', async () => {
    const { session, sender } = await openSender();
    sendPiece(session, 'a', { deliveryId: 0, settled: true });
    await until(() => sender.deliveries.length === 1, 'it came');
    await session.expectNothing();
  });

  test('that neighbours share is sent in one frame', async () => {
    const { session, sender } = await openSender({ outcomeOf: () => undefined });
    for (let deliveryId = 0; deliveryId < 6; deliveryId++) sendPiece(session, 'x', { deliveryId });
    await until(() => sender.deliveries.length === 6, 'all came');
    const rejected: DeliveryState = { kind: 'rejected', error: undefined };
    for (const id of [0, 1, 2]) sender.link.settle(id, ACCEPTED);
    sender.link.settle(3, rejected);
    sender.link.settle(5, ACCEPTED);
    sender.link.settle(4, ACCEPTED);
    const told: string[] = [];
    while (told.length < 4) {
      const { field } = await session.take('disposition');
      told.push([field('first'), field('last'), field('state')].map(notation).join(' '));
    }
    expect(told).toEqual([
      'uint 0 uint 2 accepted[]',
      'uint 3 uint 3 rejected[]',
      'uint 5 uint 5 accepted[]',
      'uint 4 uint 4 accepted[]',
    ]);
  });

  test('is sent after the wrap of the delivery-ids', async () => {
    const { session } = await openSender();
    for (const deliveryId of [LARGEST, 0, 1]) sendPiece(session, 'x', { deliveryId });
    const told: (number | undefined)[][] = [];
    while (told.flat().at(-1) !== 1) {
      const disposition = await session.take('disposition');
      told.push([numberOf(disposition, 'first'), numberOf(disposition, 'last')]);
    }
    expect(told).toEqual([
      [LARGEST, LARGEST],
      [0, 1],
    ]);
  });
});

describe('the credit of the client', () => {
  test('is renewed while it sends, counted from its initial delivery-count', async () => {
    const { session } = await openSender({ credit: 10 });
    const sender = await attachAnother(session, 1, LARGEST - 2);
    const flows: [number | undefined, number | undefined][] = [];
    for (let deliveryId = 0; deliveryId < 30; deliveryId++) sendPiece(session, 'x', { deliveryId }, 1);
    await until(() => sender.deliveries.length === 30, 'all came');
    session.send('flow', { ...flowFields({ echo: true }), handle: uint(0) });
    for (;;) {
      const flow = await session.take('flow');
      if (numberOf(flow, 'handle') === 0 && flows.length > 1) break;
      if (numberOf(flow, 'handle') === 1)
        flows.push([numberOf(flow, 'deliveryCount'), numberOf(flow, 'linkCredit')]);
    }
    expect(flows.slice(0, 3)).toEqual([
      [LARGEST - 2, 10],
      [3, 10],
      [9, 10],
    ]);
  });

  test('is announced again when it asks', async () => {
    const { session } = await openSender({ credit: 10 });
    await session.take('flow');
    sendPiece(session, 'x', { deliveryId: 0 });
    session.send('flow', { ...flowFields({ echo: true }), handle: uint(0) });
    const flow = await session.take('flow');
    expect([numberOf(flow, 'deliveryCount'), numberOf(flow, 'linkCredit')]).toEqual([1, 9]);
  });

  test('may be exceeded by pipelined messages up to a limit; beyond it the link alone is detached', async () => {
    const { session, sender } = await openSender({ credit: 0 });
    const other = await attachAnother(session, 1);
    for (let deliveryId = 0; deliveryId < 1001; deliveryId++) sendPiece(session, 'x', { deliveryId });
    expect(conditionOf(await session.take('detach'))).toBe('amqp:link:transfer-limit-exceeded');
    expect(sender.deliveries).toHaveLength(1000);
    expect(sender.detachedCount).toBe(1);
    sendPiece(session, 'too late', { deliveryId: 1001 });
    sendPiece(session, 'x', { deliveryId: 1002 }, 1);
    await until(() => other.deliveries.length === 1, 'the other link goes on');
    session.send('detach', { handle: uint(0), closed: TRUE });
    await turns();
    expect(sender).toMatchObject({ detachedCount: 1 });
    expect(sender.deliveries).toHaveLength(1000);
  });
});
