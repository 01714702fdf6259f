// Ties one connection to one Duplex: reads, one write per turn of the event loop, pauses, and the end of both.

import type { Duplex } from 'node:stream';
import type { Connection } from './protocol/connection.js';

/** Between two writes that must not arrive in one read (a refused attach and its detach). */
const BREAK_MS = 5;
/** Output that may wait for a peer that does not read; beyond it, nothing more is read from it. */
const CLOGGED_BYTES = 4 * 1024 * 1024;
/**
 * How long an input that needs no answer stays without one. A client that leaves Nagle's algorithm on, as rhea does, holds
 * its next write back until the last one is acknowledged, which the kernel puts off by 40 ms unless we write something.
 */
const NUDGE_MS = 2;
/** How long a peer may take to close its side after we have closed ours. */
const LINGER_MS = 1000;

export interface TransportOwner {
  /** Bytes have been read and handled. */
  received(transport: Transport): void;
  closed(transport: Transport): void;
}

export class Transport {
  readonly connection: Connection;
  readonly #duplex: Duplex;
  readonly #owner: TransportOwner;
  #isFlushPlanned = false;
  #isEnding = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #nudgeTimer: NodeJS.Timeout | undefined;
  /** Nothing has been written since something was read. */
  #isAnswerOwed = false;

  constructor(
    connection: Connection,
    duplex: Duplex,
    { owner, nudges }: { owner: TransportOwner; nudges: boolean },
  ) {
    this.connection = connection;
    this.#duplex = duplex;
    this.#owner = owner;
    duplex.on('data', (chunk: Buffer) => {
      connection.receive(chunk);
      owner.received(this);
      this.#applyReading();
      if (nudges) this.#nudgeTimer ??= setTimeout(() => this.#nudge(), NUDGE_MS);
      this.#isAnswerOwed = true;
    });
    duplex.on('end', () => this.#gone());
    duplex.on('close', () => this.#gone());
    // A broken socket says so and then closes; the close is what counts.
    duplex.on('error', () => this.#gone());
  }

  /** Reads nothing while held back. */
  holdBack(isHeldBack: boolean): void {
    this.connection.isHeldBack = isHeldBack;
    this.#applyReading();
  }

  /** Plans a write for when the work under way has said all it has to say. */
  outputReady(): void {
    if (this.#isFlushPlanned || this.#isClosed) return;
    this.#isFlushPlanned = true;
    queueMicrotask(() => this.#flush());
  }

  /** Writes what is left, then closes. */
  end(): void {
    this.#isEnding = true;
    this.outputReady();
  }

  #flush(): void {
    this.#isFlushPlanned = false;
    if (this.#isClosed) return;
    const { buffers, hasMore } = this.connection.takeOutput();
    this.#write(buffers);
    if (hasMore) {
      this.#isFlushPlanned = true;
      this.#timer = setTimeout(() => this.#flush(), BREAK_MS);
    } else if (this.#isEnding && !this.#duplex.writableEnded) {
      this.#duplex.end();
      this.#timer = setTimeout(() => this.#gone(), LINGER_MS);
    }
  }

  #write(buffers: readonly Buffer[]): void {
    if (buffers.length === 0 || this.#duplex.writableEnded) return;
    const { connection } = this;
    this.#isAnswerOwed = false;
    let byteLength = 0;
    for (const buffer of buffers) byteLength += buffer.length;
    connection.unsentBytes += byteLength;
    const written = () => {
      const hadRoom = connection.hasRoom;
      connection.unsentBytes -= byteLength;
      if (!hadRoom && connection.hasRoom) connection.roomMade();
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

  /** An empty frame, which says nothing and carries the acknowledgement. */
  #nudge(): void {
    this.#nudgeTimer = undefined;
    if (this.#isAnswerOwed) this.connection.writeEmptyFrame();
  }

  #applyReading(): void {
    const { isHeldBack, unsentBytes, output } = this.connection;
    const isReading = !isHeldBack && unsentBytes + output.byteLength < CLOGGED_BYTES;
    if (isReading === !this.#duplex.isPaused() || this.#isClosed) return;
    if (isReading) this.#duplex.resume();
    else this.#duplex.pause();
  }

  #gone(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#nudgeTimer);
    this.connection.disconnected();
    this.#duplex.destroy();
    this.#owner.closed(this);
  }
}
