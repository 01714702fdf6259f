// How two values compare: true, false, or unknown when their types do not fit (SQL-17, SQL-18).

import {
  type Duration,
  isNumeric,
  type RuleValue,
  type Timestamp,
  type Truth,
  type Uuid,
} from './rule-value.js';
import { textOf } from './value-text.js';

type Value = RuleValue | undefined;
type Ordered = string | number | bigint;

export type ComparisonOperator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export const COMPARISONS: Readonly<Record<ComparisonOperator, (left: Value, right: Value) => Truth>> = {
  '=': areEqual,
  '<>': (left, right) => negate(areEqual(left, right)),
  '<': (left, right) => order(left, right, (a, b) => a < b),
  '<=': (left, right) => order(left, right, (a, b) => a <= b),
  '>': (left, right) => order(left, right, (a, b) => a > b),
  '>=': (left, right) => order(left, right, (a, b) => a >= b),
};

// SQL-09: NOT of unknown is unknown
export function negate(truth: Truth): Truth {
  return truth === undefined ? undefined : !truth;
}

export function areEqual(left: Value, right: Value): Truth {
  // SQL-18: by value, whichever of the two is an integer. JavaScript compares them exactly.
  if (isNumeric(left) && isNumeric(right)) return left <= right && left >= right;
  // SQL-06: case-sensitive
  if (typeof left === 'string' && typeof right === 'string') return left === right;
  if (typeof left === 'boolean' && typeof right === 'boolean') return left === right;
  if (isUuid(left)) return isUuidEqual(left, right);
  if (isUuid(right)) return isUuidEqual(right, left);
  if (isTimestamp(left) && isTimestamp(right)) return left.ms === right.ms;
  if (isDuration(left) && isDuration(right)) return left.ticks === right.ticks;
  return undefined; // SQL-12, SQL-17: null and the unknown fit nothing, not even themselves
}

/** SQL-18: booleans and uuids have no order. */
function order(left: Value, right: Value, isInOrder: (left: Ordered, right: Ordered) => boolean): Truth {
  if (isNumeric(left) && isNumeric(right)) return isInOrder(left, right);
  if (typeof left === 'string' && typeof right === 'string') return isInOrder(left, right); // SQL-06: ordinal
  if (isTimestamp(left) && isTimestamp(right)) return isInOrder(left.ms, right.ms);
  if (isDuration(left) && isDuration(right)) return isInOrder(left.ticks, right.ticks);
  return undefined; // SQL-12, SQL-17: null and the unknown fit nothing, not even themselves
}

/** SQL-18: a text is compared with the canonical text of a uuid. */
function isUuidEqual(uuid: Uuid, other: Value): Truth {
  if (typeof other === 'string') return textOf(uuid) === other;
  return isUuid(other) ? uuid.hex === other.hex : undefined;
}

function isUuid(value: Value): value is Uuid {
  return typeof value === 'object' && value?.kind === 'uuid';
}

function isTimestamp(value: Value): value is Timestamp {
  return typeof value === 'object' && value?.kind === 'timestamp';
}

function isDuration(value: Value): value is Duration {
  return typeof value === 'object' && value?.kind === 'duration';
}
