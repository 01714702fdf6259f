// Cutting a byte stream into frames, whatever the chunks, and refusing headers that cannot be.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../../src/codec/byte-writer.js';
import { DecodeError } from '../../src/codec/decode-error.js';
import { FRAME_TYPE, type Frame, FrameReader, writeFrame, writeHeartbeat } from '../../src/codec/frames.js';
import { hex } from '../support/frame-encoder.js';

const LIMIT = 512;

type Header = { doff?: number; type?: number; channel?: number; size?: number };

function frame(body: Uint8Array, { doff = 2, type = 0, channel = 0, size }: Header = {}): Buffer {
  const bytes = Buffer.alloc(doff * 4 + body.length, 0xee);
  bytes.writeUInt32BE(size ?? bytes.length, 0);
  bytes.writeUInt8(doff, 4);
  bytes.writeUInt8(type, 5);
  bytes.writeUInt16BE(channel, 6);
  bytes.set(body, doff * 4);
  return bytes;
}

function readAll(chunks: readonly Buffer[], limit = LIMIT): Frame[] {
  const reader = new FrameReader(limit);
  const frames: Frame[] = [];
  for (const chunk of chunks) {
    reader.push(chunk);
    for (let next = reader.takeFrame(); next !== undefined; next = reader.takeFrame()) frames.push(next);
  }
  return frames;
}

function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let offset = 0, index = 0; offset < bytes.length; index++) {
    const size = sizes[index % sizes.length] ?? 1;
    chunks.push(bytes.subarray(offset, offset + size));
    offset += size;
  }
  return chunks;
}

describe('the frame reader', () => {
  const anyFrame = fc.record({
    body: fc.uint8Array({ maxLength: 100 }),
    doff: fc.integer({ min: 2, max: 5 }),
    type: fc.constantFrom(0, 1),
    channel: fc.integer({ min: 0, max: 0xffff }),
  });

  it('gives out the same frames however the stream is cut into chunks', () => {
    fc.assert(
      fc.property(
        fc.array(anyFrame, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }),
        (sent, sizes) => {
          const stream = Buffer.concat(sent.map(({ body, ...header }) => frame(body, header)));
          const expected = sent.map(({ type, channel, body }) => ({
            type,
            channel,
            body: Buffer.from(body),
          }));
          expect(readAll(cut(stream, sizes))).toEqual(expected);
          expect(readAll(cut(stream, [1]))).toEqual(expected);
        },
      ),
    );
  });

  it('waits for the last byte of a frame', () => {
    const bytes = frame(hex('0102'));
    expect(readAll([bytes.subarray(0, bytes.length - 1)])).toEqual([]);
    expect(readAll([Buffer.alloc(0), bytes, Buffer.alloc(0)])).toHaveLength(1);
  });

  it('does not copy a frame that came in one chunk', () => {
    const bytes = frame(hex('0102'));
    expect(readAll([bytes])[0]?.body.buffer).toBe(bytes.buffer);
  });

  it('does not copy a large frame whose beginning came in one chunk', () => {
    const bytes = frame(Buffer.from('a long payload, cut into three'));
    const reader = new FrameReader(LIMIT);
    for (const chunk of cut(bytes, [16, 10, 12])) reader.push(chunk);
    const taken = reader.takeFrame(16);
    const pieces = [taken?.body, ...(taken?.rest ?? [])];
    expect(pieces.map(String)).toEqual(['a long p', 'ayload, cu', 't into three']);
    expect(pieces.every((piece) => piece?.buffer === bytes.buffer)).toBe(true);
  });

  it('joins a frame when less than its beginning came in one chunk', () => {
    const reader = new FrameReader(LIMIT);
    for (const chunk of cut(frame(hex('0102 0304')), [9, 3])) reader.push(chunk);
    expect(reader.takeFrame(10)).toEqual({ type: 0, channel: 0, body: hex('01020304') });
  });

  it('skips an extended header', () => {
    expect(readAll([frame(hex('0102'), { doff: 7 })])[0]?.body).toEqual(hex('0102'));
    expect(readAll([frame(hex(''), { doff: 3 })])[0]?.body).toEqual(hex(''));
  });

  it('takes a frame of exactly the largest size and refuses one more byte as soon as its header is there', () => {
    expect(readAll([frame(Buffer.alloc(LIMIT - 8))])).toHaveLength(1);
    const header = frame(Buffer.alloc(LIMIT - 7)).subarray(0, 8);
    expect(() => readAll([header])).toThrow('a frame claims 513 bytes; 8 to 512 are allowed');
  });

  it.each([
    ['of no size', { size: 0 }, 'a frame claims 0 bytes'],
    ['smaller than its header', { size: 7 }, 'a frame claims 7 bytes'],
    ['of four gigabytes', { size: 0xffffffff }, 'a frame claims 4294967295 bytes'],
    ['whose body begins inside its header', { doff: 2 }, 'a frame has its body at 4 of'],
    ['whose body begins behind its end', { doff: 2 }, 'a frame has its body at 40 of'],
  ])('refuses a frame %s as a framing error', (_name, header, message) => {
    const bytes = frame(hex('0102'), header);
    const bodyAt = /at (\d+) of/.exec(message)?.[1];
    if (bodyAt !== undefined) bytes.writeUInt8(Number(bodyAt) / 4, 4);
    let refusal: unknown;
    try {
      readAll([bytes]);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(DecodeError);
    expect(refusal).toMatchObject({ condition: 'amqp:connection:framing-error' });
    expect((refusal as DecodeError).message).toContain(message);
  });

  it('gives the protocol header out by itself, and the frame that was sent right behind it', () => {
    const header = hex('414d5150 00010000');
    for (const size of [1, 3, 100]) {
      const reader = new FrameReader(LIMIT);
      const taken: Buffer[] = [];
      for (const chunk of cut(Buffer.concat([header, frame(hex('01'))]), [size])) {
        reader.push(chunk);
        if (taken.length === 0) {
          const protocol = reader.takeProtocolHeader();
          if (protocol !== undefined) taken.push(protocol);
        }
      }
      expect(taken).toEqual([header]);
      expect(reader.takeFrame()?.body).toEqual(hex('01'));
      expect(reader.takeFrame()).toBeUndefined();
    }
  });
});

describe('a frame we write', () => {
  it('says its own size, type and channel, also behind others', () => {
    const writer = new ByteWriter(16);
    writeHeartbeat(writer);
    writeFrame(writer, { type: FRAME_TYPE.amqp, channel: 258, performative: { kind: 'close' } });
    writeFrame(writer, {
      type: FRAME_TYPE.sasl,
      channel: 0,
      performative: { kind: 'sasl-outcome', code: 0 },
    });
    const [heartbeat, close, outcome] = readAll([writer.take()]);
    expect(heartbeat).toEqual({ type: 0, channel: 0, body: hex('') });
    expect(close).toMatchObject({ type: 0, channel: 258 });
    expect(close?.body.subarray(0, 3)).toEqual(hex('005318'));
    expect(outcome).toMatchObject({ type: 1, channel: 0 });
  });
});
