// Selectors as trees, what one is of a message by the words of JMS, and its text: plain and slow, and nothing shared with the broker.

import fc from 'fast-check';
import { likes } from '../rules/naive/like.js';

export type Plain = null | boolean | string | bigint | number;
export type Properties = Readonly<Record<string, Plain>>;

type Tree =
  | { readonly is: 'literal'; readonly value: Plain }
  | { readonly is: 'name'; readonly name: string }
  | { readonly is: 'sign'; readonly of: Tree }
  | { readonly is: 'math'; readonly by: string; readonly left: Tree; readonly right: Tree }
  | { readonly is: 'compare'; readonly by: string; readonly left: Tree; readonly right: Tree }
  | { readonly is: 'both' | 'either'; readonly left: Tree; readonly right: Tree }
  | { readonly is: 'not'; readonly of: Tree }
  | { readonly is: 'null'; readonly of: Tree; readonly isNot: boolean }
  | {
      readonly is: 'between';
      readonly of: Tree;
      readonly low: Tree;
      readonly high: Tree;
      readonly isNot: boolean;
    }
  | { readonly is: 'in'; readonly of: Tree; readonly list: readonly string[]; readonly isNot: boolean }
  | { readonly is: 'like'; readonly of: Tree; readonly pattern: string; readonly isNot: boolean };

const INTS = [0n, 1n, 2n, 5n, -3n, 2n ** 63n - 1n, -(2n ** 63n)];
const DOUBLES = [0.5, 2, 5, 1e300];
const TEXTS = ['', 'a', 'ab', "it's", '5', 'b%'];
const NAMES = ['a', 'A', 'b', 'flag', 'missing'];

const literal = fc.constantFrom<Plain>(...INTS, ...DOUBLES, ...TEXTS, true, false, null);

export const properties: fc.Arbitrary<Properties> = fc.dictionary(
  fc.constantFrom('a', 'A', 'b', 'flag'),
  literal,
);

const value = fc.letrec<{ value: Tree }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(
      literal.map((one): Tree => ({ is: 'literal', value: one })),
      fc.constantFrom(...NAMES).map((name): Tree => ({ is: 'name', name })),
    ),
    tie('value').map((of): Tree => ({ is: 'sign', of })),
    fc
      .tuple(fc.constantFrom('+', '-', '*', '/', '%'), tie('value'), tie('value'))
      .map(([by, left, right]): Tree => ({ is: 'math', by, left, right })),
  ),
})).value;

export const selector: fc.Arbitrary<Tree> = fc.letrec<{ condition: Tree }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(
      fc.constantFrom(...NAMES).map((name): Tree => ({ is: 'name', name })),
      fc
        .tuple(fc.constantFrom('=', '<>', '<', '<=', '>', '>='), value, value)
        .map(([by, left, right]): Tree => ({ is: 'compare', by, left, right })),
      fc.tuple(value, fc.boolean()).map(([of, isNot]): Tree => ({ is: 'null', of, isNot })),
      fc
        .tuple(value, value, value, fc.boolean())
        .map(([of, low, high, isNot]): Tree => ({ is: 'between', of, low, high, isNot })),
      fc
        .tuple(value, fc.array(fc.constantFrom(...TEXTS), { minLength: 1, maxLength: 3 }), fc.boolean())
        .map(([of, list, isNot]): Tree => ({ is: 'in', of, list, isNot })),
      fc
        .tuple(value, fc.constantFrom('a%', '_', '%', 'it_s', 'b!%'), fc.boolean())
        .map(([of, pattern, isNot]): Tree => ({ is: 'like', of, pattern, isNot })),
    ),
    tie('condition').map((of): Tree => ({ is: 'not', of })),
    fc
      .tuple(fc.constantFrom('both' as const, 'either' as const), tie('condition'), tie('condition'))
      .map(([is, left, right]): Tree => ({ is, left, right })),
    fc
      .tuple(fc.constantFrom('=', '<>'), tie('condition'), tie('condition'))
      .map(([by, left, right]): Tree => ({ is: 'compare', by, left, right })),
  ),
})).condition;

