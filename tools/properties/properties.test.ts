// The table of docs/entities.md and the types of properties in code: up to date with the tables of properties.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { completeQueue, parseQueueSpec } from '../../src/config/given-queue.js';
import { completeTopic, parseTopicSpec } from '../../src/config/given-topic.js';
import { queuesOf, topicsOf } from '../../src/config/official-config.js';
import { PROPERTIES_OF } from '../../src/description/described-entity.js';
import { officialName } from '../../src/description/entity-property.js';
import { buildGivenProperties } from './given-properties.js';
import { withPropertiesTable } from './properties-table.js';
import type { Property } from './property-facts.js';

test.each([
  ['docs/entities.md', withPropertiesTable],
  ['src/config/given-properties.ts', buildGivenProperties],
])('%s is as the tables have it: else run npm run fix', (path, build) => {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  expect(text).toBe(build(text));
});

const VALUES: Readonly<Record<Property['type'], string | number | boolean>> = {
  duration: 'PT5M',
  number: 2000,
  boolean: true,
  text: 'x',
  list: '',
};
const ENTITIES = ['queue', 'topic', 'subscription'] as const;
const ALL = ENTITIES.flatMap((entity) => {
  const table: readonly Property[] = PROPERTIES_OF[entity];
  return table
    .filter(({ type }) => type !== 'list')
    .map((property) => [entity, property.name, property] as const);
});

test.each(ALL)(
  'code, the command line and a Config.json call it the same: %s %s',
  (entity, name, { field, type, values }) => {
    const value = values?.[1] ?? VALUES[type];
    const query = `${name}=${value}`;
    const config = (key: string) => {
      const Properties = { [key]: value };
      const Subscriptions = [{ Name: 'x', ...(entity === 'subscription' ? { Properties } : {}) }];
      const one = { Name: 'x', Properties };
      const Topics =
        entity === 'queue' ? [] : [{ ...(entity === 'topic' ? one : { Name: 'x' }), Subscriptions }];
      const namespace = { Queues: entity === 'queue' ? [one] : [], Topics };
      return { UserConfig: { Namespaces: [namespace] } };
    };
    const fromConfig = [officialName(name), name].map((key) => {
      const topic = topicsOf(config(key))[0];
      const owner = entity === 'topic' ? topic : topic?.subscriptions[0];
      return entity === 'queue' ? queuesOf(config(key))[0] : owner?.description;
    });
    const inCodeAndSpecs = {
      queue: () => [parseQueueSpec(`x?${query}`), completeQueue({ name: 'x', [name]: value })],
      topic: () => [
        parseTopicSpec(`x?${query}`).description,
        completeTopic({ name: 'x', [name]: value }).description,
      ],
      subscription: () => {
        const subscriptions = [`x?${query}`, { name: 'y', [name]: value }];
        return completeTopic({ name: 'x', subscriptions }).subscriptions.map(
          ({ description }) => description,
        );
      },
    };
    const described: readonly (object | undefined)[] = [...inCodeAndSpecs[entity](), ...fromConfig];
    expect(described).toHaveLength(4);
    const read = described.map((one) => one && Reflect.get(one, field));
    expect(read).toEqual(read.map(() => (type === 'duration' ? 300_000 : value)));
  },
);
