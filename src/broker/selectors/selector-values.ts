// The values that selectors compute with, and their operators. Values of unlike types are never equal, nor are they unequal (JMS 2.0).

import { type ArithmeticOperator, calculateDoubles } from '../expressions/arithmetic.js';
import type { Truth } from '../expressions/truth.js';

/** Null stands for what is missing or unknown, too. An integer is a bigint, a double a number. */
export type SelectorValue = null | boolean | string | bigint | number;

export type SelectorComparison = '=' | '<>' | '<' | '<=' | '>' | '>=';

const INTEGER_BITS = 64;
const ORDERS = {
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
} as const satisfies Readonly<Record<string, (left: Num, right: Num) => boolean>>;

type Num = bigint | number;

export function compareOperands(
  operator: SelectorComparison,
  left: SelectorValue,
  right: SelectorValue,
): Truth {
  if (left === null || right === null) return undefined;
  if (isNum(left) && isNum(right)) {
    // JavaScript compares a bigint and a number exactly.
    const isEqual = left <= right && left >= right;
    return operator === '=' ? isEqual : operator === '<>' ? !isEqual : ORDERS[operator](left, right);
  }
  if (typeof left !== typeof right) return false;
  // JMS-88: texts and booleans have no order.
  return operator === '=' ? left === right : operator === '<>' ? left !== right : false;
}

/** JMS-88: null for operands that are no numbers, and for a division of integers by zero (JMS-83). */
export function calculateOperands(
  operator: ArithmeticOperator,
  left: SelectorValue,
  right: SelectorValue,
): SelectorValue {
  if (!isNum(left) || !isNum(right)) return null;
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    const exact = calculateIntegers(operator, left, right);
    return exact === null ? null : wrap(exact);
  }
  return calculateDoubles(operator, Number(left), Number(right));
}

export function applySignTo(operator: '+' | '-', value: SelectorValue): SelectorValue {
  if (!isNum(value)) return null;
  if (operator === '+') return value;
  return typeof value === 'bigint' ? wrap(-value) : -value;
}

function isNum(value: SelectorValue): value is Num {
  return typeof value === 'bigint' || typeof value === 'number';
}

function wrap(value: bigint): bigint {
  return BigInt.asIntN(INTEGER_BITS, value);
}

function calculateIntegers(operator: ArithmeticOperator, left: bigint, right: bigint): bigint | null {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0n ? null : left / right;
    case '%':
      return right === 0n ? null : left % right;
    default:
      return operator satisfies never;
  }
}
