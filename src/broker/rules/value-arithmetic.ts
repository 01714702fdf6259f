// Arithmetic as in C#: 64-bit integers that wrap round, doubles, and texts joined by `+` (SQL-15, SQL-16).

import { RuleEvaluationError } from './rule-evaluation-error.js';
import { isNumeric, type RuleValue, wrapInt64 } from './rule-value.js';
import { textOf } from './value-text.js';

type Value = RuleValue | undefined;

/** A few statements could double a text until nothing holds it; a property has up to 32 KB (MSG-08). */
const MAX_TEXT_LENGTH = 32 * 1024;

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';

/** Unknown when an operand is unknown or null, or no number. Throws RuleEvaluationError on a division by the integer zero. */
export function calculate(operator: ArithmeticOperator, left: Value, right: Value): Value {
  if (isNumeric(left) && isNumeric(right)) {
    // SQL-15: with a double among them, both are doubles
    return typeof left === 'bigint' && typeof right === 'bigint'
      ? wrapInt64(calculateIntegers(operator, left, right))
      : calculateDoubles(operator, Number(left), Number(right));
  }
  const isTextual = typeof left === 'string' || typeof right === 'string';
  return operator === '+' && isTextual ? join(left, right) : undefined; // SQL-09, SQL-12, SQL-16
}

/** `-x` and `+x`; the least integer is its own negative. */
export function applySign(operator: '+' | '-', value: Value): Value {
  if (!isNumeric(value)) return undefined; // SQL-09, SQL-16
  if (operator === '+') return value;
  return typeof value === 'bigint' ? wrapInt64(-value) : -value;
}

/** Unknown when one of them has no text. Throws RuleEvaluationError when the text gets longer than any property may be. */
function join(left: Value, right: Value): Value {
  const [leftText, rightText] = [textOf(left), textOf(right)];
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

function calculateDoubles(operator: ArithmeticOperator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    default:
      return operator satisfies never;
  }
}
