// Reads and writes typed values of rules, such as `<Value i:type="d6p1:int">5</Value>`: types of XML Schema and of .NET's serializer.

import type { ParameterValue, RuleParameters } from '../broker/contract/rule-description.js';
import { parseTicks } from '../broker/rules/parameter-value.js';
import { dashed } from '../content/read-message.js';
import { shown, ValueError } from '../description/value-error.js';
import { atomTime } from './atom-format.js';
import { element, escapeText, textElement } from './xml/write-xml.js';
import {
  childNamed,
  childrenOf,
  elementText,
  parseBoolean,
  typeOf,
  type XmlElement,
} from './xml/xml-element.js';

const XML_SCHEMA = 'http://www.w3.org/2001/XMLSchema';
const SERIALIZATION = 'http://schemas.microsoft.com/2003/10/Serialization/';
const PAIR = 'KeyValueOfstringanyType';
/** The prefix of types. With its colon it has five characters, because the JavaScript SDK cuts off the first five. */
const PREFIX = 'd6p1';

const INTEGER = /^[+-]?\d{1,20}$/;
const DOUBLE = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const NOT_FINITE: Readonly<Record<string, string>> = {
  INF: 'Infinity',
  '-INF': '-Infinity',
  Infinity: 'Infinity',
  '-Infinity': '-Infinity',
  NaN: 'NaN',
};
const DATE_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)?$/;
const UUID = /^[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}$/i;
const HEX_OF_UUID = /^[\da-f]{32}$/;
const [MIN_INT, MAX_INT] = [-(2n ** 31n), 2n ** 31n - 1n];
const [MIN_LONG, MAX_LONG] = [-(2n ** 63n), 2n ** 63n - 1n];
const TYPES = 'string, int, long, double, boolean, dateTime, duration and guid';

/** The values by name; undefined when there are none. Throws ValueError or XmlError. */
export function readRuleValues(parent: XmlElement | undefined): RuleParameters | undefined {
  const pairs = parent === undefined ? [] : childrenOf(parent);
  if (pairs.length === 0) return undefined;
  const values = new Map<string, ParameterValue>();
  for (const pair of pairs) {
    const [key, value] = [childNamed(pair, 'Key'), childNamed(pair, 'Value')];
    if (key === undefined || value === undefined) {
      throw new ValueError(`<${pair.localName}> must hold a Key and a Value; write ${PAIR} with both`);
    }
    const name = elementText(key);
    if (values.has(name)) throw new ValueError(`${shown(name)} is given twice`);
    values.set(name, readValue(name, value));
  }
  return Object.fromEntries(values);
}

function readValue(name: string, given: XmlElement): ParameterValue {
  const text = elementText(given);
  const { namespace, localName } = typeOf(given) ?? { namespace: XML_SCHEMA, localName: 'string' };
  const isKnown = namespace === XML_SCHEMA || namespace === SERIALIZATION;
  const value = isKnown ? readTyped(localName, text) : undefined;
  if (value !== undefined) return value;
  throw new ValueError(
    `${shown(name)} must have a value of type ${TYPES}, not ${shown(text)} of type ${shown(localName)}`,
  );
}

/** A typed value; undefined for a type that a rule cannot compare, and for a text that does not fit its type. */
function readTyped(type: string, given: string): ParameterValue | undefined {
  const text = given.trim();
  switch (type) {
    case 'string':
    case 'char':
      return given;
    case 'boolean':
      return parseBoolean(text);
    case 'byte':
    case 'short':
    case 'int':
    case 'unsignedByte':
    case 'unsignedShort':
      return integerOf(text, 'int', MIN_INT, MAX_INT);
    case 'integer':
    case 'unsignedInt':
    case 'long':
    case 'unsignedLong':
      return integerOf(text, 'long', MIN_LONG, MAX_LONG);
    case 'float':
    case 'double':
      return doubleOf(text);
    case 'dateTime':
      return timestampOf(text);
    case 'duration':
      return parseTicks(text) === undefined ? undefined : { type: 'duration', value: text };
    case 'guid':
      return UUID.test(text) ? { type: 'uuid', value: text.replaceAll('-', '').toLowerCase() } : undefined;
    default:
      return undefined;
  }
}

