// Values that come with a rule, as the values it computes with; what they cannot be is told when the rule is created.

import { ServiceBusError } from '../service-bus-error.js';
import { parseTicks } from './duration-value.js';
import type { ParameterValue } from './rule-description.js';
import { isInt64, type RuleValue, uuidOf } from './rule-value.js';

const INTEGER = /^[+-]?\d{1,20}$/;
const UUID = /^[\da-f]{32}$/i;

/** Throws argument. `name` is for the error. */
export function readParameter(name: string, value: ParameterValue): RuleValue {
  if (typeof value !== 'object') return value;
  const read = readTyped(value);
  if (read === undefined) {
    throw new ServiceBusError(
      'argument',
      `The value ${JSON.stringify(value.value)} of '${name}' is not of type ${value.type}.`,
      { property: name, value: value.value },
    );
  }
  return read;
}

function readTyped(value: ParameterValue & object): RuleValue | undefined {
  switch (value.type) {
    case 'int':
    case 'long':
      return readInteger(value.value);
    case 'double':
      return readDouble(value.value);
    case 'timestamp':
      return Number.isSafeInteger(value.value) ? { kind: 'timestamp', ms: value.value } : undefined;
    case 'duration': {
      const ticks = parseTicks(value.value);
      return ticks === undefined ? undefined : { kind: 'duration', ticks };
    }
    case 'uuid':
      return UUID.test(value.value.replaceAll('-', '')) ? uuidOf(value.value) : undefined;
    default:
      return value satisfies never;
  }
}

/** Undefined when it is no integer of 64 bits. */
export function readInteger(text: string): bigint | undefined {
  if (!INTEGER.test(text)) return undefined;
  const value = BigInt(text.replace('+', ''));
  return isInt64(value) ? value : undefined;
}

function readDouble(text: string): number | undefined {
  const value = Number(text);
  return text.trim() === '' || (Number.isNaN(value) && text !== 'NaN') ? undefined : value;
}

/** A value of its own name, or of one that differs in case only. */
export function findParameter(
  parameters: Readonly<Record<string, ParameterValue>>,
  name: string,
): ParameterValue | undefined {
  if (Object.hasOwn(parameters, name)) return parameters[name];
  const lower = name.toLowerCase();
  return Object.entries(parameters).find(([key]) => key.toLowerCase() === lower)?.[1];
}
