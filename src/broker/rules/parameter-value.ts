// Converts the parameters and properties that come with a rule into rule values, when the rule is created.

import type { ParameterValue } from '../contract/rule-description.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import { isInt64, type RuleValue, uuidValue } from './rule-value.js';

const INTEGER = /^[+-]?\d{1,20}$/;
const UUID = /^[\da-f]{32}$/i;

/** Throws argument when the value is not of its type. `name` goes into the error. */
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
      return UUID.test(value.value.replaceAll('-', '')) ? uuidValue(value.value) : undefined;
    default:
      return value satisfies never;
  }
}

/** Returns undefined when the text is no integer of 64 bits. */
export function readInteger(text: string): bigint | undefined {
  if (!INTEGER.test(text)) return undefined;
  const value = BigInt(text.replace('+', ''));
  return isInt64(value) ? value : undefined;
}

function readDouble(text: string): number | undefined {
  const value = Number(text);
  return text.trim() === '' || (Number.isNaN(value) && text !== 'NaN') ? undefined : value;
}

/** Finds the parameter with exactly this name, or else with one that differs only in case. */
export function findParameter(
  parameters: Readonly<Record<string, ParameterValue>>,
  name: string,
): ParameterValue | undefined {
  if (Object.hasOwn(parameters, name)) return parameters[name];
  const lower = name.toLowerCase();
  return Object.entries(parameters).find(([key]) => key.toLowerCase() === lower)?.[1];
}

const DURATION =
  /^(-?)P(?=\d|T\d)(?:(\d{1,12})Y)?(?:(\d{1,12})M)?(?:(\d{1,12})D)?(?:T(?=\d)(?:(\d{1,15})H)?(?:(\d{1,15})M)?(?:(\d{1,15})(?:\.(\d+))?S)?)?$/;
const SECOND = 10_000_000n;
const MINUTE = 60n * SECOND;
const HOUR = 60n * MINUTE;
const DAY = 24n * HOUR;
/** A year counts 365 days and a month 30, as in .NET's XmlConvert. */
const UNITS = [365n * DAY, 30n * DAY, DAY, HOUR, MINUTE, SECOND];
const FRACTION_DIGITS = 7;
const TICK_BITS = 64;

/**
 * Parses an ISO 8601 duration into ticks of 100 ns, the unit of .NET's TimeSpan. Returns undefined for any other text, and for
 * a duration that does not fit into 64 bits.
 */
export function parseTicks(text: string): bigint | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const [, sign, ...parts] = match;
  const fraction = (parts[UNITS.length] ?? '').padEnd(FRACTION_DIGITS, '0').slice(0, FRACTION_DIGITS);
  const whole = UNITS.reduce((sum, unit, index) => sum + BigInt(parts[index] ?? 0) * unit, BigInt(fraction));
  const ticks = sign === '-' ? -whole : whole;
  return BigInt.asIntN(TICK_BITS, ticks) === ticks ? ticks : undefined;
}

/** Formats ticks as an ISO 8601 duration, in the largest units up to days. */
export function formatTicks(ticks: bigint): string {
  const whole = ticks < 0n ? -ticks : ticks;
  const fraction = String(whole % SECOND)
    .padStart(FRACTION_DIGITS, '0')
    .replace(/0{1,7}$/, '');
  const seconds = `${(whole % MINUTE) / SECOND}${fraction === '' ? '' : `.${fraction}`}`;
  const date = whole >= DAY ? `${whole / DAY}D` : '';
  const time = [
    [`${(whole % DAY) / HOUR}`, 'H'],
    [`${(whole % HOUR) / MINUTE}`, 'M'],
    [seconds, 'S'],
  ]
    .filter(([value]) => value !== '0')
    .map((part) => part.join(''))
    .join('');
  if (date === '' && time === '') return 'PT0S';
  return `${ticks < 0n ? '-' : ''}P${date}${time === '' ? '' : `T${time}`}`;
}
