// Overwrites each read as soon as it has been handled, in every test of this process: a plain socket is read into the same buffer again
// and again, so that a view of it which was kept shows other bytes later. Whatever keeps one fails some test.

import { FrameTrace } from '../../src/amqp/frame-trace.js';
import { Connection } from '../../src/amqp/protocol/connection.js';

type Reader = (this: unknown, read: Buffer) => void;

/** A byte that is no valid constructor of AMQP's types. */
const SCRIBBLE = 0xee;
const isOverwriting = Symbol.for('reads are overwritten');

/** Wraps a method that is called with each read. Once: the files of a worker share the loaded modules. */
function overwriteAfter(prototype: object, method: string): void {
  if (isOverwriting in prototype) return;
  Object.defineProperty(prototype, isOverwriting, { value: true });
  const methods = prototype as Record<string, Reader>;
  const original = methods[method] as Reader;
  methods[method] = function (read) {
    // Less than half of its memory, as in the product (`gateway/read-buffer.ts`).
    const view = Buffer.allocUnsafeSlow(2 * read.length + 1).subarray(0, read.length);
    read.copy(view);
    try {
      original.call(this, view);
    } finally {
      view.fill(SCRIBBLE);
    }
  };
}

overwriteAfter(Connection.prototype, 'receive');
overwriteAfter(FrameTrace.prototype, 'received');
