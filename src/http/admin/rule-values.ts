// Typed values of a rule, such as `<Value i:type="d6p1:int">5</Value>`, in the types of XML Schema and of .NET's serializer.

import { parseTicks } from '../../broker/rules/duration-value.js';
import type { ParameterValue, RuleParameters } from '../../broker/rules/rule-description.js';
import { dashed } from '../../content/received-parts.js';
import { shown, ValueError } from '../../description/value-error.js';
import { booleanOf } from '../boolean-text.js';
import { element, textElement } from '../xml/write-xml.js';
import { childNamed, childrenOf, textOf, typeOf, type XmlElement } from '../xml/xml-element.js';
import { escapeText } from '../xml-text.js';
import { isoTime } from './atom.js';

const XML_SCHEMA = 'http://www.w3.org/2001/XMLSchema';
const SERIALIZATION = 'http://schemas.microsoft.com/2003/10/Serialization/';
const PAIR = 'KeyValueOfstringanyType';
/** The JavaScript SDK cuts off five characters to get at the type. */
const PREFIX = 'd6p1';

const INTEGER = /^[+-]?\d{1,20}$/;
const DOUBLE = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
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

/** Throws ValueError or XmlError. Undefined when there are none. */
export function readRuleValues(parent: XmlElement | undefined): RuleParameters | undefined {
  const pairs = parent === undefined ? [] : childrenOf(parent);
  if (pairs.length === 0) return undefined;
  const values = new Map<string, ParameterValue>();
  for (const pair of pairs) {
    const [key, value] = [childNamed(pair, 'Key'), childNamed(pair, 'Value')];
    if (key === undefined || value === undefined) {
      throw new ValueError(`<${pair.localName}> must hold a Key and a Value; write ${PAIR} with both`);
    }
    const name = textOf(key);
    if (values.has(name)) throw new ValueError(`${shown(name)} is given twice`);
    values.set(name, readValue(name, value));
  }
  return Object.fromEntries(values);
}

function readValue(name: string, given: XmlElement): ParameterValue {
  const text = textOf(given);
  const { namespace, localName } = typeOf(given) ?? { namespace: XML_SCHEMA, localName: 'string' };
  const isKnown = namespace === XML_SCHEMA || namespace === SERIALIZATION;
  const value = isKnown ? readTyped(localName, text) : undefined;
  if (value !== undefined) return value;
  throw new ValueError(
    `${shown(name)} must have a value of type ${TYPES}, not ${shown(text)} of type ${shown(localName)}`,
  );
}

/** Undefined when it is of no type that a rule can compare with, or not of the type it says. */
function readTyped(type: string, given: string): ParameterValue | undefined {
  const text = given.trim();
  switch (type) {
    case 'string':
    case 'char':
      return given;
    case 'boolean':
      return booleanOf(text);
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

/** Without a zone it is meant in UTC, as all times of the service. Nothing finer than a millisecond is compared. */
function timestampOf(text: string): ParameterValue | undefined {
  const [, seconds, fraction = '', zone = 'Z'] = DATE_TIME.exec(text) ?? [];
  const value = seconds === undefined ? Number.NaN : Date.parse(seconds + fraction.slice(0, 4) + zone);
  return Number.isNaN(value) ? undefined : { type: 'timestamp', value, text };
}

/** Undefined when there are none: for some clients an empty element is a list without an end. */
export function ruleValuesXml(name: string, values: RuleParameters | undefined = {}): string | undefined {
  const pairs = Object.entries(values).map(([key, value]) => {
    const [type, text, namespace = XML_SCHEMA] = told(value);
    const attributes = { 'i:type': `${PREFIX}:${type}`, [`xmlns:${PREFIX}`]: namespace };
    return element(PAIR, {}, textElement('Key', key), element('Value', attributes, escapeText(text)));
  });
  return pairs.length === 0 ? undefined : element(name, {}, ...pairs);
}

type ToldValue = readonly [type: string, text: string, namespace?: string];

/**
 * As it can be read again. A parameter that its SQL does not name may be anything: what is not of its type is told as the text
 * that it is.
 */
function told(value: ParameterValue): ToldValue {
  if (typeof value === 'string') return ['string', value];
  if (typeof value === 'boolean') return ['boolean', String(value)];
  switch (value.type) {
    case 'int':
    case 'long':
      return toldInteger(value) ?? ['string', value.value];
    case 'double':
      return toldDouble(value.value) ?? ['string', value.value];
    case 'timestamp':
      return ['dateTime', toldTime(value)];
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

/** As the type that it was given, if that can hold it. */
function toldInteger({
  type,
  value,
}: {
  readonly type: 'int' | 'long';
  readonly value: string;
}): ToldValue | undefined {
  if (integerOf(value, 'long', MIN_LONG, MAX_LONG) === undefined) return undefined;
  const isInt = type === 'int' && integerOf(value, 'int', MIN_INT, MAX_INT) !== undefined;
  return [isInt ? 'int' : 'long', String(BigInt(value))];
}

/** As its client has written it: a zone that it does not have would make it another time for .NET. */
function toldTime({ value, text }: { readonly value: number; readonly text?: string }): string {
  return text !== undefined && DATE_TIME.test(text) ? text : isoTime(value);
}

function toldDouble(text: string): ToldValue | undefined {
  const value = Number(text);
  if (text.trim() === '' || (Number.isNaN(value) && text !== 'NaN')) return undefined;
  return ['double', String(value).replace('Infinity', 'INF')];
}
