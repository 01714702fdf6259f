// Loaded into a broker before its own program: answers what the process has used, exactly and on every platform.

export type Usage = {
  /** User and system time of all threads since the start. */
  readonly cpuMicroseconds: number;
  readonly residentBytes: number;
};

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  const usage: Usage = { cpuMicroseconds: user + system, residentBytes: process.memoryUsage.rss() };
  process.send?.(usage);
});
// A broker never outlives the benchmark, however that ends.
process.on('disconnect', () => process.exit());
process.channel?.unref();
