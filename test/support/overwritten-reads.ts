// Overwrites each read of a socket as soon as it has been handled, each large content as soon as it has been delivered, and the memory of slabs
// and blocks when it is given back, in every test of this process: all of that is used again and again, so that a view of it which was kept
// shows other bytes later. Whatever keeps one fails some test.

import { FrameTrace } from '../../src/amqp/frame-trace.js';
import { EntityReceiver } from '../../src/amqp/links/entity-receiver.js';
import { Connection } from '../../src/amqp/protocol/connection.js';
import { ReusedBlocks } from '../../src/codec/reused-blocks.js';
import { ContentSlabs } from '../../src/engine/content-slabs.js';
import { HeadReceiver } from '../../src/http/runtime/head-receiver.js';

type Method = (this: unknown, ...args: unknown[]) => void;

/** The journal copies smaller contents out of their windows. */
const LEAST_VIEW_BYTES = 16 * 1024;

/** A byte that is no valid constructor of AMQP's types. */
const SCRIBBLE = 0xee;
const isOverwriting = Symbol.for('reads are overwritten');

/** Wraps a method whose last argument are such bytes. Once: the files of a worker share the loaded modules. */
function overwriteAfter(prototype: object, method: string, leastBytes = 0): void {
  if (isOverwriting in prototype) return;
  Object.defineProperty(prototype, isOverwriting, { value: true });
  const methods = prototype as Record<string, Method>;
  const original = methods[method] as Method;
  methods[method] = function (...args) {
    const bytes = args.pop() as Uint8Array;
    if (bytes.length < leastBytes) {
      original.call(this, ...args, bytes);
      return;
    }
    // Less than half of its memory, as in the product (`gateway/read-buffer.ts`).
    const view = Buffer.allocUnsafeSlow(2 * bytes.length + 1).subarray(0, bytes.length);
    view.set(bytes);
    try {
      original.call(this, ...args, view);
    } finally {
      view.fill(SCRIBBLE);
    }
  };
}

/** Wraps a method that gives back the memory of these bytes. */
function overwriteBefore(prototype: object, method: string): void {
  if (isOverwriting in prototype) return;
  Object.defineProperty(prototype, isOverwriting, { value: true });
  const methods = prototype as Record<string, Method>;
  const original = methods[method] as Method;
  methods[method] = function (bytes) {
    // A content that lies elsewhere is not given back.
    if (!(this instanceof ContentSlabs) || this.has(bytes as Uint8Array))
      (bytes as Uint8Array).fill(SCRIBBLE);
    original.call(this, bytes);
  };
}

overwriteAfter(Connection.prototype, 'receive');
overwriteAfter(FrameTrace.prototype, 'received');
overwriteAfter(EntityReceiver.prototype, 'deliver', LEAST_VIEW_BYTES);
overwriteAfter(HeadReceiver.prototype, 'deliver', LEAST_VIEW_BYTES);
overwriteBefore(ContentSlabs.prototype, 'release');
overwriteBefore(ReusedBlocks.prototype, 'give');
