// A description out of XML: each property by its name, in any order; what is not known is kept as it is.

import { type EntityProperty, officialName } from '../../description/entity-property.js';
import { duration } from '../../description/property-values.js';
import { named, ValueError } from '../../description/value-error.js';
import { booleanOf } from '../boolean-text.js';
import { childNamed, childrenOf, isEmpty, isNil, textOf, type XmlElement } from '../xml/xml-element.js';
import type { EntityKind } from './entity-kind.js';
import { FORWARDING_ELEMENTS, readForwardTarget, readScheme } from './forward-target.js';
import { keep, saysNothingNew } from './kept-elements.js';

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
export function readDescription<Info, Given>(
  kind: EntityKind<Info, Given>,
  description: XmlElement,
): Partial<Given> & { readonly otherProperties: string | undefined } {
  let read: Partial<Given> = {};
  const seen = new Set<string>();
  const others: XmlElement[] = [];
  const schemes = new Map<string, string>();
  for (const child of childrenOf(description)) {
    const name = child.localName;
    const property = kind.properties.find((one) => officialName(one.name) === name);
    const constant = Object.hasOwn(kind.constant, name) ? kind.constant[name] : undefined;
    if (property === undefined && constant === undefined) {
      if (!kind.order.includes(name) && !kind.alsoIgnored.includes(name)) others.push(child);
      continue;
    }
    if (seen.has(name)) throw new ValueError(`${name} is given twice`);
    seen.add(name);
    if (isNil(child) || (isEmpty(child) && name !== 'UserMetadata')) continue;
    if (constant !== undefined && !saysNothingNew(child, constant)) others.push(child);
    if (property === undefined) continue;
    const scheme = FORWARDING_ELEMENTS.includes(name) ? readScheme(textOf(child).trim()) : undefined;
    if (scheme !== undefined) schemes.set(name, scheme);
    read = { ...read, ...named(name, () => property.read(toValue(property, child), duration)) };
  }
  return { ...read, otherProperties: keep(others, kind.constant, schemes) };
}

/** What the text would be in JSON; text that is no such value is left for the reader to complain about. */
function toValue<Given>({ type, name }: EntityProperty<Given>, child: XmlElement): unknown {
  if (type === 'list') return childrenOf(child).map(authorizationRuleOf);
  const text = textOf(child);
  switch (type) {
    case 'number':
      return /^\s*[+-]?\d+\s*$/.test(text) ? Number(text) : text;
    case 'boolean':
      return booleanOf(text.trim()) ?? text;
    case 'duration':
      return text.trim();
    case 'text':
      if (name === 'userMetadata') return text;
      return name.startsWith('forward') ? readForwardTarget(text.trim()) : text.trim();
    default:
      return type satisfies never;
  }
}

/** As the reader of lists of rules wants it: what is not there is left out. */
function authorizationRuleOf(rule: XmlElement): unknown {
  const texts = AUTHORIZATION_RULE_TEXTS.flatMap((name) => {
    const child = childNamed(rule, name);
    return child === undefined || isNil(child) ? [] : [[name, textOf(child)]];
  });
  const rights = childNamed(rule, 'Rights');
  const given = rights === undefined ? [] : childrenOf(rights).map((right) => textOf(right).trim());
  return { ...Object.fromEntries(texts), Rights: given };
}
