// A description as XML, all of it in the order of the service, and what is kept for clients at its end.

import { formatDuration } from '../../description/duration.js';
import type { EntityProperty } from '../../description/entity-property.js';
import { officialName } from '../../description/entity-property.js';
import { textElement } from '../xml/write-xml.js';
import type { EntityKind, Place } from './entity-kind.js';
import { USUAL_SCHEME } from './forward-target.js';
import { readKept } from './kept-elements.js';

/** The elements that belong into the one of its kind. */
export function descriptionXml<
  Given extends { readonly otherProperties?: string | undefined },
  Info extends { readonly description: Given },
>(kind: EntityKind<Info, Given>, info: Info, place: Place): string {
  const { description } = info;
  const { inPlace, atEnd } = readKept(description.otherProperties, kind);
  const elements = kind.order.map((name) => {
    const computed = kind.computed[name];
    if (computed !== undefined) return inScheme(computed(info, place), inPlace.get(name));
    const constant = kind.constant[name];
    if (constant !== undefined) return inPlace.get(name) ?? textElement(name, constant);
    const property = kind.properties.find((one) => officialName(one.name) === name);
    return property === undefined ? undefined : propertyXml(name, property.type, description[property.field]);
  });
  return elements.join('') + atEnd;
}

/** A target of forwarding in the scheme that its client has given, if that is kept. */
function inScheme(xml: string | undefined, kept: string | undefined): string | undefined {
  const scheme = kept?.replace(/<[^>]*>/g, '');
  return scheme === undefined ? xml : xml?.replace(`>${USUAL_SCHEME}://`, () => `>${scheme}://`);
}

function propertyXml(
  name: string,
  type: EntityProperty<unknown>['type'],
  value: unknown,
): string | undefined {
  if (value === undefined) return undefined;
  return textElement(name, type === 'duration' ? formatDuration(Number(value)) : String(value));
}
