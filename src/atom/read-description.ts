// Reads an entity description from XML: properties by name, in any order. Unknown elements are stored unchanged.

import { type EntityProperty, officialName } from '../description/entity-property.js';
import { duration } from '../description/property-values.js';
import { named, ValueError } from '../description/value-error.js';
import type { EntityElements } from './entity-elements.js';
import { FORWARDING_ELEMENTS, readForwardTarget, readScheme } from './forward-target.js';
import { hasConstantValue, writeUnknownElements } from './unknown-elements.js';
import {
  childNamed,
  childrenOf,
  elementText,
  isEmpty,
  isNil,
  parseBoolean,
  type XmlElement,
} from './xml/xml-element.js';

const AUTHORIZATION_RULE_TEXTS = [
  'ClaimType',
  'ClaimValue',
  'CreatedTime',
  'ModifiedTime',
  'KeyName',
  'PrimaryKey',
  'SecondaryKey',
];

/** Throws ValueError or XmlError. */
export function readDescription<Given>(
  schema: EntityElements<Given>,
  description: XmlElement,
): Partial<Given> & { readonly otherProperties: string | undefined } {
  let read: Partial<Given> = {};
  const seen = new Set<string>();
  const unknown: XmlElement[] = [];
  const schemes = new Map<string, string>();
  for (const child of childrenOf(description)) {
    const name = child.localName;
    const property = schema.properties.find((one) => officialName(one.name) === name);
    const constant = Object.hasOwn(schema.constant, name) ? schema.constant[name] : undefined;
    if (property === undefined && constant === undefined) {
      if (!schema.order.includes(name) && !schema.alsoIgnored.includes(name)) unknown.push(child);
      continue;
    }
    if (seen.has(name)) throw new ValueError(`${name} is given twice`);
    seen.add(name);
    if (isNil(child) || (isEmpty(child) && name !== 'UserMetadata')) continue;
    if (constant !== undefined && !hasConstantValue(child, constant)) unknown.push(child);
    if (property === undefined) continue;
    const scheme = FORWARDING_ELEMENTS.includes(name) ? readScheme(elementText(child).trim()) : undefined;
    if (scheme !== undefined) schemes.set(name, scheme);
    read = { ...read, ...named(name, () => property.read(toValue(property, child), duration)) };
  }
  return { ...read, otherProperties: writeUnknownElements(unknown, schema.constant, schemes) };
}

/** The JSON value of an element. A text of the wrong type is passed on, and the property's reader refuses it. */
function toValue<Given>({ type, name }: EntityProperty<Given>, child: XmlElement): unknown {
  if (type === 'list') return childrenOf(child).map(authorizationRuleOf);
  const text = elementText(child);
  switch (type) {
    case 'number':
      return /^\s*[+-]?\d+\s*$/.test(text) ? Number(text) : text;
    case 'boolean':
      return parseBoolean(text.trim()) ?? text;
    case 'duration':
      return text.trim();
    case 'text':
      if (name === 'userMetadata') return text;
      return name.startsWith('forward') ? readForwardTarget(text.trim()) : text.trim();
    default:
      return type satisfies never;
  }
}

/** An authorization rule in the form that its reader expects. Missing elements are left out. */
function authorizationRuleOf(rule: XmlElement): unknown {
  const texts = AUTHORIZATION_RULE_TEXTS.flatMap((name) => {
    const child = childNamed(rule, name);
    return child === undefined || isNil(child) ? [] : [[name, elementText(child)]];
  });
  const rights = childNamed(rule, 'Rights');
  const given = rights === undefined ? [] : childrenOf(rights).map((right) => elementText(right).trim());
  return { ...Object.fromEntries(texts), Rights: given };
}
