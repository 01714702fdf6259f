// What becomes of a value that is set where another type is wanted (ACT-03, ACT-04).

import { parseTime } from './civil-time.js';
import { readInteger } from './parameter-value.js';
import { RuleEvaluationError } from './rule-evaluation-error.js';
import { isInt64, type RuleValue, uuidOf } from './rule-value.js';
import type { SettableTarget } from './system-property.js';
import { textOf } from './value-text.js';

const UUID = /^[\da-f]{8}(-?[\da-f]{4}){3}-?[\da-f]{12}$/i;
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
/** As .NET writes spans: `[days.]hours:minutes:seconds[.fraction]`. */
const SPAN = /^(?:(\d{1,8})\.)?(\d{1,2}):(\d\d):(\d\d)(?:\.(\d{1,7}))?$/;

/** ACT-03: in the type of the value that is there; where that is not possible, as it is. */
export function convertLike(existing: RuleValue | undefined, value: RuleValue): RuleValue {
  if (existing === undefined || existing === null || value === null) return value;
  const [wanted, given] = [kindOf(existing), kindOf(value)];
  if (wanted === given) return value;
  return CONVERSIONS[wanted]?.(value) ?? value;
}

const CONVERSIONS: Readonly<Record<string, (value: RuleValue) => RuleValue | undefined>> = {
  string: textOf, // ACT-04
  bigint: toInteger,
  number: toDouble,
  boolean: toBoolean,
  uuid: (value) => (typeof value === 'string' && UUID.test(value) ? uuidOf(value) : undefined),
  timestamp: toTimestamp,
};

/** As a system property stores it. Throws RuleEvaluationError when it cannot. */
export function convertForSystem({ storedAs, property }: SettableTarget, value: RuleValue): RuleValue {
  if (value === null || storedAs === 'nothing') return null;
  const converted =
    storedAs === 'text' ? textOf(value) : storedAs === 'time' ? toTimestamp(value) : toSpan(value);
  if (converted === undefined) {
    throw new RuleEvaluationError(`sys.${property} cannot be set to ${textOf(value) ?? 'such a value'}`);
  }
  return converted;
}

function kindOf(value: RuleValue & {}): string {
  return typeof value === 'object' ? value.kind : typeof value;
}

function toInteger(value: RuleValue): bigint | undefined {
  if (typeof value === 'string') return readInteger(value.trim());
  if (typeof value !== 'number' || !Number.isInteger(value)) return undefined;
  return isInt64(BigInt(value)) ? BigInt(value) : undefined;
}

function toDouble(value: RuleValue): number | undefined {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' && DECIMAL.test(value.trim()) ? Number(value) : undefined;
}

function toBoolean(value: RuleValue): boolean | undefined {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

function toTimestamp(value: RuleValue): RuleValue | undefined {
  if (typeof value === 'object' && value?.kind === 'timestamp') return value;
  const ms = typeof value === 'string' ? parseTime(value) : undefined;
  return ms === undefined ? undefined : { kind: 'timestamp', ms };
}

/** In milliseconds, not negative: an integer is that already. */
function toSpan(value: RuleValue): bigint | undefined {
  const ms = typeof value === 'string' ? parseSpan(value.trim()) : value;
  const whole = typeof ms === 'number' && Number.isFinite(ms) ? BigInt(Math.trunc(ms)) : ms;
  return typeof whole === 'bigint' && whole >= 0n && isInt64(whole) ? whole : undefined;
}

function parseSpan(text: string): bigint | number | undefined {
  const match = SPAN.exec(text);
  if (match === null) return readInteger(text);
  const [, days = '0', hours, minutes, seconds, fraction = ''] = match;
  const total = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  return total * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3));
}
