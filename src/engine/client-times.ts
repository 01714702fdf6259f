// Converts between the broker's time and the time of the clients' clocks, while the machine's clock has jumped away from the broker's.
//
// It happens to commands on their way in, and to results, effects and activities on their way out. Contents stay as they are.

/** Every field of these that is an instant; a test compares them with the types. */
const TIME_FIELDS: ReadonlySet<string> = new Set([
  'accessedTime',
  'createdTime',
  'enqueueAt',
  'enqueuedBefore',
  'enqueuedTime',
  'expiresAt',
  'lockedUntil',
  'oldestActiveTime',
  'scheduledEnqueueTime',
  'startedAt',
  'stateSetAfter',
  'stateSetTime',
  'updatedTime',
]);

/** Returns a copy of a command or an outcome whose times are this much later; the value itself if that is nothing. */
export function shiftTimes<Value>(value: Value, byMs: number): Value {
  return byMs === 0 ? value : (shiftValue(value, byMs) as Value);
}

function shiftValue(value: unknown, byMs: number): unknown {
  if (Array.isArray(value)) return value.map((item) => shiftValue(item, byMs));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      TIME_FIELDS.has(name) ? shiftTime(inner, byMs) : shiftValue(inner, byMs),
    ]),
  );
}

/** A lock of several messages has an array of times. Absent times stay absent. */
function shiftTime(value: unknown, byMs: number): unknown {
  if (Array.isArray(value)) return value.map((item) => shiftTime(item, byMs));
  return typeof value === 'number' ? value + byMs : value;
}

/** Bytes and objects with an identity, such as errors, have no times of the broker. */
function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
