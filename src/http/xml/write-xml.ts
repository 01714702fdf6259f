// Elements to text. What these functions answer is XML, and goes into others as it is.

import { escapeText } from '../xml-text.js';
import { namespaceOf, type XmlElement } from './xml-element.js';

type Attributes = Readonly<Record<string, string>>;

/** Children that are undefined are left out. */
export function element(
  name: string,
  attributes: Attributes,
  ...children: readonly (string | undefined)[]
): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeText(value)}"`);
  const inner = children.join('');
  return inner === '' ? `<${name}${given.join('')}/>` : `<${name}${given.join('')}>${inner}</${name}>`;
}

/** With text, which may be anything. */
export function textElement(name: string, text: string | number | boolean): string {
  return element(name, {}, escapeText(String(text)));
}

/** The element as it was read, to stand wherever `surroundings` are the namespaces by prefix: it brings along what it needs. */
export function writtenAgain(given: XmlElement, surroundings: ReadonlyMap<string, string>): string {
  const own = { ...attributesOf(given) };
  const body = given.content.map((one) => (typeof one === 'string' ? escapeText(one) : plain(one))).join('');
  const said = `${given.rawName} ${Object.entries(own).flat().join(' ')} ${body}`;
  const declarations: Record<string, string> = {};
  for (const prefix of prefixesIn(given)) {
    const namespace = namespaceOf(prefix, given.scope) ?? '';
    const attribute = prefix === '' ? 'xmlns' : `xmlns:${prefix}`;
    const isNeeded = prefix === '' || said.includes(`${prefix}:`);
    if (isNeeded && attribute in own === false && surroundings.get(prefix) !== namespace) {
      declarations[attribute] = namespace;
    }
  }
  return element(given.rawName, { ...declarations, ...own }, body);
}

function plain(given: XmlElement): string {
  const body = given.content.map((one) => (typeof one === 'string' ? escapeText(one) : plain(one)));
  return element(given.rawName, attributesOf(given), ...body);
}

function attributesOf({ attributes }: XmlElement): Attributes {
  return Object.fromEntries(attributes.map(({ rawName, value }) => [rawName, value]));
}

/** All that are declared where the element stands, and the one of names without any. `xml` needs none. */
function prefixesIn({ scope }: XmlElement): ReadonlySet<string> {
  const prefixes = new Set(['']);
  for (let at: typeof scope | undefined = scope; at !== undefined; at = at.outer) {
    for (const prefix of at.declared.keys()) if (prefix !== 'xml') prefixes.add(prefix);
  }
  return prefixes;
}
