// Every property of every kind of entity, through the SDK's administration client: created, read, changed, read, and read after a restart.

import type {
  CreateQueueOptions,
  CreateSubscriptionOptions,
  CreateTopicOptions,
  RuleProperties,
  ServiceBusAdministrationClient,
} from 'service-bus-beta';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  QUEUE_PROPERTIES,
  SUBSCRIPTION_PROPERTIES,
  TOPIC_PROPERTIES,
} from '../src/description/entity-properties.js';
import { administer } from './support/administration.js';
import { Jitney } from './support/jitney.js';
import { type TemporaryDirectory, temporaryDirectory } from './support/temporary-directory.js';

/** The first is not the default, and the second another one; it is left out of what is fixed at creation. */
type Values = { readonly first: unknown; readonly next?: unknown };

function rule(keyName: string, accessRights: readonly string[]) {
  return {
    claimType: 'SharedAccessKey',
    accessRights,
    keyName,
    primaryKey: `first key of ${keyName}`,
    secondaryKey: `second key of ${keyName}`,
  };
}

const VALUES: Readonly<Record<string, Values>> = {
  lockDuration: { first: 'PT45S', next: 'PT2M' },
  maxDeliveryCount: { first: 7, next: 2000 },
  maxSizeInMegabytes: { first: 2048, next: 5120 },
  maxMessageSizeInKilobytes: { first: 100, next: 200 },
  requiresSession: { first: true },
  requiresDuplicateDetection: { first: true },
  duplicateDetectionHistoryTimeWindow: { first: 'PT20S', next: 'P1D' },
  defaultMessageTimeToLive: { first: 'P14D', next: 'PT1M30S' },
  deadLetteringOnMessageExpiration: { first: true, next: false },
  deadLetteringOnFilterEvaluationExceptions: { first: false, next: true },
  enableBatchedOperations: { first: false, next: true },
  enablePartitioning: { first: true },
  enableExpress: { first: true, next: false },
  supportOrdering: { first: false, next: true },
  status: { first: 'Disabled', next: 'Active' },
  autoDeleteOnIdle: { first: 'PT1H', next: 'P366D' },
  forwardTo: { first: 'destination', next: 'other-destination' },
  forwardDeadLetteredMessagesTo: { first: 'destination', next: 'other-destination' },
  userMetadata: { first: 'a <text> & "more" of it', next: 'Grüße, 世界' },
  authorizationRules: {
    first: [rule('sender', ['Send'])],
    next: [rule('boss', ['Manage', 'Send', 'Listen']), rule('sender', ['Send', 'Listen'])],
  },
};

type Filter = RuleProperties['filter'];

const PROPERTIES = { text: 'x', number: 1.5, whole: 3, yes: true, at: new Date('2026-01-02T03:04:05.678Z') };

type Kind = {
  readonly names: readonly string[];
  create(name: string, options: object): Promise<object>;
  get(name: string): Promise<object>;
  /** All properties, one of them changed. */
  update(name: string, changed: object): Promise<object>;
};

let directory: TemporaryDirectory;
let jitney: Jitney;
let admin: ServiceBusAdministrationClient;

const KINDS: Readonly<Record<string, Kind>> = {
  queue: {
    names: QUEUE_PROPERTIES.map(({ name }) => name),
    create: (name, options) => admin.createQueue(name, options as CreateQueueOptions),
    get: (name) => admin.getQueue(name),
    update: async (name, changed) => admin.updateQueue({ ...(await admin.getQueue(name)), ...changed }),
  },
  topic: {
    names: TOPIC_PROPERTIES.map(({ name }) => name),
    create: (name, options) => admin.createTopic(name, options as CreateTopicOptions),
    get: (name) => admin.getTopic(name),
    update: async (name, changed) => admin.updateTopic({ ...(await admin.getTopic(name)), ...changed }),
  },
  subscription: {
    names: SUBSCRIPTION_PROPERTIES.map(({ name }) => name),
    create: (name, options) => admin.createSubscription('events', name, options as CreateSubscriptionOptions),
    get: (name) => admin.getSubscription('events', name),
    update: async (name, changed) =>
      admin.updateSubscription({ ...(await admin.getSubscription('events', name)), ...changed }),
  },
};

const CASES = Object.entries(KINDS).flatMap(([kind, { names }]) =>
  names.map((property) => ({ kind, property })),
);

beforeAll(async () => {
  directory = await temporaryDirectory();
  await start();
  await admin.createTopic('events');
  for (const queue of ['destination', 'other-destination']) await admin.createQueue(queue);
  for (const [kind, { create }] of Object.entries(KINDS)) await create(plainOf(kind), {});
});

afterAll(async () => {
  await jitney.stop();
  await directory[Symbol.asyncDispose]();
});

