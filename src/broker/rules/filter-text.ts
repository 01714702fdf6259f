// Writes a filter as SQL, for people and for forms.

import { isoTime } from '../contract/instant.js';
import type { CorrelationFilter, Filter, ParameterValue } from '../contract/rule-description.js';
import { FIELDS } from './compile-filter.js';
import type { PropertyName } from './property-name.js';
import { constantText, propertyText } from './sql-text.js';

/** A property that a correlation filter compares, the comparison as SQL, and the filter that has only this one. */
export type CorrelationPart = {
  readonly name: PropertyName;
  readonly text: string;
  readonly filter: CorrelationFilter;
};

/** A correlation filter becomes the comparisons that it stands for; values of types that SQL cannot write become texts. */
export function filterText(filter: Filter): string {
  switch (filter.kind) {
    case 'true':
      return '1=1';
    case 'false':
      return '1=0';
    case 'sql':
    case 'selector':
      return filter.expression;
    case 'correlation':
      return correlationParts(filter)
        .map(({ text }) => text)
        .join(' AND ');
    default:
      return filter satisfies never;
  }
}

/** COR-01. */
export function correlationParts(filter: CorrelationFilter): readonly CorrelationPart[] {
  const ofFields = Object.entries(FIELDS).flatMap(([field, property]): CorrelationPart[] => {
    const value = filter[field as keyof typeof FIELDS];
    const name = { scope: 'system', property } as const;
    return value === undefined ? [] : [partOf(name, value, { [field]: value })];
  });
  const ofProperties = Object.entries(filter.properties ?? {}).map(([key, value]) =>
    partOf({ scope: 'user', name: key }, value, { properties: { [key]: value } }),
  );
  return [...ofFields, ...ofProperties];
}

function partOf(
  name: PropertyName,
  value: ParameterValue,
  one: Omit<CorrelationFilter, 'kind'>,
): CorrelationPart {
  return {
    name,
    text: `${propertyText(name)} = ${literal(value)}`,
    filter: { kind: 'correlation', ...one },
  };
}

/** A value as SQL. */
export function literal(value: ParameterValue): string {
  if (typeof value !== 'object') return constantText(value);
  switch (value.type) {
    case 'int':
    case 'long':
    case 'double':
      return value.value;
    case 'timestamp':
      return constantText(isoTime(value.value) ?? String(value.value));
    case 'duration':
    case 'uuid':
      return constantText(value.value);
    default:
      return value satisfies never;
  }
}
