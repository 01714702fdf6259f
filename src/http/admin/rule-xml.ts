// Rules as XML: out of what a client sends, and into what it is told.

import type { RuleRecord } from '../../broker/event.js';
import type {
  Action,
  CorrelationFilter,
  Filter,
  RuleDescription,
  SqlExpression,
} from '../../broker/rules/rule-description.js';
import { OFFICIAL_CORRELATION_FIELDS } from '../../description/correlation-fields.js';
import { named, shown, ValueError } from '../../description/value-error.js';
import { element, textElement } from '../xml/write-xml.js';
import { childNamed, isEmpty, isNil, textOf, typeOf, type XmlElement } from '../xml/xml-element.js';
import { isoTime } from './atom.js';
import { readRuleValues, ruleValuesXml } from './rule-values.js';

/** Of the SQL that the service speaks. */
const COMPATIBILITY_LEVEL = 20;

// Differs from Azure: other elements of a rule are dropped, as the broker keeps a rule's shape exactly.
/** Throws ValueError or XmlError. */
export function readRule(name: string, description: XmlElement): RuleDescription {
  return {
    name,
    filter: named('Filter', () => readFilter(childNamed(description, 'Filter'))),
    action: named('Action', () => readAction(childNamed(description, 'Action'))),
  };
}

/** Without a filter, or with nothing in it, everything matches. What says not what it is, is known by what it holds. */
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

/** An old client has names of its own for the type of an action; that there is SQL in it says enough. */
function readAction(given: XmlElement | undefined): Action | undefined {
  if (given === undefined || childNamed(given, 'SqlExpression') === undefined) return undefined;
  return typeOf(given)?.localName === 'EmptyRuleAction' ? undefined : readSql(given);
}

function readSql(given: XmlElement): SqlExpression {
  const expression = childNamed(given, 'SqlExpression');
  if (expression === undefined) throw new ValueError('must have a SqlExpression');
  const parameters = named('Parameters', () => readRuleValues(childNamed(given, 'Parameters')));
  return { kind: 'sql', expression: textOf(expression), ...(parameters === undefined ? {} : { parameters }) };
}

/** An empty text is one that a message may have. */
function readCorrelation(given: XmlElement): CorrelationFilter {
  const fields = Object.entries(OFFICIAL_CORRELATION_FIELDS).flatMap(([name, field]) => {
    const child = childNamed(given, name);
    return child === undefined || isNil(child) ? [] : [[field, textOf(child)]];
  });
  const properties = named('Properties', () => readRuleValues(childNamed(given, 'Properties')));
  return {
    kind: 'correlation',
    ...Object.fromEntries(fields),
    ...(properties === undefined ? {} : { properties }),
  };
}

/** What belongs into a RuleDescription. */
export function ruleXml({ description, createdTime }: RuleRecord): string {
  const { name, filter, action } = description;
  return [
    filterXml(filter),
    action === undefined
      ? element('Action', { 'i:type': 'EmptyRuleAction' })
      : element('Action', { 'i:type': 'SqlRuleAction' }, sqlXml(action)),
    textElement('CreatedAt', isoTime(createdTime)),
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
      return element('Filter', { 'i:type': 'SqlFilter' }, sqlXml(filter));
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
