// Checks an invariant of the broker, also in production. A failure is a bug of the broker and never a client's mistake.

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`Broken invariant of the broker: ${message}`);
}
