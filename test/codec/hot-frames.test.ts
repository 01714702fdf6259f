// The hand-written frames say the same as the table's, and the hand-written reader reads as the table does.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../../src/codec/byte-writer.js';
import type { DeliveryState } from '../../src/codec/delivery-state.js';
import { decodeState } from '../../src/codec/delivery-state.js';
import { FrameReader, writeFrame } from '../../src/codec/frames.js';
import {
  readUsualTransfer,
  TRANSFER_OVERHEAD_BYTES,
  writeDisposition,
  writeFlow,
  writeTransfer,
} from '../../src/codec/hot-frames.js';
import { type Performative, readPerformative, type Transfer } from '../../src/codec/performatives.js';
import { described, hex, list, NULL, smallUlong, uint, variable } from '../support/frame-encoder.js';
import { readByRhea, writeByRhea } from './rhea-frames.js';

const UINT_MAX = 0xffffffff;
const number = fc.oneof(fc.constantFrom(0, 1, 255, 256, UINT_MAX), fc.integer({ min: 0, max: UINT_MAX }));
const channel = fc.integer({ min: 0, max: 0xffff });
const tag = fc.uint8Array({ maxLength: 32 }).map((bytes) => Buffer.from(bytes));

type ReadFrame = { channel: number; performative: Performative; payload: Buffer };

function readFrame(bytes: Buffer): ReadFrame {
  const reader = new FrameReader(1 << 20);
  reader.push(bytes);
  const frame = reader.takeFrame();
  if (frame === undefined) throw new Error('the frame is not complete');
  expect(reader.takeFrame()).toBeUndefined();
  const { performative, next } = readPerformative(frame.body);
  return { channel: frame.channel, performative, payload: frame.body.subarray(next) };
}

function written(write: (writer: ByteWriter) => void): Buffer {
  const writer = new ByteWriter();
  write(writer);
  return writer.take();
}

const tables = (performative: Performative, onChannel: number) =>
  readFrame(written((writer) => writeFrame(writer, { type: 0, channel: onChannel, performative })));

describe('a transfer frame written by hand', () => {
  const anyTransfer = fc.record({
    channel,
    handle: number,
    deliveryId: number,
    deliveryTag: tag,
    messageFormat: number,
    settled: fc.boolean(),
    more: fc.boolean(),
    isFirst: fc.boolean(),
  });

  it('has all eleven fields, as the Python SDK takes what is behind the eleventh for the payload', () => {
    fc.assert(
      fc.property(anyTransfer, (transfer) => {
        const bytes = written((writer) => writeTransfer(writer, transfer, 0));
        // Frame header, descriptor, list8 and its size come before the count.
        expect([bytes[11], bytes[13]]).toEqual([0xc0, 11]);
        expect([...bytes.subarray(-5)]).toEqual(Array(5).fill(0x40));
      }),
    );
  });

  it('reads as what the table would have written, with its payload behind it', () => {
    fc.assert(
      fc.property(anyTransfer, fc.uint8Array({ maxLength: 300 }), (transfer, payload) => {
        const bytes = written((writer) => {
          writeTransfer(writer, transfer, payload.length);
          writer.bytes(payload);
        });
        const first = transfer.isFirst;
        const same: Transfer = {
          kind: 'transfer',
          handle: transfer.handle,
          deliveryId: first ? transfer.deliveryId : undefined,
          deliveryTag: first ? transfer.deliveryTag : undefined,
          messageFormat: first ? transfer.messageFormat : undefined,
          settled: transfer.settled,
          more: transfer.more,
          resume: false,
          aborted: false,
          batchable: false,
        };
        expect(readFrame(bytes)).toEqual({
          ...tables(same, transfer.channel),
          payload: Buffer.from(payload),
        });
        expect(readByRhea(bytes).performative).toMatchObject({
          handle: transfer.handle,
          more: transfer.more,
        });
        expect(bytes.length - payload.length).toBeLessThanOrEqual(TRANSFER_OVERHEAD_BYTES);
      }),
    );
  });
});

describe('a disposition frame written by hand', () => {
  const states: readonly (DeliveryState | undefined)[] = [
    undefined,
    { kind: 'accepted' },
    { kind: 'released' },
    { kind: 'rejected', error: undefined },
    {
      kind: 'rejected',
      error: { condition: 'com.microsoft:message-lock-lost', description: 'x'.repeat(600) },
    },
    { kind: 'modified', deliveryFailed: true, undeliverableHere: false, messageAnnotations: undefined },
    { kind: 'transactional', transactionId: Buffer.from('an id'), outcome: { kind: 'accepted' } },
  ];

  it.each(states)('reads as what the table would have written, with state %j', (state) => {
    fc.assert(
      fc.property(
        channel,
        fc.boolean(),
        number,
        number,
        fc.boolean(),
        (onChannel, role, first, last, settled) => {
          const disposition = { role, first, last, settled, state };
          const bytes = written((writer) => writeDisposition(writer, onChannel, disposition));
          const frame = readFrame(bytes);
          const { state: encoded, ...performative } = frame.performative as { state?: Buffer };
          expect(performative).toEqual({
            kind: 'disposition',
            role,
            first,
            last,
            settled,
            batchable: false,
          });
          expect(decodeState(encoded)).toEqual(withoutInfo(state));
          expect(frame.channel).toBe(onChannel);
          expect(readByRhea(bytes).performative).toMatchObject({ role, first, last, settled });
        },
      ),
      { numRuns: 20 },
    );
  });

  function withoutInfo(state: DeliveryState | undefined) {
    if (state?.kind !== 'rejected' || state.error === undefined) return state;
    return { ...state, error: { ...state.error, info: undefined } };
  }
});

