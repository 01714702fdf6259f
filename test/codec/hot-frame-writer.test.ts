// The frames written by hand say the same as those of the table.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../../src/codec/byte-writer.js';
import type { DeliveryState } from '../../src/codec/delivery-state.js';
import { decodeState } from '../../src/codec/delivery-state.js';
import { FrameReader, writeFrame } from '../../src/codec/frames.js';
import {
  TRANSFER_OVERHEAD_BYTES,
  writeDisposition,
  writeFlow,
  writeTransfer,
} from '../../src/codec/hot-frame-writer.js';
import { type Performative, readPerformative, type Transfer } from '../../src/codec/performatives.js';
import { readByRhea } from './rhea-frames.js';

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
