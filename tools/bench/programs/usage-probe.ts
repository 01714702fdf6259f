// Loaded into a broker before its own program: answers what the process has used, exactly and on every platform.

export type Usage = {
  /** User and system time of all threads since the start. */
  readonly cpuMicroseconds: number;
  readonly residentBytes: number;
  /** Of JavaScript and of the buffers it holds; without garbage when the process runs with --expose-gc. */
  readonly heldBytes: number;
};

/** The first frees what the next can then collect. */
const COLLECTIONS = 3;

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  const residentBytes = process.memoryUsage.rss();
  process.send?.({ cpuMicroseconds: user + system, residentBytes, heldBytes: heldBytes() } satisfies Usage);
});
// A broker never outlives the benchmark, however that ends.
process.on('disconnect', () => process.exit());
process.channel?.unref();

function heldBytes(): number {
  for (let collection = 0; collection < COLLECTIONS; collection++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
