// Cuts a byte stream into frames and puts cold performatives into frames (AMQP 2.3).

import type { ByteWriter } from './byte-writer.js';
import { DecodeError } from './decode-error.js';
import { type Performative, writePerformative } from './performatives.js';

export const FRAME_TYPE = { amqp: 0x00, sasl: 0x01 } as const;
/** The smallest max-frame-size a peer may announce (AMQP 2.7.1). */
export const MIN_MAX_FRAME_SIZE = 512;
const PROTOCOL_HEADER_BYTES = 8;
/** The letters AMQP. */
const PROTOCOL_NAME = 0x414d5150;

const HEADER_BYTES = 8;

export type Frame = {
  readonly type: number;
  readonly channel: number;
  /** Performative and payload; empty in a heartbeat. */
  readonly body: Buffer;
};

/** Collects chunks of any size and returns complete frames, copying only those that span chunks. */
export class FrameReader {
  readonly #maxFrameSize: number;
  #chunks: Buffer[] = [];
  #length = 0;

  constructor(maxFrameSize: number) {
    this.#maxFrameSize = maxFrameSize;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  /** The next 8 bytes, a protocol header; undefined until they have arrived. */
  takeProtocolHeader(): Buffer | undefined {
    return this.#length < PROTOCOL_HEADER_BYTES ? undefined : this.#take(PROTOCOL_HEADER_BYTES);
  }

  /** Whether a protocol header comes next: read as the size of a frame, its first bytes would be more than a gigabyte. */
  get isAtProtocolHeader(): boolean {
    return this.#length >= PROTOCOL_HEADER_BYTES && this.#peek(4).readUInt32BE(0) === PROTOCOL_NAME;
  }

  /** The next frame; undefined until it is complete. Throws DecodeError for an invalid frame header. */
  takeFrame(): Frame | undefined {
    if (this.#length < HEADER_BYTES) return undefined;
    const size = this.#peek(4).readUInt32BE(0);
    if (size < HEADER_BYTES || size > this.#maxFrameSize) {
      throw new DecodeError(
        `a frame claims ${size} bytes; ${HEADER_BYTES} to ${this.#maxFrameSize} are allowed`,
        'amqp:connection:framing-error',
      );
    }
    if (this.#length < size) return undefined;
    const frame = this.#take(size);
    const bodyOffset = (frame[4] as number) * 4;
    if (bodyOffset < HEADER_BYTES || bodyOffset > size) {
      throw new DecodeError(
        `a frame has its body at ${bodyOffset} of ${size}`,
        'amqp:connection:framing-error',
      );
    }
    return { type: frame[5] as number, channel: frame.readUInt16BE(6), body: frame.subarray(bodyOffset) };
  }

  #peek(count: number): Buffer {
    const first = this.#chunks[0] as Buffer;
    return first.length >= count ? first : this.#merge();
  }

  #take(count: number): Buffer {
    const first = this.#peek(count);
    const whole = first.length >= count ? first : this.#merge();
    this.#length -= count;
    if (whole.length === count) this.#chunks.shift();
    else this.#chunks[0] = whole.subarray(count);
    return whole.subarray(0, count);
  }

  #merge(): Buffer {
    const merged = Buffer.concat(this.#chunks, this.#length);
    this.#chunks = [merged];
    return merged;
  }
}

export function writeFrame(
  writer: ByteWriter,
  { type, channel, performative }: { type: number; channel: number; performative: Performative },
): void {
  const start = writer.length;
  writer.uint32(0);
  writer.byte(HEADER_BYTES / 4);
  writer.byte(type);
  writer.uint16(channel);
  writePerformative(writer, performative);
  writer.patchUint32(start, writer.length - start);
}

/** Writes an empty frame, which keeps the connection from timing out. */
export function writeHeartbeat(writer: ByteWriter): void {
  writer.uint32(HEADER_BYTES);
  writer.byte(HEADER_BYTES / 4);
  writer.byte(FRAME_TYPE.amqp);
  writer.uint16(0);
}