/** With brackets around everything, so that it says nothing of which operator binds more. */
export function write(tree: Tree): string {
  const not = 'isNot' in tree && tree.isNot ? 'NOT ' : '';
  switch (tree.is) {
    case 'literal':
      return writeLiteral(tree.value);
    case 'name':
      return tree.name;
    case 'sign':
      return `-(${write(tree.of)})`;
    case 'math':
    case 'compare':
      return `(${write(tree.left)}) ${tree.by} (${write(tree.right)})`;
    case 'both':
      return `(${write(tree.left)}) AND (${write(tree.right)})`;
    case 'either':
      return `(${write(tree.left)}) or (${write(tree.right)})`;
    case 'not':
      return `NOT (${write(tree.of)})`;
    case 'null':
      return `(${write(tree.of)}) IS ${not}NULL`;
    case 'between':
      return `(${write(tree.of)}) ${not}BETWEEN (${write(tree.low)}) AND (${write(tree.high)})`;
    case 'in':
      return `(${write(tree.of)}) ${not}IN (${tree.list.map(writeLiteral).join(', ')})`;
    case 'like':
      return `(${write(tree.of)}) ${not}LIKE ${writeLiteral(tree.pattern)} ESCAPE '!'`;
  }
}

function writeLiteral(value: Plain): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === 'number') return Number.isInteger(value) ? value.toExponential() : String(value);
  return String(value);
}

/** Null is the unknown, of conditions and of values. */
export function judge(tree: Tree, message: Properties): Plain {
  switch (tree.is) {
    case 'literal':
      return tree.value;
    case 'name':
      return Object.hasOwn(message, tree.name) ? (message[tree.name] ?? null) : null;
    case 'sign': {
      const of = judge(tree.of, message);
      if (typeof of === 'number') return -of;
      return typeof of === 'bigint' ? long(-of) : null;
    }
    case 'math':
      return math(tree.by, judge(tree.left, message), judge(tree.right, message));
    case 'compare':
      return compare(tree.by, judge(tree.left, message), judge(tree.right, message));
    case 'both':
      return both(truth(judge(tree.left, message)), truth(judge(tree.right, message)));
    case 'either': {
      const [left, right] = [truth(judge(tree.left, message)), truth(judge(tree.right, message))];
      return opposite(both(opposite(left), opposite(right)));
    }
    case 'not':
      return opposite(truth(judge(tree.of, message)));
    case 'null':
      return (judge(tree.of, message) === null) === !tree.isNot;
    case 'between': {
      const [of, low, high] = [tree.of, tree.low, tree.high].map((one) => judge(one, message)) as [
        Plain,
        Plain,
        Plain,
      ];
      if (!tree.isNot) return both(compare('>=', of, low), compare('<=', of, high));
      return opposite(both(opposite(compare('<', of, low)), opposite(compare('>', of, high))));
    }
    case 'in': {
      const of = judge(tree.of, message);
      return typeof of === 'string' ? tree.list.includes(of) !== tree.isNot : null;
    }
    case 'like': {
      const of = judge(tree.of, message);
      if (of === null) return null;
      return (typeof of === 'string' && likes(of, tree.pattern, '!')) !== tree.isNot;
    }
  }
}

export function truth(value: Plain): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

function opposite(value: boolean | null): boolean | null {
  return value === null ? null : !value;
}

function both(left: boolean | null, right: boolean | null): boolean | null {
  if (left === false || right === false) return false;
  return left === null || right === null ? null : true;
}

function compare(by: string, left: Plain, right: Plain): boolean | null {
  if (left === null || right === null) return null;
  const areNumbers = [left, right].every((one) => typeof one === 'bigint' || typeof one === 'number');
  if (!areNumbers) {
    if (typeof left !== typeof right) return false;
    if (by === '=') return left === right;
    return by === '<>' && left !== right;
  }
  if (by.includes('=') && !(left < right) && !(left > right))
    return !Number.isNaN(Number(left)) && !Number.isNaN(Number(right));
  if (by === '<>')
    return left < right || left > right || Number.isNaN(Number(left)) || Number.isNaN(Number(right));
  return by.startsWith('<') ? left < right : by.startsWith('>') ? left > right : false;
}

function math(by: string, left: Plain, right: Plain): Plain {
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    if (by === '+') return long(left + right);
    if (by === '-') return long(left - right);
    if (by === '*') return long(left * right);
    if (right === 0n) return null;
    return long(by === '/' ? left / right : left - (left / right) * right);
  }
  const areNumbers = [left, right].every((one) => typeof one === 'bigint' || typeof one === 'number');
  if (!areNumbers) return null;
  const [a, b] = [Number(left), Number(right)];
  if (by === '+') return a + b;
  if (by === '-') return a - b;
  if (by === '*') return a * b;
  return by === '/' ? a / b : a % b;
}

const TWO_64 = 2n ** 64n;

/** As a long of Java wraps. */
function long(exact: bigint): bigint {
  const low = ((exact % TWO_64) + TWO_64) % TWO_64;
  return low >= TWO_64 / 2n ? low - TWO_64 : low;
}
