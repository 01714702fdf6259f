// A WebSocket as a stream of bytes: what is written in one go is one binary frame, and who does not read is not read from.

import { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';

type Done = (error?: Error | null) => void;

const NORMAL = 1000;
const NOT_UNDERSTOOD = 1003;

/** What is asked of a WebSocket of the package ws. */
export type Frames = Pick<WebSocket, 'on' | 'send' | 'pause' | 'resume' | 'close' | 'terminate'>;

export class WebSocketDuplex extends Duplex {
  readonly #frames: Frames;

  constructor(frames: Frames) {
    super();
    this.#frames = frames;
    frames.on('message', (data, isBinary) => this.#received(data, isBinary));
    // It says why to the other side and closes; the close is what counts.
    frames.on('error', () => {});
    frames.on('close', () => this.#closed());
  }

  override _read(): void {
    this.#frames.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#frames.send(chunk, { binary: true }, done);
  }

  /** All that was written since the last frame left: several frames of AMQP, or all of one message. */
  override _writev(chunks: { readonly chunk: Buffer }[], done: Done): void {
    const [first] = chunks;
    const all = chunks.length === 1 && first ? first.chunk : Buffer.concat(chunks.map(({ chunk }) => chunk));
    this.#frames.send(all, { binary: true }, done);
  }

  override _final(done: Done): void {
    this.#frames.close(NORMAL);
    done();
  }

  override _destroy(error: Error | null, done: Done): void {
    // Does nothing to one that is closed.
    this.#frames.terminate();
    done(error);
  }

  #received(data: RawData, isBinary: boolean): void {
    if (!isBinary) {
      this.#frames.close(NOT_UNDERSTOOD, 'AMQP comes in binary frames');
      return;
    }
    // As ws gives it unless it is told otherwise.
    if (Buffer.isBuffer(data) && !this.push(data)) this.#frames.pause();
  }

  #closed(): void {
    if (!this.readableEnded && !this.destroyed) this.push(null);
    // Nobody is left to write to; what was received may still be read.
    if (!this.writableEnded) this.end();
  }
}
