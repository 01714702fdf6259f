// What an expression is of a message, straight from the text of the rules: slow, plain, and nobody's but the tests'.

import { likes } from './like.js';
import type { ConditionTree, NaiveMessage, NaiveValue, Outcome, Property, ValueTree } from './tree.js';
import { asString, compareNumbers, int64, NULL, string } from './values.js';

type Maybe = NaiveValue | 'unknown';
type Logic = 'true' | 'false' | 'unknown';

class Failure extends Error {}

export class NaiveEvaluator {
  readonly #message: NaiveMessage;
  readonly #parameters: Readonly<Record<string, NaiveValue>>;
  readonly #nextGuid: () => string;

  constructor(
    message: NaiveMessage,
    parameters: Readonly<Record<string, NaiveValue>>,
    nextGuid: () => string,
  ) {
    this.#message = message;
    this.#parameters = parameters;
    this.#nextGuid = nextGuid;
  }

  outcome(tree: ConditionTree): Outcome {
    try {
      return this.#condition(tree);
    } catch (error) {
      if (error instanceof Failure) return 'fails';
      throw error;
    }
  }

  #condition(tree: ConditionTree): Logic {
    switch (tree.tag) {
      case 'and':
        return this.#allOf(tree.parts);
      case 'or':
        return this.#anyOf(tree.parts);
      case 'not':
        return not(this.#condition(tree.of));
      case 'exists': {
        const value = this.#property(tree.property);
        return logic(value !== 'unknown' && !(tree.property.isSystem && value.type === 'null'));
      }
      case 'is null': {
        const value = this.#property(tree.property);
        return logic((value === 'unknown' || value.type === 'null') !== tree.isNot);
      }
      case 'compare':
        return compare(tree.operator, this.#value(tree.left), this.#value(tree.right));
      case 'in': {
        const found = this.#in(tree.of, tree.list);
        return tree.isNot ? not(found) : found;
      }
      case 'like': {
        const found = this.#like(tree);
        return tree.isNot ? not(found) : found;
      }
      case 'value': {
        const value = this.#value(tree.of);
        return value !== 'unknown' && value.type === 'bool' ? logic(value.bool) : 'unknown';
      }
    }
  }

  #allOf(parts: readonly ConditionTree[]): Logic {
    let hasUnknown = false;
    for (const part of parts) {
      const one = this.#condition(part);
      if (one === 'false') return 'false';
      if (one === 'unknown') hasUnknown = true;
    }
    return hasUnknown ? 'unknown' : 'true';
  }

  #anyOf(parts: readonly ConditionTree[]): Logic {
    let hasUnknown = false;
    for (const part of parts) {
      const one = this.#condition(part);
      if (one === 'true') return 'true';
      if (one === 'unknown') hasUnknown = true;
    }
    return hasUnknown ? 'unknown' : 'false';
  }

  #in(of: ValueTree, list: readonly ValueTree[]): Logic {
    const value = this.#value(of);
    if (value === 'unknown' || value.type === 'null') return 'unknown';
    let hasUnknown = false;
    for (const member of list) {
      const isEqual = compare('=', value, this.#value(member));
      if (isEqual === 'true') return 'true';
      if (isEqual === 'unknown') hasUnknown = true;
    }
    return hasUnknown ? 'unknown' : 'false';
  }

  #like(tree: ConditionTree & { readonly tag: 'like' }): Logic {
    const text = this.#value(tree.of);
    const pattern = this.#value(tree.pattern);
    const escaped = tree.escapedBy === undefined ? undefined : this.#value(tree.escapedBy);
    if (pattern === 'unknown' || pattern.type === 'null') return 'unknown';
    if (escaped === 'unknown' || escaped?.type === 'null') return 'unknown';
    if (pattern.type !== 'string') throw new Failure();
    if (escaped !== undefined && (escaped.type !== 'string' || [...escaped.string].length !== 1)) {
      throw new Failure();
    }
    if (text === 'unknown' || text.type !== 'string') return 'unknown';
    return logic(likes(text.string, pattern.string, escaped?.string));
  }

  #value(tree: ValueTree): Maybe {
    switch (tree.tag) {
      case 'literal':
        return tree.value;
      case 'parameter':
        return this.#parameters[tree.name] ?? NULL;
      case 'property':
        return this.#property(tree.property);
      case 'newid':
        return { type: 'uuid', text: hyphenate(this.#nextGuid()) };
      case 'property()':
        return this.#propertyCalled(this.#value(tree.argument));
      case 'unary': {
        const value = this.#value(tree.of);
        if (value === 'unknown') return 'unknown';
        const factor = tree.sign === '-' ? -1 : 1;
        if (value.type === 'int') return int64(value.int * BigInt(factor));
        return value.type === 'double' ? { type: 'double', double: value.double * factor } : 'unknown';
      }
      case 'binary':
        return calculate(tree.operator, this.#value(tree.left), this.#value(tree.right));
    }
  }

  #propertyCalled(name: Maybe): Maybe {
    const text = name === 'unknown' ? undefined : asString(name);
    if (text === undefined) return 'unknown';
    const scoped = /^(sys|user)\.([\s\S]*)$/i.exec(text);
    if (scoped === null) return this.#property({ isSystem: false, name: text });
    const isSystem = scoped[1]?.toLowerCase() === 'sys';
    if (isSystem && !/^(label|subject|messageid|sequencenumber|to)$/i.test(scoped[2] ?? '')) {
      throw new Failure();
    }
    return this.#property({ isSystem, name: scoped[2] ?? '' });
  }

  #property({ isSystem, name }: Property): Maybe {
    const lower = name.toLowerCase();
    if (isSystem) {
      const canonical = lower === 'subject' ? 'label' : lower;
      const entry = Object.entries(this.#message.system).find(([key]) => key.toLowerCase() === canonical);
      return entry?.[1] ?? NULL;
    }
    const exact = this.#message.user.find(([key]) => key === name);
    const similar = this.#message.user.find(([key]) => key.toLowerCase() === lower);
    return (exact ?? similar)?.[1] ?? 'unknown';
  }
}

