// The elements of a client's description that match no property: unknown ones, constants with another value, and the schemes
// of forwarding targets. They are stored as XML and returned unchanged.

import { shown, ValueError } from '../description/value-error.js';
import { SERVICE_BUS } from './atom-format.js';
import type { EntityElements } from './entity-elements.js';
import { FORWARDING_ELEMENTS } from './forward-target.js';
import { rewriteElement, textElement } from './xml/write-xml.js';
import { elementText, parseBoolean, XML_SCHEMA_INSTANCE, type XmlElement } from './xml/xml-element.js';

type Constants = EntityElements<never>['constant'];

const MAX_CHARACTERS = 64 * 1024;
/** Prefixes that the entry declares around the stored elements. */
const INHERITED_NAMESPACES: ReadonlyMap<string, string> = new Map([
  ['', SERVICE_BUS],
  ['i', XML_SCHEMA_INSTANCE],
]);
/** An element at the start with text only, as `textElement` writes it. */
const PLAIN_ELEMENT = /^<(\w+)>[^<]*<\/\1>/;

/** Returns the XML to store, or undefined. `schemes` and constants come first, where `readUnknownElements` looks for them. */
export function writeUnknownElements(
  elements: readonly XmlElement[],
  constants: Constants,
  schemes: ReadonlyMap<string, string>,
): string | undefined {
  const isConstant = ({ localName }: XmlElement) => Object.hasOwn(constants, localName);
  const written = [
    ...[...schemes].map(([name, scheme]) => textElement(name, scheme)),
    ...elements.filter(isConstant).map((one) => textElement(one.localName, elementText(one).trim())),
    ...elements.filter((one) => !isConstant(one)).map((one) => rewriteElement(one, INHERITED_NAMESPACES)),
  ].join('');
  if (written.length <= MAX_CHARACTERS) return written === '' ? undefined : written;
  throw new ValueError(
    `the unknown elements, such as ${shown(elements[0]?.localName)}, have more than ${MAX_CHARACTERS} characters`,
  );
}

/** Whether an element has its constant value, which need not be stored. */
export function hasConstantValue(element: XmlElement, constant: string): boolean {
  const text = elementText(element).trim();
  return text.toLowerCase() === constant.toLowerCase() || String(parseBoolean(text)) === constant;
}

/** Reads the stored XML: schemes and constants by name; the rest, `atEnd`, closes a description. */
export function readUnknownElements(
  stored: string | undefined,
  { constant, order }: Pick<EntityElements<never>, 'constant' | 'order'>,
): { readonly byName: ReadonlyMap<string, string>; readonly atEnd: string } {
  const byName = new Map<string, string>();
  let atEnd = stored ?? '';
  for (;;) {
    const [xml, name] = PLAIN_ELEMENT.exec(atEnd) ?? [];
    const isScheme = name !== undefined && FORWARDING_ELEMENTS.includes(name) && order.includes(name);
    if (xml === undefined || name === undefined || !(isScheme || Object.hasOwn(constant, name))) {
      return { byName, atEnd };
    }
    byName.set(name, xml);
    atEnd = atEnd.slice(xml.length);
  }
}
