// Writes XML. The functions return XML, which can be the content of other elements.

import type { XmlElement } from './xml-element.js';

type Attributes = Readonly<Record<string, string>>;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#xD;',
};
/** Characters that XML 1.0 cannot represent, even by number, and unpaired surrogates. */
const UNREPRESENTABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** An element; undefined children are left out. */
export function element(
  name: string,
  attributes: Attributes,
  ...children: readonly (string | undefined)[]
): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeText(value)}"`);
  const inner = children.join('');
  return inner === '' ? `<${name}${given.join('')}/>` : `<${name}${given.join('')}>${inner}</${name}>`;
}

/** An element with a text, which is escaped. */
export function textElement(name: string, text: string | number | boolean): string {
  return element(name, {}, escapeText(String(text)));
}

/** Writes a parsed element again. It declares the namespaces that differ from `surroundings`, which maps prefixes to namespaces. */
export function rewriteElement(given: XmlElement, surroundings: ReadonlyMap<string, string>): string {
  const own = { ...attributesOf(given) };
  const body = given.content.map((one) => (typeof one === 'string' ? escapeText(one) : plain(one))).join('');
  const text = `${given.rawName} ${Object.entries(own).flat().join(' ')} ${body}`;
  const declarations: Record<string, string> = {};
  // All prefixes in scope, including the inherited ones. `xml` needs no declaration.
  const prefixes = new Set(['']);
  for (const prefix in given.scope) if (prefix !== 'xml') prefixes.add(prefix);
  for (const prefix of prefixes) {
    const namespace = given.scope[prefix] ?? '';
    const attribute = prefix === '' ? 'xmlns' : `xmlns:${prefix}`;
    const isNeeded = prefix === '' || text.includes(`${prefix}:`);
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

/** Escapes text for elements and attributes. */
export function escapeText(text: string): string {
  return text.replace(UNREPRESENTABLE, '\ufffd').replace(/[&<>"'\r]/g, (one) => ESCAPES[one] ?? one);
}
