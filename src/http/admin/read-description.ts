// A description out of XML: each property by its name, in any order; what is not known is kept as it is.

import { type EntityProperty, officialName } from '../../description/entity-property.js';
import { duration } from '../../description/property-values.js';
import { named, shown, ValueError } from '../../description/value-error.js';
import { writtenAgain } from '../xml/write-xml.js';
import {
  childNamed,
  childrenOf,
  isEmpty,
  textOf,
  XML_SCHEMA_INSTANCE,
  type XmlElement,
} from '../xml/xml-element.js';
import { SERVICE_BUS } from './atom.js';
import type { EntityKind } from './entity-kind.js';
import { readForwardTarget } from './forward-target.js';

const MAX_OTHER_LENGTH = 64 * 1024;
const SURROUNDINGS: ReadonlyMap<string, string> = new Map([
  ['', SERVICE_BUS],
  ['i', XML_SCHEMA_INSTANCE],
]);

/** Throws ValueError or XmlError. */
export function readDescription<Info, Given>(
  kind: EntityKind<Info, Given>,
  description: XmlElement,
): Partial<Given> & { readonly otherProperties: string | undefined } {
  let read: Partial<Given> = {};
  const seen = new Set<string>();
  const others: XmlElement[] = [];
  for (const child of childrenOf(description)) {
    const name = child.localName;
    const property = kind.properties.find((one) => officialName(one.name) === name);
    if (property === undefined) {
      if (!kind.order.includes(name) && !kind.alsoIgnored.includes(name)) others.push(child);
      continue;
    }
    if (seen.has(name)) throw new ValueError(`${name} is given twice`);
    seen.add(name);
    if (!isEmpty(child))
      read = { ...read, ...named(name, () => property.read(toValue(property, child), duration)) };
  }
  return { ...read, otherProperties: keep(others) };
}

/** What the text would be in JSON; text that is no such value is left for the reader to complain about. */
function toValue<Given>({ type, name }: EntityProperty<Given>, child: XmlElement): unknown {
  if (type === 'list') return childrenOf(child).map(authorizationRuleOf);
  const text = textOf(child);
  switch (type) {
    case 'number':
      return /^\s*[+-]?\d+\s*$/.test(text) ? Number(text) : text;
    case 'boolean':
      return booleanOf(text.trim().toLowerCase()) ?? text;
    case 'duration':
      return text.trim();
    case 'text':
      if (name === 'userMetadata') return text;
      return name.startsWith('forward') ? readForwardTarget(text.trim()) : text.trim();
    default:
      return type satisfies never;
  }
}

function booleanOf(text: string): boolean | undefined {
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : undefined;
}

/** As the reader of lists of rules wants it: what is not there is left out. */
function authorizationRuleOf(rule: XmlElement): unknown {
  const texts = ['ClaimType', 'ClaimValue', 'KeyName', 'PrimaryKey', 'SecondaryKey'].flatMap((name) => {
    const child = childNamed(rule, name);
    return child === undefined ? [] : [[name, textOf(child)]];
  });
  const rights = childNamed(rule, 'Rights');
  const given = rights === undefined ? [] : childrenOf(rights).map((right) => textOf(right).trim());
  return { ...Object.fromEntries(texts), Rights: given };
}

/** As XML that may stand at the end of the description whenever it is told. */
function keep(others: readonly XmlElement[]): string | undefined {
  let kept = '';
  for (const other of others) {
    kept += writtenAgain(other, SURROUNDINGS);
    if (kept.length <= MAX_OTHER_LENGTH) continue;
    throw new ValueError(
      `the elements that are not known, such as ${shown(other.localName)}, have more than ${MAX_OTHER_LENGTH} characters`,
    );
  }
  return kept === '' ? undefined : kept;
}