function calculate(operator: '+' | '-' | '*' | '/' | '%', left: Maybe, right: Maybe): Maybe {
  if (left === 'unknown' || right === 'unknown') return 'unknown';
  if (left.type === 'int' && right.type === 'int') return calculateInts(operator, left.int, right.int);
  const [a, b] = [toDouble(left), toDouble(right)];
  if (a !== undefined && b !== undefined) {
    const results = { '+': a + b, '-': a - b, '*': a * b, '/': a / b, '%': a % b };
    return { type: 'double', double: results[operator] };
  }
  if (operator !== '+' || (left.type !== 'string' && right.type !== 'string')) return 'unknown';
  const [first, second] = [asString(left), asString(right)];
  return first === undefined || second === undefined ? 'unknown' : string(first + second);
}

function calculateInts(operator: '+' | '-' | '*' | '/' | '%', left: bigint, right: bigint): NaiveValue {
  if (operator === '+') return int64(left + right);
  if (operator === '-') return int64(left - right);
  if (operator === '*') return int64(left * right);
  if (right === 0n) throw new Failure();
  const magnitude = (left < 0n ? -left : left) / (right < 0n ? -right : right);
  const quotient = left < 0n === right < 0n ? magnitude : -magnitude;
  return operator === '/' ? int64(quotient) : int64(left - quotient * right);
}

function toDouble(value: NaiveValue): number | undefined {
  return value.type === 'double' ? value.double : value.type === 'int' ? Number(value.int) : undefined;
}

function compare(operator: string, left: Maybe, right: Maybe): Logic {
  if (left === 'unknown' || right === 'unknown') return 'unknown';
  const isEquality = operator === '=' || operator === '<>' || operator === '!=';
  const found = relate(left, right);
  if (found === 'incomparable' || (found === 'different' && !isEquality)) return 'unknown';
  if (found === 'same' && !isEquality) return 'unknown';
  switch (operator) {
    case '=':
      return logic(found === 'equal' || found === 'same');
    case '<>':
    case '!=':
      return logic(found !== 'equal' && found !== 'same');
    case '<':
      return logic(found === 'less');
    case '<=':
      return logic(found === 'less' || found === 'equal');
    case '>':
      return logic(found === 'more');
    default:
      return logic(found === 'more' || found === 'equal');
  }
}

/** `same` and `different` are those without an order; `nan` is what compares with a number and is not related to it. */
type Relation = 'less' | 'equal' | 'more' | 'nan' | 'same' | 'different' | 'incomparable';

function relate(left: NaiveValue, right: NaiveValue): Relation {
  const isNumber = (value: NaiveValue) => value.type === 'int' || value.type === 'double';
  if (isNumber(left) && isNumber(right)) return compareNumbers(left, right);
  if (left.type === 'string' && right.type === 'string') return rank(left.string, right.string);
  if (left.type === 'time' && right.type === 'time') return rank(left.ms, right.ms);
  if (left.type === 'bool' && right.type === 'bool') return left.bool === right.bool ? 'same' : 'different';
  const types = [left.type, right.type];
  if (types.includes('uuid') && types.every((type) => type === 'uuid' || type === 'string')) {
    return asString(left) === asString(right) ? 'same' : 'different';
  }
  return 'incomparable';
}

function rank<T extends string | number>(left: T, right: T): Relation {
  return left === right ? 'equal' : left < right ? 'less' : 'more';
}

function logic(value: boolean): Logic {
  return value ? 'true' : 'false';
}

function not(value: Logic): Logic {
  return value === 'unknown' ? 'unknown' : logic(value === 'false');
}

function hyphenate(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
