// Reads and writes rules as XML.

import type {
  Action,
  CorrelationFilter,
  Filter,
  RuleDescription,
  SqlExpression,
} from '../broker/contract/rule-description.js';
import { OFFICIAL_CORRELATION_FIELDS } from '../description/correlation-fields.js';
import { named, shown, ValueError } from '../description/value-error.js';
import { atomTime } from './atom-format.js';
import { readRuleValues, ruleValuesXml } from './rule-values.js';
import { element, textElement } from './xml/write-xml.js';
import { childNamed, elementText, isEmpty, isNil, typeOf, type XmlElement } from './xml/xml-element.js';

/** The version of the service's SQL. */
const COMPATIBILITY_LEVEL = 20;

// Differs from Azure: unknown elements of a rule are dropped, because the broker stores a fixed set of fields.
/** Throws ValueError or XmlError. */
export function readRuleXml(name: string, description: XmlElement): RuleDescription {
  return {
    name,
    filter: named('Filter', () => readFilter(childNamed(description, 'Filter'))),
    action: named('Action', () => readAction(childNamed(description, 'Action'))),
  };
}

/** A missing or empty filter matches everything. A filter without a type is recognised by its elements. */
function readFilter(given: XmlElement | undefined): Filter {
  if (given === undefined || isNil(given)) return { kind: 'true' };
  if (isEmpty(given) && typeOf(given) === undefined) return { kind: 'true' };
  const hasSql = childNamed(given, 'SqlExpression') !== undefined;
  const type = typeOf(given)?.localName ?? (hasSql ? 'SqlFilter' : 'CorrelationFilter');
  switch (type) {
    case 'TrueFilter':
      return { kind: 'true' };
    case 'FalseFilter':
      return { kind: 'false' };
    case 'SqlFilter':
      return readSql(given);
    case 'CorrelationFilter':
      return readCorrelation(given);
    default:
      throw new ValueError(
        `must be of type SqlFilter, CorrelationFilter, TrueFilter or FalseFilter, not ${shown(type)}`,
      );
  }
}

/** An action. Old clients name its type differently, so only its SQL identifies it. */
function readAction(given: XmlElement | undefined): Action | undefined {
  if (given === undefined || childNamed(given, 'SqlExpression') === undefined) return undefined;
  return typeOf(given)?.localName === 'EmptyRuleAction' ? undefined : readSql(given);
}

function readSql(given: XmlElement): SqlExpression {
  const expression = childNamed(given, 'SqlExpression');
  if (expression === undefined) throw new ValueError('must have a SqlExpression');
  const parameters = named('Parameters', () => readRuleValues(childNamed(given, 'Parameters')));
  return {
    kind: 'sql',
    expression: elementText(expression),
    ...(parameters === undefined ? {} : { parameters }),
  };
}

/** A correlation filter. Empty texts are conditions too, because a message may have an empty property. */
function readCorrelation(given: XmlElement): CorrelationFilter {
  const fields = Object.entries(OFFICIAL_CORRELATION_FIELDS).flatMap(([name, field]) => {
    const child = childNamed(given, name);
    return child === undefined || isNil(child) ? [] : [[field, elementText(child)]];
  });
  const properties = named('Properties', () => readRuleValues(childNamed(given, 'Properties')));
  return {
    kind: 'correlation',
    ...Object.fromEntries(fields),
    ...(properties === undefined ? {} : { properties }),
  };
}

/** The elements inside a RuleDescription; a request has no `createdTime`. */
export function ruleXml({ name, filter, action }: RuleDescription, createdTime?: number): string {
  return [
    filterXml(filter),
    action === undefined
      ? element('Action', { 'i:type': 'EmptyRuleAction' })
      : element('Action', { 'i:type': 'SqlRuleAction' }, sqlXml(action)),
    createdTime === undefined ? '' : textElement('CreatedAt', atomTime(createdTime)),
    textElement('Name', name),
  ].join('');
}

function filterXml(filter: Filter): string {
  switch (filter.kind) {
    case 'true':
      return element('Filter', { 'i:type': 'TrueFilter' }, sqlXml({ kind: 'sql', expression: '1=1' }));
    case 'false':
      return element('Filter', { 'i:type': 'FalseFilter' }, sqlXml({ kind: 'sql', expression: '1=0' }));
    case 'sql':
    case 'selector': // JMS-18
      return element('Filter', { 'i:type': 'SqlFilter' }, sqlXml({ ...filter, kind: 'sql' }));
    case 'correlation': {
      const fields = Object.entries(OFFICIAL_CORRELATION_FIELDS).map(([name, field]) => {
        const value = filter[field];
        return value === undefined ? undefined : textElement(name, value);
      });
      const properties = ruleValuesXml('Properties', filter.properties);
      return element('Filter', { 'i:type': 'CorrelationFilter' }, ...fields, properties);
    }
    default:
      return filter satisfies never;
  }
}

function sqlXml({ expression, parameters }: SqlExpression): string {
  return [
    textElement('SqlExpression', expression),
    textElement('CompatibilityLevel', COMPATIBILITY_LEVEL),
    ruleValuesXml('Parameters', parameters) ?? '',
  ].join('');
}
