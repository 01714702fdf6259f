// Ties one connection to one Duplex: reading, one write for each turn of the event loop, pauses, and the end of both.

import type { Duplex } from 'node:stream';
import type { FrameTrace } from './frame-trace.js';
import type { Connection } from './protocol/connection.js';

/** The pause between two writes that must not arrive in one read (a refused attach and its detach). */
const BREAK_MS = 5;
/** The most output that may wait for a peer that does not read. Above this, we read nothing more from it. */
const CLOGGED_BYTES = 4 * 1024 * 1024;
/**
 * How long an input that needs no answer stays unanswered. A client with Nagle's algorithm, such as rhea, holds its next write
 * back until the last one is acknowledged. The kernel delays that by 40 ms unless we write something.
 */
const NUDGE_MS = 2;
/** How long a peer may take to close its side after we have closed ours. */
const LINGER_MS = 1000;

export interface TransportOwner {
  /** Bytes have been read and handled. */
  received(transport: Transport): void;
  /** A write has ended. */
  sent(transport: Transport): void;
  closed(transport: Transport): void;
}

export class Transport {
  readonly connection: Connection;
  readonly #duplex: Duplex;
  readonly #owner: TransportOwner;
  #isFlushPlanned = false;
  #isEnding = false;
  #isClosed = false;
  #isStalled = false;
  #isWaitingToRead = false;
  #isSilent = false;
  #timer: NodeJS.Timeout | undefined;
  #nudgeTimer: NodeJS.Timeout | undefined;
  /** Whether nothing has been written since the last read. */
  #isAnswerOwed = false;
  readonly #trace: FrameTrace | undefined;

  constructor(
    connection: Connection,
    duplex: Duplex,
    { owner, nudges, trace }: { owner: TransportOwner; nudges: boolean; trace?: FrameTrace | undefined },
  ) {
    this.connection = connection;
    this.#duplex = duplex;
    this.#owner = owner;
    this.#trace = trace;
    duplex.on('data', (chunk: Buffer) => {
      if (this.#isSilent) {
        connection.heard();
        return;
      }
      trace?.received(chunk);
      connection.receive(chunk);
      owner.received(this);
      this.#applyReading();
      if (nudges) this.#nudgeTimer ??= setTimeout(() => this.#nudge(), NUDGE_MS);
      this.#isAnswerOwed = true;
    });
    duplex.on('end', () => this.#gone());
    duplex.on('close', () => this.#gone());
    // A broken socket emits `error` and then `close`.
    duplex.on('error', () => this.#gone());
  }

  /** Output that the socket has not passed on yet. */
  get unsentBytes(): number {
    return this.connection.held.unsent + this.connection.output.byteLength;
  }

  /** Stops all writing and reading, or goes on. */
  stall(isStalled: boolean): void {
    this.#isStalled = isStalled;
    this.#applyReading();
    if (!isStalled) this.outputReady();
  }

  /** Writes nothing more, and drops all input, until the peer goes. */
  silence(): void {
    this.#isSilent = true;
  }

  /** Cuts the stream; a plain socket is closed with TCP's RST. */
  reset(): void {
    const stream: Duplex & { resetAndDestroy?(): void } = this.#duplex;
    if (stream.resetAndDestroy === undefined || 'encrypted' in stream) stream.destroy();
    else stream.resetAndDestroy();
  }

  /** Plans a write for the end of the current work. */
  outputReady(): void {
    if (this.#isFlushPlanned || this.#isClosed) return;
    this.#isFlushPlanned = true;
    queueMicrotask(() => this.#flush());
  }

  /** Writes the rest of the output, then closes. */
  end(): void {
    this.#isEnding = true;
    this.outputReady();
  }

  #flush(): void {
    this.#isFlushPlanned = false;
    if (this.#isClosed) return;
    if (this.#isSilent || this.#isStalled) {
      if (this.#isEnding) this.#gone();
      return;
    }
    const write = this.connection.takeOutput();
    this.#write(write);
    if (write.hasMore) {
      this.#isFlushPlanned = true;
      this.#timer = setTimeout(() => this.#flush(), BREAK_MS);
    } else if (this.#isEnding && !this.#duplex.writableEnded) {
      this.#duplex.end();
      this.#timer = setTimeout(() => this.#gone(), LINGER_MS);
    }
  }

  #write({ buffers, blocks }: ReturnType<Connection['takeOutput']>): void {
    const { connection } = this;
    if (buffers.length === 0 || this.#duplex.writableEnded) {
      connection.output.give(blocks);
      return;
    }
    this.#isAnswerOwed = false;
    let byteLength = 0;
    for (const buffer of buffers) byteLength += buffer.length;
    connection.writeBegan(byteLength);
    this.#trace?.sent(buffers);
    const written = (error?: Error | null) => {
      if (error) connection.output.lose(blocks);
      else connection.output.give(blocks);
      connection.writeEnded(byteLength);
      this.#owner.sent(this);
      this.#applyReading();
    };
    if (buffers.length === 1) {
      this.#duplex.write(buffers[0], written);
      return;
    }
    this.#duplex.cork();
    for (const buffer of buffers.slice(0, -1)) this.#duplex.write(buffer);
    this.#duplex.write(buffers.at(-1), written);
    this.#duplex.uncork();
  }

  /** Writes an empty frame, so that TCP acknowledges at once. */
  #nudge(): void {
    this.#nudgeTimer = undefined;
    if (this.#isAnswerOwed) this.connection.writeEmptyFrame();
  }

  #applyReading(): void {
    if (this.#isClosed) return;
    const { connection } = this;
    connection.isHeldBack = !connection.held.mayBeRead;
    if (connection.isHeldBack) this.#waitToRead();
    const isReading = !connection.isHeldBack && !this.#isStalled && this.unsentBytes < CLOGGED_BYTES;
    if (isReading === !this.#duplex.isPaused()) return;
    if (isReading) this.#duplex.resume();
    else this.#duplex.pause();
  }

  #waitToRead(): void {
    if (this.#isWaitingToRead) return;
    this.#isWaitingToRead = true;
    const { held } = this.connection;
    held.share.wait({
      mayExceed: () => held.canFinish,
      goOn: () => {
        this.#isWaitingToRead = false;
        this.#applyReading();
      },
    });
  }

  #gone(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#nudgeTimer);
    this.connection.disconnected();
    this.connection.output.drop();
    const { held } = this.connection;
    held.share.close(held.submitted);
    this.#duplex.destroy();
    this.#owner.closed(this);
  }
}
