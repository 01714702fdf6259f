// Typed values of a rule's parameters and properties: from AMQP into the broker's plain data, and back.

import type { ParameterValue } from '../../broker/contract/rule-description.js';
import { formatTicks, parseTicks } from '../../broker/rules/parameter-value.js';
import { booleanOf, integerOf, textOf, timestampOf, uuidOf } from '../../codec/read-value.js';
import { type AmqpValue, amqp } from '../../codec/types.js';
import { TIME_SPAN } from '../../content/rule-values.js';

export const PARAMETER_TYPES = 'a string, a boolean, a number, a timestamp, a time span or a uuid';

const MAX_INT = 2_147_483_647;
const MIN_INT = -2_147_483_648;
const MAX_CODE_POINT = 0x10ffff;

/** The value for a rule; undefined for types that no rule can compare: null, binary, decimal, compound, and described types other than time spans. */
export function parameterOf(value: AmqpValue): ParameterValue | undefined {
  if (value.descriptor !== undefined) return durationOf(value);
  if (value.value === null) return undefined;
  const uuid = uuidOf(value);
  if (uuid !== undefined) return { type: 'uuid', value: uuid };
  const timestamp = timestampOf(value);
  if (timestamp !== undefined) return { type: 'timestamp', value: timestamp };
  return textOf(value) ?? booleanOf(value) ?? numberOf(value) ?? characterOf(value);
}

function durationOf({ descriptor, type, value }: AmqpValue): ParameterValue | undefined {
  const isTimeSpan = textOf(descriptor) === TIME_SPAN && /^(?:Small)?Long$/i.test(type.name);
  if (!isTimeSpan || (typeof value !== 'number' && typeof value !== 'bigint')) return undefined;
  return { type: 'duration', value: formatTicks(BigInt(value)) };
}

/** COR-02: no rule depends on the width of an integer. A long stays a long for clients that cast. */
function numberOf(value: AmqpValue): ParameterValue | undefined {
  const { type, value: number } = value;
  if (type.name === 'Float' || type.name === 'Double') return { type: 'double', value: String(number) };
  const integer = integerOf(value) ?? (typeof number === 'bigint' ? number : undefined);
  if (integer === undefined) return undefined;
  const isLong = type.name.toLowerCase().includes('long') || !isInt(Number(integer));
  return { type: isLong ? 'long' : 'int', value: String(integer) };
}

function characterOf({ type, value }: AmqpValue): string | undefined {
  const isCharacter = type.name === 'CharUTF32' && typeof value === 'number' && value <= MAX_CODE_POINT;
  return isCharacter ? String.fromCodePoint(value) : undefined;
}

export function amqpOf(value: ParameterValue): AmqpValue {
  if (typeof value === 'string') return amqp.string(value);
  if (typeof value === 'boolean') return amqp.boolean(value);
  switch (value.type) {
    case 'int': {
      const number = Number(value.value);
      return isInt(number) ? amqp.int(number) : amqp.long(BigInt(value.value));
    }
    case 'long':
      return amqp.long(BigInt(value.value));
    case 'double':
      return amqp.double(Number(value.value));
    case 'timestamp':
      return amqp.timestamp(value.value);
    case 'duration':
      return amqp.described(amqp.symbol(TIME_SPAN), amqp.long(parseTicks(value.value) ?? 0n));
    case 'uuid':
      return amqp.uuid(value.value.replaceAll('-', ''));
    default:
      return value satisfies never;
  }
}

function isInt(number: number): boolean {
  return number >= MIN_INT && number <= MAX_INT;
}