async function start(port = 0): Promise<void> {
  jitney = await Jitney.start({ dataDirectory: directory.path, port });
  admin = administer(jitney.connectionString);
}

async function restart(): Promise<void> {
  const { port } = jitney.address;
  await jitney.stop();
  await start(port);
}

async function listRules(): Promise<RuleProperties[]> {
  const found: RuleProperties[] = [];
  for await (const rule of admin.listRules('events', 'ruled')) found.push(rule);
  return found;
}

function kindOf(name: string): Kind {
  const kind = KINDS[name];
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  return kind;
}

function valuesOf(property: string): Values {
  const values = VALUES[property];
  if (values === undefined) throw new Error(`VALUES lacks ${property}: give it two values`);
  return values;
}

/** One of each kind with nothing but defaults. */
function plainOf(kind: string): string {
  return `plain-${kind}`;
}

/** Queues and topics share their names, and a subscription's has up to 50 characters. */
function nameFor(kind: string, property: string): string {
  return `${kind}-${property}`.slice(0, 50);
}

/** What is forwarded to is shown with the address. */
function shown(property: string, value: unknown): unknown {
  const { host, port } = jitney.address;
  return property.startsWith('forward') ? `sb://${host}:${port}/${value}` : value;
}

describe('each property', () => {
  test.each(CASES)(
    '$property of a $kind comes back as it was given and changed',
    async ({ kind, property }) => {
      const { create, get, update } = kindOf(kind);
      const { first, next } = valuesOf(property);
      const name = nameFor(kind, property);
      if (kind === 'queue') expect(await get('destination')).not.toMatchObject({ [property]: first });

      const created = await create(name, { [property]: first });
      expect(created).toMatchObject({ [property]: shown(property, first) });
      expect(await get(name)).toMatchObject({ [property]: shown(property, first) });
      if (next === undefined) return;
      expect(await update(name, { [property]: next })).toMatchObject({ [property]: shown(property, next) });
      expect(await get(name)).toMatchObject({ [property]: shown(property, next) });
    },
  );

  test('a property that is fixed at creation cannot be changed', async () => {
    const fixed = CASES.filter(({ property }) => valuesOf(property).next === undefined);
    expect(fixed.length).toBeGreaterThan(0);
    for (const { kind, property } of fixed) {
      const name = nameFor(kind, property);
      const change = kindOf(kind).update(name, { [property]: false });
      await expect(change).rejects.toThrow(`${property} of`);
      expect(await kindOf(kind).get(name)).toMatchObject({ [property]: true });
    }
  });

  test('rules of every kind come back, are changed, and are there after a restart', async () => {
    await admin.createSubscription('events', 'ruled');
    const rules: Readonly<Record<string, readonly [Filter, Filter, string | undefined]>> = {
      sql: [{ sqlExpression: 'a < 5' }, { sqlExpression: 'a > @b', sqlParameters: { '@b': 3 } }, 'SET x = 1'],
      correlation: [{ subject: 's', contentType: 'c' }, { applicationProperties: PROPERTIES }, undefined],
      either: [{ messageId: 'm' }, { sqlExpression: "b LIKE '%x'" }, 'REMOVE y'],
    };
    for (const [name, [first, next, sqlExpression]] of Object.entries(rules)) {
      await admin.createRule('events', 'ruled', name, first);
      const created = await admin.getRule('events', 'ruled', name);
      expect(created).toMatchObject({ name, filter: first, action: {} });
      const action = sqlExpression === undefined ? {} : { sqlExpression };
      await admin.updateRule('events', 'ruled', { ...created, filter: next, action });
      expect(await admin.getRule('events', 'ruled', name)).toMatchObject({ name, filter: next, action });
    }
    const before = await listRules();
    await restart();
    expect(await listRules()).toEqual(before);
    expect(before.map(({ name }) => name)).toEqual(['$Default', 'correlation', 'either', 'sql']);
  });

  test('all entities are there after a restart, with the same descriptions', async () => {
    const names = CASES.map(({ kind, property }) => ({ kind, name: nameFor(kind, property) }));
    const before = await Promise.all(names.map(({ kind, name }) => kindOf(kind).get(name)));
    await restart();
    const after = await Promise.all(names.map(({ kind, name }) => kindOf(kind).get(name)));
    expect(after.map(withoutResponse)).toEqual(before.map(withoutResponse));
    for (const [index, { property }] of CASES.entries()) {
      const { first, next = first } = valuesOf(property);
      expect(after[index]).toMatchObject({ [property]: shown(property, next) });
    }
  });
});

/** The SDK hangs the raw answer on what it gives. */
function withoutResponse(properties: object): object {
  return JSON.parse(JSON.stringify(properties)) as object;
}