function integerOf(
  text: string,
  type: 'int' | 'long',
  least: bigint,
  most: bigint,
): ParameterValue | undefined {
  if (!INTEGER.test(text)) return undefined;
  const value = BigInt(text.replace('+', ''));
  return value >= least && value <= most ? { type, value: String(value) } : undefined;
}

function doubleOf(text: string): ParameterValue | undefined {
  if (Object.hasOwn(NOT_FINITE, text)) return { type: 'double', value: NOT_FINITE[text] ?? text };
  return DOUBLE.test(text) ? { type: 'double', value: String(Number(text)) } : undefined;
}

/** Reads a time to the millisecond. A time without a zone is in UTC, like all times of the service. */
function timestampOf(text: string): ParameterValue | undefined {
  const [, seconds, fraction = '', zone = 'Z'] = DATE_TIME.exec(text) ?? [];
  const value = seconds === undefined ? Number.NaN : Date.parse(seconds + fraction.slice(0, 4) + zone);
  return Number.isNaN(value) ? undefined : { type: 'timestamp', value, text };
}

/** The element of the values; undefined without values, because some clients never finish reading an empty list. */
export function ruleValuesXml(name: string, values: RuleParameters | undefined = {}): string | undefined {
  const pairs = Object.entries(values).map(([key, value]) => {
    const [type, text, namespace = XML_SCHEMA] = writeValue(value);
    const attributes = { 'i:type': `${PREFIX}:${type}`, [`xmlns:${PREFIX}`]: namespace };
    return element(PAIR, {}, textElement('Key', key), element('Value', attributes, escapeText(text)));
  });
  return pairs.length === 0 ? undefined : element(name, {}, ...pairs);
}

type WrittenValue = readonly [type: string, text: string, namespace?: string];

/**
 * The type and text of a value, so that it can be read again. A parameter that the SQL does not use is unchecked: a value that
 * does not fit its type is written as a string.
 */
function writeValue(value: ParameterValue): WrittenValue {
  if (typeof value === 'string') return ['string', value];
  if (typeof value === 'boolean') return ['boolean', String(value)];
  switch (value.type) {
    case 'int':
    case 'long':
      return writeInteger(value) ?? ['string', value.value];
    case 'double':
      return writeDouble(value.value) ?? ['string', value.value];
    case 'timestamp':
      return ['dateTime', writeTime(value)];
    case 'duration':
      return parseTicks(value.value) === undefined
        ? ['string', value.value]
        : ['duration', value.value, SERIALIZATION];
    case 'uuid': {
      const hex = value.value.replaceAll('-', '').toLowerCase();
      return HEX_OF_UUID.test(hex) ? ['guid', dashed(hex), SERIALIZATION] : ['string', value.value];
    }
    default:
      return value satisfies never;
  }
}

/** An integer in its given type, if the type can hold the number. */
function writeInteger({
  type,
  value,
}: {
  readonly type: 'int' | 'long';
  readonly value: string;
}): WrittenValue | undefined {
  if (integerOf(value, 'long', MIN_LONG, MAX_LONG) === undefined) return undefined;
  const isInt = type === 'int' && integerOf(value, 'int', MIN_INT, MAX_INT) !== undefined;
  return [isInt ? 'int' : 'long', String(BigInt(value))];
}

/** A time as the client wrote it. With an added zone, .NET would read a different time. */
function writeTime({ value, text }: { readonly value: number; readonly text?: string }): string {
  return text !== undefined && DATE_TIME.test(text) ? text : atomTime(value);
}

function writeDouble(text: string): WrittenValue | undefined {
  const value = Number(text);
  if (text.trim() === '' || (Number.isNaN(value) && text !== 'NaN')) return undefined;
  return ['double', String(value).replace('Infinity', 'INF')];
}
