// Compares two descriptions of an entity, property by property.

import type { DescribedEntity } from '../broker/contract/entities/entity.js';
import { PROPERTIES_OF } from './described-entity.js';
import { type WrittenValue, writeProperties } from './entity-property.js';

/** A property that differs; undefined stands for no value. */
export type PropertyDifference = {
  readonly name: string;
  readonly field: string;
  readonly before: WrittenValue | undefined;
  readonly after: WrittenValue | undefined;
};

/** The properties in which two descriptions of entities of one type differ. Values of authorization rules have no keys. */
export function propertyDifferences(
  type: DescribedEntity['type'],
  before: object,
  after: object,
): readonly PropertyDifference[] {
  const table: readonly { readonly name: string; readonly field: string }[] = PROPERTIES_OF[type];
  const [ofBefore, ofAfter] = [before, after].map((each) => writeProperties(each, PROPERTIES_OF[type]));
  const isSame = (field: string) =>
    JSON.stringify(Reflect.get(before, field)) === JSON.stringify(Reflect.get(after, field));
  return table
    .filter(({ field }) => !isSame(field))
    .map(({ name, field }) => ({ name, field, before: ofBefore?.[name], after: ofAfter?.[name] }));
}
