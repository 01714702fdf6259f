// Memory of large buffers that are no longer used. V8 collects such a buffer when up to 64 MiB more have been allocated: of bodies of
// 90 MiB one after another, 10 to 20 MB of the next came in beside the last.

/** V8 counts a buffer of this size as pressure. It has no pages, because nothing is written to it. */
const COUNTED_BYTES = 64 * 1024 * 1024;
/** Up to 46 were needed. */
const MAX_STEPS = 64;

type Watch = { isCollected: boolean };
const WATCHED = new FinalizationRegistry<Watch>((watch) => {
  watch.isCollected = true;
});

/** Notes when V8 collects the object. */
function watch(object: object): Watch {
  const state = { isCollected: false };
  WATCHED.register(object, state);
  return state;
}

export class MemoryReturn {
  readonly #buffer: Watch;

  constructor({ buffer }: Buffer) {
    this.#buffer = watch(buffer);
  }

  get isBack(): boolean {
    return this.#buffer.isCollected;
  }

  /**
   * Makes V8 collect in its own small steps, between which others have their turn. Ends when the memory is back, or when a whole
   * collection has left it, because it is still used.
   */
  async hasten(): Promise<void> {
    const collection = watch({});
    for (let step = 0; step < MAX_STEPS && !this.isBack && !collection.isCollected; step++) {
      if (!addPressure()) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** Returns false if the process may allocate no more: V8 has then collected all it can. */
function addPressure(): boolean {
  try {
    void new ArrayBuffer(COUNTED_BYTES);
    return true;
  } catch {
    return false;
  }
}
