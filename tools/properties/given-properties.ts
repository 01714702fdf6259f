// Builds src/config/given-properties.ts, the types of the properties of entities in code, from the tables of properties.

import type { EntityType } from '../../src/broker/contract/entities/entity.js';
import { PROPERTIES_OF } from '../../src/description/described-entity.js';
import type { EntityProperty } from '../../src/description/entity-property.js';
import { comment } from '../options/emulator-options.js';
import { defaultOf, type Property, rangeOf } from './property-facts.js';
import { PROPERTY_TEXTS } from './property-texts.js';

const HEAD = `// The properties of entities in code. Made from the tables of properties: change those, and run npm run fix.

import type { AccessRight } from '../broker/contract/entities/authorization-rule.js';

/** A duration: ISO 8601 such as \`'PT30S'\`, or milliseconds. */
export type GivenDuration = string | number;

/** A key for one entity. As in Azure, the right \`Manage\` requires \`Send\` and \`Listen\` too. */
export type GivenAuthorizationRule = {
  readonly keyName: string;
  readonly accessRights: readonly AccessRight[];
  readonly primaryKey?: string | undefined;
  readonly secondaryKey?: string | undefined;
};
`;
const TYPES: Readonly<Record<EntityProperty<unknown>['type'], string>> = {
  duration: 'GivenDuration',
  number: 'number',
  boolean: 'boolean',
  text: 'string',
  list: 'readonly GivenAuthorizationRule[]',
};

export function buildGivenProperties(): string {
  return [HEAD, typeOf('queue'), typeOf('topic'), typeOf('subscription')].join('\n');
}

function typeOf(entity: EntityType): string {
  const name = `${entity.charAt(0).toUpperCase()}${entity.slice(1)}Properties`;
  const lines = PROPERTIES_OF[entity].map((property: Property) => line(property, entity));
  return `/** The properties of a ${entity}, by their names in the SDK's createQueue, createTopic and createSubscription. */
export type ${name} = {
${lines.join('')}};
`;
}

function line(property: Property, entity: EntityType): string {
  const { name, type, values } = property;
  const range = rangeOf(property);
  const missing = defaultOf(property, entity);
  const text = [
    PROPERTY_TEXTS[name],
    ...(range === undefined ? [] : [`From ${range.least} to ${range.most}.`]),
    ...(missing === undefined ? [] : [`Default: \`${missing}\`.`]),
  ].join(' ');
  const given = values === undefined ? TYPES[type] : values.map((value) => `'${value}'`).join(' | ');
  return `${comment(text)}  readonly ${name}?: ${given} | undefined;\n`;
}
