// The shipped JSON Schema of a Config.json: up to date, and of one mind with what reads such files.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  QUEUE_PROPERTIES,
  SUBSCRIPTION_PROPERTIES,
  TOPIC_PROPERTIES,
} from '../../src/description/entity-properties.js';
import { PROPERTY_TEXTS } from '../../tools/properties/property-texts.js';
import { buildSchema } from '../../tools/schema/json-schema.js';

function readJson(file: string) {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
}

const shipped = readJson('../../config/Config.schema.json');
const schema = z.fromJSONSchema(shipped);

function isTaken(config: unknown): boolean {
  return schema.safeParse(config).success;
}

test('config/Config.schema.json is as the tables have it: else run npm run fix', () => {
  expect(shipped).toEqual(JSON.parse(JSON.stringify(buildSchema())));
});

test('every property is explained, and no other', () => {
  const tables = [...QUEUE_PROPERTIES, ...TOPIC_PROPERTIES, ...SUBSCRIPTION_PROPERTIES];
  expect(Object.keys(PROPERTY_TEXTS).sort()).toEqual([...new Set(tables.map(({ name }) => name))].sort());
});

test('editors mark no comments, no trailing commas, and no reference to the schema', () => {
  expect(shipped).toMatchObject({ allowComments: true, allowTrailingCommas: true });
  expect(isTaken({ $schema: './Config.schema.json', UserConfig: { Namespaces: [{}] } })).toBe(true);
});

test.each(['../../config/Config.json', './aspire.Config.json'])('%s has nothing to be marked', (file) => {
  expect(schema.safeParse(readJson(file)).error?.issues ?? []).toEqual([]);
});

const queue = (Properties: object) => ({
  UserConfig: { Namespaces: [{ Queues: [{ Name: 'q', Properties }] }] },
});

test.each([
  [{}, true],
  [{ LockDuration: 'PT30S', MaxDeliveryCount: 7, RequiresSession: true, Status: 'Disabled' }, true],
  [{ LockDuration: '00:00:30', ForwardTo: null, AutoDeleteOnIdle: 'P10675199DT2H48M5.4775807S' }, true],
  [{ AuthorizationRules: [{ KeyName: 'k', Rights: ['Send'] }] }, true],
  [{ LockDurtion: 'PT30S' }, false],
  [{ LockDuration: '30' }, false],
  [{ MaxDeliveryCount: 0 }, false],
  [{ MaxDeliveryCount: '3' }, false],
  [{ RequiresSession: 'true' }, false],
  [{ Status: 'On' }, false],
  [{ UserMetadata: 'x'.repeat(1025) }, false],
  [{ AuthorizationRules: [{ KeyName: 'k', Rights: ['Sned'] }] }, false],
])('a queue with %j: an editor that marks nothing is %j', (properties, expected) => {
  expect(isTaken(queue(properties))).toBe(expected);
});

test.each([
  ['x', true],
  [5, true],
  [{ type: 'long', value: '5' }, true],
  [{ type: 'long' }, false],
  [{ type: 'big', value: '5' }, false],
  [null, false],
])('the parameter %j: an editor that marks nothing is %j', (value, expected) => {
  const SqlFilter = { SqlExpression: 'a = @a', Parameters: { '@a': value } };
  const Rules = [{ Name: 'r', Properties: { FilterType: 'Sql', SqlFilter } }];
  const Topics = [{ Name: 't', Subscriptions: [{ Name: 's', Rules }] }];
  expect(isTaken({ UserConfig: { Namespaces: [{ Topics }] } })).toBe(expected);
});

test('the defaults of the official emulator are shown where it has its own, and the defaults of Azure elsewhere', () => {
  const { queue } = shipped.definitions;
  const defaults = queue.properties.Properties.properties;
  expect(defaults.MaxDeliveryCount.default).toBe(3);
  expect(defaults.DefaultMessageTimeToLive.default).toBe('PT1H');
  expect(defaults.AutoDeleteOnIdle.default).toBe('P10675199DT2H48M5.4775807S');
  expect(defaults.AutoDeleteOnIdle.description).toMatch(/ From PT5M to P10675199DT2H48M5\.4775807S\.$/);
});
