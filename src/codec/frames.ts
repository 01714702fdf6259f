// Cuts a byte stream into frames and puts cold performatives into frames (AMQP 2.3).

import type { ByteWriter } from './byte-writer.js';
import { DecodeError } from './decode-error.js';
import { type Performative, writePerformative } from './performatives.js';
import { LEAST_IN_BLOCK_BYTES, type ReusedBlocks } from './reused-blocks.js';
import { compacted } from './small-part.js';

export const FRAME_TYPE = { amqp: 0x00, sasl: 0x01 } as const;
/** The smallest max-frame-size that a peer may announce (AMQP 2.7.1). */
export const MIN_MAX_FRAME_SIZE = 512;
const PROTOCOL_HEADER_BYTES = 8;
/** The letters AMQP. */
const PROTOCOL_NAME = 0x414d5150;

const HEADER_BYTES = 8;

export type Frame = {
  readonly type: number;
  readonly channel: number;
  /** Performative and payload; empty for a heartbeat. */
  readonly body: Buffer;
  /** The rest of the payload after `body`, if the frame was taken in pieces. */
  readonly rest?: readonly Buffer[] | undefined;
};

/** Collects reads of any size and returns complete frames. A frame within one read is not copied. */
export class FrameReader {
  readonly #maxFrameSize: number;
  readonly #blocks: ReusedBlocks | undefined;
  /** Has the beginning of an unfinished frame, the first chunk. */
  #block: Buffer | undefined;
  #chunks: Buffer[] = [];
  /** The offset of the unread bytes in the first chunk. */
  #offset = 0;
  #length = 0;
  /** Whether the last chunk is the read that is being handled. */
  #isReading = false;

  /** Without `blocks`, what is unfinished gets memory of its own. */
  constructor(maxFrameSize: number, blocks?: ReusedBlocks) {
    this.#maxFrameSize = maxFrameSize;
    this.#blocks = blocks;
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    this.#isReading = true;
  }

  /** The number of bytes that have arrived but were not taken. */
  get unreadBytes(): number {
    return this.#length;
  }

  /**
   * Copies what is left of the last read, whose memory is used for the next one, and gives back a block that was taken. Must be called when
   * frames have been taken, whether there was a read or not.
   */
  keep(): void {
    if (this.#chunks[0]?.buffer !== this.#block?.buffer) this.#giveBlock();
    if (!this.#isReading) return;
    this.#isReading = false;
    const last = this.#chunks.pop();
    if (last === undefined) return;
    const isAlone = this.#chunks.length === 0;
    const rest = isAlone ? last.subarray(this.#offset) : last;
    if (isAlone) this.#offset = 0;
    if (!this.#addToBlock(rest)) this.#chunks.push(compacted(rest));
  }

  /** Gives its block to others, because the rest of the frame may come late. */
  release(): void {
    if (this.#block === undefined) return;
    this.#chunks[0] = compacted(this.#chunks[0] as Buffer);
    this.#giveBlock();
  }

  /** Gives all memory back, because nothing more is read. */
  drop(): void {
    this.#chunks = [];
    this.#offset = 0;
    this.#length = 0;
    this.#giveBlock();
  }

  /** Puts the rest of a read behind the beginning of its frame; false if that is not in a block, or does not fit. */
  #addToBlock(rest: Buffer): boolean {
    const [first] = this.#chunks;
    if (first === undefined && rest.length >= LEAST_IN_BLOCK_BYTES) this.#block = this.#blocks?.take();
    const start = first?.length ?? 0;
    if (this.#block === undefined || this.#chunks.length > 1) return false;
    if (start + rest.length > this.#block.length) return false;
    rest.copy(this.#block, start);
    this.#chunks = [this.#block.subarray(0, start + rest.length)];
    return true;
  }

  #giveBlock(): void {
    if (this.#block !== undefined) this.#blocks?.give(this.#block);
    this.#block = undefined;
  }

  /** The next 8 bytes, a protocol header; undefined until they have arrived. */
  takeProtocolHeader(): Buffer | undefined {
    return this.#length < PROTOCOL_HEADER_BYTES ? undefined : this.#takeWhole(PROTOCOL_HEADER_BYTES);
  }

  /** Whether a protocol header comes next. It cannot be a frame: as a size, its first bytes would mean more than a gigabyte. */
  get isAtProtocolHeader(): boolean {
    return this.#length >= PROTOCOL_HEADER_BYTES && this.#peekUint32() === PROTOCOL_NAME;
  }

  /**
   * The next frame; undefined until it is complete. Throws DecodeError for an invalid frame header. A frame that spans chunks is joined.
   * But if its first chunk has at least `headBytes` of it, it is taken in pieces and nothing is copied. The header of a frame may have
   * 1,020 bytes, and the performative follows it.
   */
  takeFrame(headBytes = Number.POSITIVE_INFINITY): Frame | undefined {
    if (this.#length < HEADER_BYTES) return undefined;
    const size = this.#peekUint32();
    if (size < HEADER_BYTES || size > this.#maxFrameSize) {
      throw new DecodeError(
        `a frame claims ${size} bytes; ${HEADER_BYTES} to ${this.#maxFrameSize} are allowed`,
        'amqp:connection:framing-error',
      );
    }
    if (this.#length < size) return undefined;
    const isInPieces = this.#firstBytes < size && this.#firstBytes >= headBytes;
    const pieces = isInPieces ? this.#takePieces(size) : undefined;
    const frame = pieces?.shift() ?? this.#takeWhole(size);
    const bodyOffset = (frame[4] as number) * 4;
    if (bodyOffset < HEADER_BYTES || bodyOffset > size) {
      throw new DecodeError(
        `a frame has its body at ${bodyOffset} of ${size}`,
        'amqp:connection:framing-error',
      );
    }
    const body = frame.subarray(bodyOffset);
    return { type: frame[5] as number, channel: frame.readUInt16BE(6), body, rest: pieces };
  }

  /** The unread bytes of the first chunk. */
  get #firstBytes(): number {
    return (this.#chunks[0] as Buffer).length - this.#offset;
  }

  #peekUint32(): number {
    if (this.#firstBytes < 4) {
      this.#chunks = [Buffer.concat(this.#chunks).subarray(this.#offset)];
      this.#offset = 0;
    }
    return (this.#chunks[0] as Buffer).readUInt32BE(this.#offset);
  }

  #takeWhole(count: number): Buffer {
    if (this.#firstBytes < count) return Buffer.concat(this.#takePieces(count), count);
    return this.#takeTo(this.#offset + count);
  }

  /** Takes bytes from several chunks. All full chunks are removed in one step, because there may be one for each byte. */
  #takePieces(count: number): Buffer[] {
    let end = this.#offset + count;
    const index = this.#chunks.findIndex(({ length }) => {
      if (end <= length) return true;
      end -= length;
      return false;
    });
    const [first, ...others] = this.#chunks.splice(0, index) as [Buffer, ...Buffer[]];
    const head = first.subarray(this.#offset);
    this.#length -= count - end;
    this.#offset = 0;
    return [head, ...others, this.#takeTo(end)];
  }

  /** Takes the bytes of the first chunk up to `end`. */
  #takeTo(end: number): Buffer {
    const first = this.#chunks[0] as Buffer;
    const piece = first.subarray(this.#offset, end);
    this.#length -= piece.length;
    this.#offset = end < first.length ? end : 0;
    if (end === first.length) this.#chunks.shift();
    return piece;
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
