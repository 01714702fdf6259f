// The table of properties in docs/entities.md, built from the tables of properties.

import type { EntityType } from '../../src/broker/contract/entities/entity.js';
import { PROPERTIES_OF } from '../../src/description/described-entity.js';
import { defaultOf, type Property, rangeOf } from './property-facts.js';
import { PROPERTY_TEXTS } from './property-texts.js';

/** Stand in the page before and after the table. */
const BEGIN = '<!-- properties: written by npm run fix -->\n\n';
const END = '\n<!-- end of properties -->\n';
const ENTITIES: readonly EntityType[] = ['queue', 'topic', 'subscription'];

/** The page with the table as it is to be. */
export function withPropertiesTable(page: string): string {
  const [before, rest = ''] = page.split(BEGIN);
  const [, after] = rest.split(END);
  if (after === undefined) throw new Error(`docs/entities.md needs the lines ${BEGIN}${END}around its table`);
  return `${before}${BEGIN}${buildTable()}${END}${after}`;
}

function buildTable(): string {
  const all = new Map<string, Property>();
  for (const entity of ENTITIES) for (const one of PROPERTIES_OF[entity]) all.set(one.name, one);
  const rows = [...all.values()].map(row).join('\n');
  return `| Property | Of | Value | Default | |
|---|---|---|---|---|
${rows}
`;
}

function row(property: Property): string {
  const { name } = property;
  const owners = ENTITIES.filter((entity) => PROPERTIES_OF[entity].some((one) => one.name === name));
  const defaults = new Set(owners.map((entity) => defaultOf(property, entity)));
  const cells = [
    code(name),
    owners.length === ENTITIES.length ? 'all' : owners.join(', '),
    possibleValues(property, owners),
    [...defaults].map((value) => (value === undefined ? 'none' : code(value))).join(', '),
    PROPERTY_TEXTS[name] ?? '',
  ];
  return `| ${cells.join(' | ')} |`;
}

function possibleValues(property: Property, owners: readonly EntityType[]): string {
  const { name, type } = property;
  if (type === 'boolean') return '`true` or `false`';
  if (type === 'list') return 'list';
  const values = owners.flatMap((entity) => {
    const tables: readonly Property[] = PROPERTIES_OF[entity];
    return tables.find((one) => one.name === name)?.values ?? [];
  });
  if (values.length > 0) return [...new Set(values)].map(code).join(', ');
  const range = rangeOf(property);
  const kind = type === 'number' ? 'whole number' : type;
  return range === undefined ? kind : `${kind}, ${range.least} to ${range.most}`;
}

function code(text: string): string {
  return `\`${text}\``;
}
