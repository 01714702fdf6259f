// Entities as JSON: read with Azure's defaults, changed, written, and what is said about a wrong property.

import { describe, expect, test } from 'vitest';
import type { EntityType } from '../../src/broker/contract/entities/entity.js';
import { NEVER } from '../../src/broker/contract/instant.js';
import {
  changedEntity,
  entityProperties,
  newEntity,
  PROPERTIES_OF,
} from '../../src/description/described-entity.js';

const PATHS = { queue: 'orders', topic: 'events', subscription: 'events/Subscriptions/audit' } as const;
const TYPES = Object.keys(PATHS) as EntityType[];

test.each([
  ['ISO 8601', 'PT30S'],
  ['milliseconds', 30_000],
  ["a TimeSpan's text", '00:00:30'],
])('a duration is read from %s', (_, lockDuration) => {
  const { description } = newEntity('queue', 'orders', { lockDuration });
  expect(description).toMatchObject({ name: 'orders', lockDurationMs: 30_000, maxDeliveryCount: 10 });
});

test('names are read in any case, as Config.json writes them', () => {
  expect(newEntity('queue', 'orders', { LockDuration: 'PT5S' }).description).toMatchObject({
    lockDurationMs: 5000,
  });
});

test('a subscription is addressed below its topic', () => {
  expect(newEntity('subscription', PATHS.subscription, {})).toMatchObject({
    type: 'subscription',
    topicName: 'events',
    description: { name: 'audit', deadLetteringOnFilterEvaluationExceptions: true },
  });
});

test('a subscription may be a durable one of a JMS program, by its name [JMS-17]', () => {
  const { description } = newEntity('subscription', 'events/Subscriptions/kept$shop$D', {});
  expect(description.name).toBe('kept$shop$D');
  for (const name of ['kept$shop$ND', 'kept$shop', `${'k'.repeat(51)}$shop$D`]) {
    expect(() => newEntity('subscription', `events/Subscriptions/${name}`, {})).toThrow('must ');
  }
});

test('a partitioned topic does not support ordering unless it is told to', () => {
  const supports = (properties: object) =>
    entityProperties('topic', newEntity('topic', 'events', { ...properties }).description) as object;
  expect(supports({ enablePartitioning: true })).toMatchObject({ supportOrdering: false });
  expect(supports({ enablePartitioning: true, supportOrdering: true })).toMatchObject({
    supportOrdering: true,
  });
});

describe.each(TYPES)('a %s', (type) => {
  const { description } = newEntity(type, PATHS[type], {});

  test('is written by the names of the table, and read again as the same', () => {
    const written = entityProperties(type, description);
    const names = PROPERTIES_OF[type].map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(written)));
    expect(written).toMatchObject({
      defaultMessageTimeToLive: 'P10675199DT2H48M5.4775807S',
      status: 'Active',
    });
    expect(newEntity(type, PATHS[type], written).description).toEqual(description);
  });

  test('goes back to its defaults by null', () => {
    const changed = changedEntity(newEntity(type, PATHS[type], {}), {
      defaultMessageTimeToLive: 'PT1H',
      userMetadata: 'mine',
    });
    expect(changed.description).toMatchObject({
      defaultMessageTimeToLiveMs: 3_600_000,
      userMetadata: 'mine',
    });
    const back = changedEntity(changed, { defaultMessageTimeToLive: null, userMetadata: null });
    expect(back.description).toMatchObject({ defaultMessageTimeToLiveMs: NEVER });
    expect(entityProperties(type, back.description)).not.toHaveProperty('userMetadata');
  });
});

test('a change keeps everything else', () => {
  const before = newEntity('queue', 'orders', { lockDuration: 'PT5S', forwardTo: 'other' });
  const after = changedEntity(before, { maxDeliveryCount: 3 });
  expect(after).toEqual({ ...before, description: { ...before.description, maxDeliveryCount: 3 } });
});

test('the keys of authorization rules are read, and not written', () => {
  const rule = { keyName: 'sender', accessRights: ['Send'], primaryKey: 'secret' };
  const { description } = newEntity('queue', 'orders', { authorizationRules: [rule] });
  expect(description).toMatchObject({ authorizationRules: [{ rights: ['Send'], primaryKey: 'secret' }] });
  expect(entityProperties('queue', description)).toMatchObject({
    authorizationRules: [{ keyName: 'sender', accessRights: ['Send'] }],
  });
});

test.each<[EntityType, string, Readonly<Record<string, unknown>>, string]>([
  ['queue', 'orders', { lockDuration: 'PT6M' }, 'lockDuration must be at most PT5M, not "PT6M"'],
  ['queue', 'orders', { lockDuration: 0 }, 'lockDuration must be more than PT0S, not 0'],
  [
    ...(['queue', 'orders', { lockDuration: true }] as const),
    'lockDuration must be a duration such as "PT30S", or a whole number of milliseconds, not true',
  ],
  [
    ...(['queue', 'orders', { maxDeliveryCount: 0 }] as const),
    'maxDeliveryCount must be a whole number from 1 to 2147483647, not 0',
  ],
  ['queue', 'orders', { requiresSession: 'yes' }, 'requiresSession must be true or false, not "yes"'],
  [
    ...(['topic', 'events', { status: 'ReceiveDisabled' }] as const),
    'status must be one of Active, Disabled, SendDisabled, not "ReceiveDisabled"',
  ],
  [
    ...(['queue', 'orders', { lockDurationMs: 5 }] as const),
    'there is no property "lockDurationMs". Did you mean \'lockDuration\'?',
  ],
  ['topic', 'events', { maxDeliveryCount: 3 }, 'there is no property "maxDeliveryCount".'],
  [
    ...(['queue', 'or ders', { lockDuration: 'PT6M', maxDeliveryCount: 0 }] as const),
    'path must hold only A-Z, a-z, 0-9, "-", "_", ".", "~" and "/", with no part that is empty or has only dots, not "or ders"; ' +
      'lockDuration must be at most PT5M, not "PT6M"; maxDeliveryCount must be a whole number from 1 to 2147483647, not 0',
  ],
  [
    ...(['subscription', 'events/audit', {}] as const),
    'path must be the path of a subscription, such as "events/Subscriptions/audit", not "events/audit"',
  ],
])('of a %s %s with %o every problem is told', (type, path, properties, text) => {
  expect(() => newEntity(type, path, properties)).toThrow(expect.objectContaining({ message: text }));
});
