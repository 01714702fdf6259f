// What must hold inside the broker, also in production: a failure is a fault of ours and never a client's mistake.

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`Broken invariant of the broker: ${message}`);
}
