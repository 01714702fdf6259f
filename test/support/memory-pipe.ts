// Two streams joined back to back: what one writes the other reads, one chunk for each write, without a socket.

import { Duplex } from 'node:stream';

type Done = (error?: Error | null) => void;

/** The two ends of an in-memory connection. Ending or destroying one ends the other. */
export function memoryPipe(): [Duplex, Duplex] {
  const left = new PipeEnd();
  const right = new PipeEnd();
  left.join(right);
  right.join(left);
  return [left, right];
}

class PipeEnd extends Duplex {
  #peer: PipeEnd | undefined;
  #whenPeerReads: Done | undefined;

  join(peer: PipeEnd): void {
    this.#peer = peer;
  }

  override _read(): void {
    this.#peer?.continueWriting();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    // As the system does: the writer may use the memory again.
    this.#pass(Buffer.from(chunk), done);
  }

  /** A vector of buffers is one write, as it is on a socket. */
  override _writev(chunks: { chunk: Buffer }[], done: Done): void {
    this.#pass(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: Done): void {
    this.#peer?.push(null);
    done();
  }

  override _destroy(error: Error | null, done: Done): void {
    const peer = this.#peer;
    this.#peer = undefined;
    peer?.peerIsGone();
    done(error);
  }

  continueWriting(): void {
    const done = this.#whenPeerReads;
    this.#whenPeerReads = undefined;
    done?.();
  }

  peerIsGone(): void {
    this.#peer = undefined;
    this.continueWriting();
    if (!this.readableEnded) this.push(null);
    if (!this.destroyed) this.end();
  }

  #pass(chunk: Buffer, done: Done): void {
    const peer = this.#peer;
    if (peer === undefined) return done(new Error('the other end of the pipe is gone'));
    // A full reader holds the writer back until it reads again.
    if (peer.push(chunk)) setImmediate(done);
    else this.#whenPeerReads = done;
  }
}