describe('a flow frame written by hand', () => {
  const link = fc.record({
    handle: number,
    deliveryCount: fc.option(number, { nil: undefined }),
    linkCredit: number,
    drain: fc.boolean(),
  });
  const anyFlow = fc.record({
    nextIncomingId: fc.option(number, { nil: undefined }),
    incomingWindow: number,
    nextOutgoingId: number,
    outgoingWindow: number,
  });

  it('reads as what the table would have written, for a link', () => {
    fc.assert(
      fc.property(channel, anyFlow, link, (onChannel, flow, ofLink) => {
        const bytes = written((writer) => writeFlow(writer, onChannel, { ...flow, link: ofLink }));
        const same: Performative = { kind: 'flow', ...flow, ...ofLink, available: 0, echo: false };
        expect(readFrame(bytes)).toEqual(tables(same, onChannel));
        expect(readByRhea(bytes).performative).toMatchObject({
          link_credit: ofLink.linkCredit,
          drain: ofLink.drain,
        });
      }),
    );
  });

  it('reads as what the table would have written, for a session', () => {
    fc.assert(
      fc.property(channel, anyFlow, (onChannel, flow) => {
        const bytes = written((writer) => writeFlow(writer, onChannel, flow));
        const same: Performative = { kind: 'flow', ...flow, drain: false, echo: false };
        expect(readFrame(bytes)).toEqual(tables(same, onChannel));
      }),
    );
  });
});

describe('the quick reader of transfers', () => {
  const fields = {
    handle: number,
    delivery_id: number,
    delivery_tag: tag,
    message_format: number,
    settled: fc.boolean(),
    more: fc.boolean(),
    batchable: fc.constant(true),
  };
  // A field that is named, even as undefined, makes rhea write all before it.
  const rheas = fc.record(fields, { requiredKeys: ['handle'] });

  /** rhea writes every list with sizes of 4 bytes, which the quick reader leaves to the table. */
  function inShortList(body: Buffer): Buffer {
    const items = body.subarray(12);
    return Buffer.concat([hex('005314c0'), Buffer.of(items.length + 1, body.readUInt32BE(8)), items]);
  }

  it('reads what rhea writes as the table does, or leaves it to the table', () => {
    let quickCount = 0;
    fc.assert(
      fc.property(rheas, (fields) => {
        const body = writeByRhea('transfer', fields).subarray(8);
        for (const each of [body, inShortList(body)]) {
          const quick = readUsualTransfer(each);
          if (quick === undefined) continue;
          quickCount++;
          expect(quick).toEqual(readPerformative(each));
        }
      }),
    );
    expect(quickCount).toBeGreaterThan(0);
  });

  const usual = [uint(1), uint(300), variable(0xa0, hex('0102')), uint(0), hex('42'), hex('41')];
  const transfer = (count: number) => described(smallUlong(0x14), list(usual.slice(0, count)));

  it('reads transfers of up to six fields of the usual types by itself', () => {
    for (let count = 1; count <= 6; count++) {
      const body = Buffer.concat([transfer(count), hex('005375a00161')]);
      const quick = readUsualTransfer(body);
      expect(quick).toEqual(readPerformative(body));
      expect(quick?.next).toBe(body.length - 6);
    }
    const nulls = described(smallUlong(0x14), list([uint(0), NULL, NULL, NULL, NULL, NULL]));
    expect(readUsualTransfer(nulls)).toEqual(readPerformative(nulls));
  });

  it('leaves everything unusual to the table', () => {
    const unusual: Readonly<Record<string, Buffer>> = {
      'no handle': described(smallUlong(0x14), list([NULL])),
      'no field': described(smallUlong(0x14), list([])),
      'a wide list': described(smallUlong(0x14), list(usual, true)),
      'another descriptor': described(hex('80 0000000000000014'), list(usual)),
      'another performative': described(smallUlong(0x15), list([hex('41'), uint(1)])),
      'a seventh field': described(smallUlong(0x14), list([...usual, hex('5000')])),
      'a wide tag': described(smallUlong(0x14), list([uint(1), uint(1), variable(0xa0, hex('01'), true)])),
      'a boolean of two bytes': described(smallUlong(0x14), list([...usual.slice(0, 4), hex('5601')])),
      'a string as handle': described(smallUlong(0x14), list([variable(0xa1, hex('61'))])),
      'a size beyond the frame': hex('005314 c0 ff 01 43'),
      'a size smaller than its items': hex('005314 c0 03 02 5201 5201'),
      'a tag that reaches beyond the list': hex('005314 c0 06 03 43 43 a0 09 00 00 00 00 00 00 00 00 00'),
      'a number that reaches beyond the list': hex('005314 c0 03 01 70 00 00 00 01'),
      nothing: hex(''),
    };
    for (const [name, body] of Object.entries(unusual)) expect(readUsualTransfer(body), name).toBeUndefined();
  });

  it('never reads what the table refuses', () => {
    const mutation = fc.tuple(fc.integer({ min: 1, max: 6 }), fc.nat(), fc.integer({ min: 0, max: 255 }));
    const counts = { quick: 0, left: 0 };
    fc.assert(
      fc.property(mutation, ([count, at, value]) => {
        const body = Buffer.from(transfer(count));
        body[at % body.length] = value;
        const quick = readUsualTransfer(body);
        counts[quick === undefined ? 'left' : 'quick']++;
        if (quick !== undefined) expect(quick).toEqual(readPerformative(body));
      }),
      { numRuns: 3000 },
    );
    expect(counts.quick).toBeGreaterThan(100);
    expect(counts.left).toBeGreaterThan(100);
  });
});
