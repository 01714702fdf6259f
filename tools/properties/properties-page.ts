// Builds docs/entity-properties.md from the tables of properties.

import type { EntityType } from '../../src/broker/contract/entities/entity.js';
import { PROPERTIES_OF } from '../../src/description/described-entity.js';
import { officialName } from '../../src/description/entity-property.js';
import { defaultOf, type Property, rangeOf } from './property-facts.js';
import { PROPERTY_TEXTS } from './property-texts.js';

const EXAMPLE = 'lockDuration';
const HEAD = `# The properties of queues, topics and subscriptions

A property has the same name everywhere: that of the SDK's \`createQueue\`, \`createTopic\` and \`createSubscription\`.

| Where | For example |
|---|---|
| on the command line | \`jitney --queue 'orders?${EXAMPLE}=PT30S'\`, \`jitney create queue 'orders?${EXAMPLE}=PT30S'\` |
| in code | \`startEmulator({ queues: [{ name: 'orders', ${EXAMPLE}: 'PT30S' }] })\`, \`emulator.createQueue('orders', { ${EXAMPLE}: 'PT30S' })\` |
| over the [control interface](control.md) | \`{ "${EXAMPLE}": "PT30S" }\` |
| in a Config.json | \`"${officialName(EXAMPLE)}": "PT30S"\`, as the official emulator writes it, or \`"${EXAMPLE}": "PT30S"\` |

- A duration is ISO 8601 (\`PT30S\`, \`P1DT12H\`), a .NET TimeSpan (\`00:00:30\`), or a whole number of milliseconds (\`30000\`).
  \`P10675199DT2H48M5.4775807S\` means without end, in code also \`Infinity\`.
- The defaults are Azure's. A Config.json has [some of its own](entities.md#defaults).
- \`authorizationRules\` are a list of objects such as \`{ keyName: 'app', accessRights: ['Send'], primaryKey: '...' }\`, and cannot be
  given on the command line.
- Rules of subscriptions: [topics and rules](topics-and-rules.md#rules).
`;
const ENTITIES: readonly EntityType[] = ['queue', 'topic', 'subscription'];

export function buildPropertiesPage(): string {
  const all = new Map<string, Property>();
  for (const entity of ENTITIES) for (const one of PROPERTIES_OF[entity]) all.set(one.name, one);
  const rows = [...all.values()].map(row).join('\n');
  return `${HEAD}
| Property | Of | Value | Default | |
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
