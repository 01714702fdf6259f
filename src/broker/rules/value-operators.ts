// The operators on values: comparisons, which are unknown for types that do not fit, and arithmetic (SQL-15 to SQL-18).

import { type ArithmeticOperator, calculateDoubles } from '../expressions/arithmetic.js';
import { negate, type Truth } from '../expressions/truth.js';
import {
  type Decimal,
  type Duration,
  isNumeric,
  RuleEvaluationError,
  type RuleValue,
  type Timestamp,
  type Uuid,
  valueText,
  wrapInt64,
} from './rule-value.js';

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

export function areEqual(left: Value, right: Value): Truth {
  // SQL-18: integers and doubles compare by value. JavaScript compares a bigint and a number exactly.
  if (isNumeric(left) && isNumeric(right)) return left <= right && left >= right;
  // SQL-06: case-sensitive
  if (typeof left === 'string' && typeof right === 'string') return left === right;
  if (typeof left === 'boolean' && typeof right === 'boolean') return left === right;
  if (isUuid(left)) return isUuidEqual(left, right);
  if (isUuid(right)) return isUuidEqual(right, left);
  if (isDecimal(left) || isDecimal(right)) return compareDecimals(left, right, (a, b) => a === b);
  if (isTimestamp(left) && isTimestamp(right)) return left.ms === right.ms;
  if (isDuration(left) && isDuration(right)) return left.ticks === right.ticks;
  return undefined; // SQL-12, SQL-17: null and the unknown compare with nothing, not even themselves
}

/** SQL-18: booleans and uuids have no order. */
function order(left: Value, right: Value, isInOrder: (left: Ordered, right: Ordered) => boolean): Truth {
  if (isNumeric(left) && isNumeric(right)) return isInOrder(left, right);
  if (typeof left === 'string' && typeof right === 'string') return isInOrder(left, right); // SQL-06: ordinal
  if (isDecimal(left) || isDecimal(right)) return compareDecimals(left, right, isInOrder);
  if (isTimestamp(left) && isTimestamp(right)) return isInOrder(left.ms, right.ms);
  if (isDuration(left) && isDuration(right)) return isInOrder(left.ticks, right.ticks);
  return undefined; // SQL-12, SQL-17: null and the unknown compare with nothing, not even themselves
}

/** SQL-15: exact, but with a double both are doubles. */
function compareDecimals(
  left: Value,
  right: Value,
  compare: (left: Ordered, right: Ordered) => boolean,
): Truth {
  if (!isNumber(left) || !isNumber(right)) return undefined;
  if (typeof left === 'number' || typeof right === 'number') return compare(toDouble(left), toDouble(right));
  const exponent = Math.min(exponentOf(left), exponentOf(right));
  return compare(digitsAt(exponent, left), digitsAt(exponent, right));
}

function exponentOf(value: bigint | Decimal): number {
  return typeof value === 'bigint' ? 0 : value.exponent;
}

/** The digits of the value when it is written with this exponent, which is not above its own. */
function digitsAt(exponent: number, value: bigint | Decimal): bigint {
  const digits = typeof value === 'bigint' ? value : value.digits;
  return digits * 10n ** BigInt(exponentOf(value) - exponent);
}

function toDouble(value: bigint | number | Decimal): number {
  return isDecimal(value) ? Number(`${value.digits}e${value.exponent}`) : Number(value);
}

function isNumber(value: Value): value is bigint | number | Decimal {
  return isNumeric(value) || isDecimal(value);
}

function isDecimal(value: Value): value is Decimal {
  return typeof value === 'object' && value?.kind === 'decimal';
}

/** SQL-18: a text compares with the canonical text of a uuid. */
function isUuidEqual(uuid: Uuid, other: Value): Truth {
  if (typeof other === 'string') return valueText(uuid) === other;
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

/** The limit of a property, 32 KB (MSG-08). Without it a few statements could double a text until memory runs out. */
const MAX_TEXT_LENGTH = 32 * 1024;

/**
 * Calculates as C# does: 64-bit integers wrap round, and `+` joins texts. The result is unknown when an operand is null, unknown
 * or of another type. Throws RuleEvaluationError on a division by the integer zero.
 */
export function calculate(operator: ArithmeticOperator, left: Value, right: Value): Value {
  if (isNumber(left) && isNumber(right)) {
    // SQL-15: if one is a double, both are computed as doubles. Differs from Azure: decimals are too.
    return typeof left === 'bigint' && typeof right === 'bigint'
      ? wrapInt64(calculateIntegers(operator, left, right))
      : calculateDoubles(operator, toDouble(left), toDouble(right));
  }
  const isTextual = typeof left === 'string' || typeof right === 'string';
  return operator === '+' && isTextual ? join(left, right) : undefined; // SQL-09, SQL-12, SQL-16
}

/** Applies `-x` or `+x`. The negative of the least integer is itself. */
export function applySign(operator: '+' | '-', value: Value): Value {
  if (!isNumber(value)) return undefined; // SQL-09, SQL-16
  if (operator === '+') return value;
  return typeof value === 'bigint' ? wrapInt64(-value) : -toDouble(value);
}

/** Unknown when an operand has no text. Throws RuleEvaluationError when the result is longer than a property may be. */
function join(left: Value, right: Value): Value {
  const [leftText, rightText] = [valueText(left), valueText(right)];
  if (leftText === undefined || rightText === undefined) return undefined;
  const length = leftText.length + rightText.length;
  if (length > MAX_TEXT_LENGTH) {
    const text = `A text of ${length} characters came of '+'; the limit is ${MAX_TEXT_LENGTH}.`;
    throw new RuleEvaluationError(text);
  }
  return leftText + rightText;
}

function calculateIntegers(operator: ArithmeticOperator, left: bigint, right: bigint): bigint {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      checkDivisor(right, `${left} cannot be divided by zero`);
      return left / right; // SQL-15: truncates
    case '%':
      checkDivisor(right, `${left} has no remainder of a division by zero`);
      return left % right;
    default:
      return operator satisfies never;
  }
}

// SQL-15
function checkDivisor(divisor: bigint, text: string): void {
  if (divisor === 0n) throw new RuleEvaluationError(text);
}
