// What a client says that means nothing here, as the XML that is kept with the description and told whenever that is.

import { shown, ValueError } from '../../description/value-error.js';
import { booleanOf } from '../boolean-text.js';
import { textElement, writtenAgain } from '../xml/write-xml.js';
import { textOf, XML_SCHEMA_INSTANCE, type XmlElement } from '../xml/xml-element.js';
import { SERVICE_BUS } from './atom.js';
import type { EntityKind } from './entity-kind.js';
import { FORWARDING_ELEMENTS } from './forward-target.js';

type Constants = EntityKind<never, never>['constant'];

const MAX_LENGTH = 64 * 1024;
const SURROUNDINGS: ReadonlyMap<string, string> = new Map([
  ['', SERVICE_BUS],
  ['i', XML_SCHEMA_INSTANCE],
]);
const PLAIN_ELEMENT = /^<(\w+)>[^<]*<\/\1>/;

/**
 * Elements told in a place of their own come first, where they are found again: `schemes` of forwarding targets, and
 * constants. Undefined: there is nothing to keep.
 */
export function keep(
  others: readonly XmlElement[],
  constants: Constants,
  schemes: ReadonlyMap<string, string>,
): string | undefined {
  const isConstant = ({ localName }: XmlElement) => Object.hasOwn(constants, localName);
  const written = [
    ...[...schemes].map(([name, scheme]) => textElement(name, scheme)),
    ...others.filter(isConstant).map((one) => textElement(one.localName, textOf(one).trim())),
    ...others.filter((one) => !isConstant(one)).map((one) => writtenAgain(one, SURROUNDINGS)),
  ].join('');
  if (written.length <= MAX_LENGTH) return written === '' ? undefined : written;
  throw new ValueError(
    `the elements that are not known, such as ${shown(others[0]?.localName)}, have more than ${MAX_LENGTH} characters`,
  );
}

/** Whether an element that is constant says what is told in any case. */
export function saysNothingNew(element: XmlElement, constant: string): boolean {
  const text = textOf(element).trim();
  return text.toLowerCase() === constant.toLowerCase() || String(booleanOf(text)) === constant;
}

/**
 * The kept elements: those told in the place of constants and the schemes of forwarding targets, by their names, and those
 * told at the end.
 */
export function readKept(
  kept: string | undefined,
  { constant, order }: Pick<EntityKind<never, never>, 'constant' | 'order'>,
): { readonly inPlace: ReadonlyMap<string, string>; readonly atEnd: string } {
  const inPlace = new Map<string, string>();
  let atEnd = kept ?? '';
  for (;;) {
    const [xml, name] = PLAIN_ELEMENT.exec(atEnd) ?? [];
    const isScheme = name !== undefined && FORWARDING_ELEMENTS.includes(name) && order.includes(name);
    if (xml === undefined || name === undefined || !(isScheme || Object.hasOwn(constant, name))) {
      return { inPlace, atEnd };
    }
    inPlace.set(name, xml);
    atEnd = atEnd.slice(xml.length);
  }
}
