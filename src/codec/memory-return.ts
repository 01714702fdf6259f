// The memory of a large buffer that nothing uses any more. V8 would find it when 64 MiB more have been allocated: a second body of
// 90 MiB would be in memory beside the one before it.

/** V8 counts a buffer of this size as pressure; the system gives it no page, because nothing is written to it. */
const COUNTED_BYTES = 64 * 1024 * 1024;
/** Up to 46 were needed. A buffer that somebody still uses is not waited for longer. */
const MAX_STEPS = 64;

const RETURNS = new FinalizationRegistry<MemoryReturn>((memory) => {
  memory.isBack = true;
});

export class MemoryReturn {
  isBack = false;

  constructor(buffer: Buffer) {
    RETURNS.register(buffer.buffer, this);
  }

  /** Has V8 collect in its own small steps, between which others have their turn, until the memory is back. */
  async hasten(): Promise<void> {
    for (let step = 0; step < MAX_STEPS && !this.isBack; step++) {
      void new ArrayBuffer(COUNTED_BYTES);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
