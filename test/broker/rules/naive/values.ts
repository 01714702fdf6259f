// Values of the naive evaluator, and how they become the values a message and a rule are given.

import type { ParameterValue } from '../../../../src/broker/contract/rule-description.js';
import type { RuleValue } from '../../../../src/broker/rules/rule-value.js';
import { binary, type MessageValues } from '../rule-message.js';
import type { NaiveMessage, NaiveValue } from './tree.js';

export const NULL: NaiveValue = { type: 'null' };
export const string = (text: string): NaiveValue => ({ type: 'string', string: text });

const TWO_63 = 9_223_372_036_854_775_808n;
const TWO_64 = 2n * TWO_63;

export function int64(value: bigint): NaiveValue {
  const remainder = (value + TWO_63) % TWO_64;
  return { type: 'int', int: (remainder < 0n ? remainder + TWO_64 : remainder) - TWO_63 };
}

/** Exactly, by their whole parts first and then by what is behind the point. */
export function compareNumbers(left: NaiveValue, right: NaiveValue): 'less' | 'equal' | 'more' | 'nan' {
  const [a, b] = [partsOf(left), partsOf(right)];
  if (a === undefined || b === undefined) return 'nan';
  if (a.beyond !== b.beyond) return a.beyond < b.beyond ? 'less' : 'more';
  if (a.whole !== b.whole) return a.whole < b.whole ? 'less' : 'more';
  return a.rest === b.rest ? 'equal' : a.rest < b.rest ? 'less' : 'more';
}

function partsOf(value: NaiveValue): { beyond: number; whole: bigint; rest: number } | undefined {
  if (value.type === 'int') return { beyond: 0, whole: value.int, rest: 0 };
  if (value.type !== 'double' || Number.isNaN(value.double)) return undefined;
  if (!Number.isFinite(value.double)) return { beyond: Math.sign(value.double), whole: 0n, rest: 0 };
  const floor = Math.floor(value.double);
  return { beyond: 0, whole: BigInt(floor), rest: value.double - floor };
}

export function asString(value: NaiveValue): string | undefined {
  switch (value.type) {
    case 'string':
      return value.string;
    case 'int':
      return value.int.toString();
    case 'double':
      return `${value.double}`;
    case 'bool':
      return value.bool ? 'True' : 'False';
    case 'uuid':
      return value.text;
    case 'time':
      return new Date(value.ms).toISOString();
    default:
      return undefined;
  }
}

export function toRuleValue(value: NaiveValue): RuleValue {
  switch (value.type) {
    case 'null':
      return null;
    case 'int':
      return value.int;
    case 'double':
      return value.double;
    case 'string':
      return value.string;
    case 'bool':
      return value.bool;
    case 'uuid':
      return { kind: 'uuid', hex: value.text.replaceAll('-', '') };
    case 'time':
      return { kind: 'timestamp', ms: value.ms };
    case 'binary':
      return binary;
  }
}

export function toParameter(value: NaiveValue): ParameterValue {
  switch (value.type) {
    case 'int':
      return { type: 'long', value: value.int.toString() };
    case 'double':
      return { type: 'double', value: `${value.double}` };
    case 'string':
      return value.string;
    case 'bool':
      return value.bool;
    case 'uuid':
      return { type: 'uuid', value: value.text };
    case 'time':
      return { type: 'timestamp', value: value.ms };
    default:
      throw new Error(`a parameter cannot be ${value.type}`);
  }
}

export function toMessageValues({ system, user }: NaiveMessage): MessageValues {
  const convert = ([name, value]: readonly [string, NaiveValue]) => [name, toRuleValue(value)] as const;
  return {
    system: Object.fromEntries(Object.entries(system).map(convert)),
    user: Object.fromEntries(user.map(convert)),
  };
}
