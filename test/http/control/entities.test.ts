// Entities and rules made, changed and removed over the control interface, and the state of a session.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import {
  createdSchema,
  entitySchema,
  sentSchema,
  sessionSchema,
} from '../../../src/http/control/control-schemas.js';
import { deletedSchema, ruleSchema, rulesSchema } from '../../../src/http/control/entity-schemas.js';
import { type ControlUnderTest, JSON_TYPE, openControlUnderTest } from '../support/control-under-test.js';

const EU = {
  name: 'eu',
  filter: {
    kind: 'correlation',
    subject: "it's",
    properties: { region: 'EU', total: { type: 'int', value: '3' } },
  },
  action: undefined,
} as const;
const RED = {
  name: 'red',
  filter: { kind: 'sql', expression: 'color = @c', parameters: { '@c': 'red' } },
  action: { kind: 'sql', expression: 'SET seen = 1' },
} as const;

let control: ControlUnderTest;

beforeEach(async () => {
  control = await openControlUnderTest({
    queues: ['orders', 'jobs?requiresSession=true'],
    topics: [{ name: 'events', subscriptions: ['all', { name: 'eu', rules: [EU, RED] }] }],
  });
});
afterEach(async () => {
  expect(control.faults).toEqual([]);
  await control.stop();
});

const initOf = (method: string, body?: unknown) => ({
  method,
  headers: JSON_TYPE,
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});

async function ask<Schema extends z.ZodType>(
  method: 'PUT' | 'DELETE',
  path: string,
  body: unknown,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const response = await control.fetch(path, initOf(method, body));
  expect(response.status).toBe(200);
  return schema.parse(await response.json());
}

describe('an entity', () => {
  it.each([
    [
      'queue',
      'invoices',
      { lockDuration: 'PT5S', forwardTo: 'orders' },
      { lockDuration: 'PT5S', forwardTo: 'orders' },
    ],
    ['topic', 'news', { defaultMessageTimeToLive: 60_000 }, { defaultMessageTimeToLive: 'PT1M' }],
    ['subscription', 'events/Subscriptions/audit', { maxDeliveryCount: 3 }, { maxDeliveryCount: 3 }],
  ])('of type %s is created with its properties', async (type, path, properties, shown) => {
    expect(await control.post('entities', { type, path, properties }, entitySchema)).toMatchObject({
      kind: type,
      path,
      properties: { ...shown, status: 'Active' },
    });
    expect(await control.refused('entities', initOf('POST', { type, path }))).toMatchObject({
      status: 409,
      code: 'entity-already-exists',
      message: `The messaging entity '${path}' already exists.`,
    });
  });

  it('shows every property that has a value', async () => {
    const { properties } = await control.get('entity?entity=events/Subscriptions/all', entitySchema);
    expect(properties).toEqual({
      lockDuration: 'PT1M',
      maxDeliveryCount: 10,
      requiresSession: false,
      defaultMessageTimeToLive: 'P10675199DT2H48M5.4775807S',
      deadLetteringOnMessageExpiration: false,
      deadLetteringOnFilterEvaluationExceptions: true,
      enableBatchedOperations: true,
      status: 'Active',
      autoDeleteOnIdle: 'P10675199DT2H48M5.4775807S',
    });
  });

  it('is changed in what the request names, and keeps its messages', async () => {
    await control.post('messages?entity=orders', { body: 'x' }, sentSchema);
    const change = { properties: { lockDuration: 'PT2M', userMetadata: 'mine' } };
    expect(await ask('PUT', 'entity?entity=orders', change, entitySchema)).toMatchObject({
      properties: { lockDuration: 'PT2M', userMetadata: 'mine', maxDeliveryCount: 10 },
      counts: { active: 1 },
    });
    const back = { properties: { lockDuration: null, userMetadata: null } };
    const { properties } = await ask('PUT', 'entity?entity=orders', back, entitySchema);
    expect(properties).toMatchObject({ lockDuration: 'PT1M' });
    expect(properties).not.toHaveProperty('userMetadata');
  });

  it('is deleted, and a topic with its subscriptions', async () => {
    expect(await ask('DELETE', 'entity?entity=events', undefined, deletedSchema)).toEqual({
      deleted: 'events',
    });
    expect((await control.fetch('entity?entity=events/Subscriptions/all')).status).toBe(404);
    expect(await control.refused('entity?entity=ordes', initOf('DELETE'))).toMatchObject({
      status: 404,
      hint: "Did you mean 'orders'?",
    });
  });

  it.each<[string, string, unknown, number, string, string | undefined]>([
    [
      ...([
        'POST',
        'entities',
        { type: 'queue', path: 'new', properties: { lockDuration: 'PT6M' } },
        400,
      ] as const),
      ...(['The body is not valid: lockDuration must be at most PT5M, not "PT6M".', undefined] as const),
    ],
    [
      ...(['POST', 'entities', { type: 'quue', path: 'new' }, 400] as const),
      ...([
        "The body is not valid: 'type' must be one of queue, topic, subscription, not \"quue\". Did you mean 'queue'?",
        undefined,
      ] as const),
    ],
    [
      ...(['POST', 'entities', { type: 'subscription', path: 'event/Subscriptions/x' }, 404] as const),
      ...(["The messaging entity 'event' could not be found.", "Did you mean 'events'?"] as const),
    ],
    [
      ...([
        'POST',
        'entities',
        { type: 'queue', path: 'new', properties: { forwardTo: 'ordrs' } },
        400,
      ] as const),
      "forwardTo of queue 'new' is 'ordrs', and there is no such queue or topic; create it first.",
      "Did you mean 'orders'?",
    ],
    [
      ...(['POST', 'entities', { type: 'topic', path: 'orders' }, 409] as const),
      ...(["The messaging entity 'orders' already exists.", undefined] as const),
    ],
    [
      ...(['PUT', 'entity?entity=orders', { properties: { requiresSession: true } }, 400] as const),
      'The value for the RequiresSession property of an existing Queue cannot be changed. ' +
        "requiresSession of 'orders' is false: delete it and create it anew.",
      undefined,
    ],
    [
      ...(['PUT', 'entity?entity=orders', { properties: { maxDeliveries: 3 } }, 400] as const),
      'The body is not valid: there is no property "maxDeliveries".',
      undefined,
    ],
    [
      ...(['PUT', 'entity?entity=odrers', { properties: {} }, 404] as const),
      ...(["The messaging entity 'odrers' could not be found.", "Did you mean 'orders'?"] as const),
    ],
  ])('is refused for %s %s with %j', async (method, path, body, status, message, hint) => {
    const refused = await control.refused(path, initOf(method, body));
    expect(refused).toMatchObject({ status, message });
    expect(refused.hint).toBe(hint);
  });
});

describe('rules', () => {
  const rules = async (name: string) =>
    (await control.get(`rules?entity=events/Subscriptions/${name}`, rulesSchema)).rules;

  it('are listed with their filters as SQL', async () => {
    expect(await rules('all')).toMatchObject([{ name: '$Default', filter: { type: 'true', text: '1=1' } }]);
    const createdTime = expect.stringMatching(/Z$/);
    expect(await rules('eu')).toEqual([
      {
        name: 'eu',
        filter: { type: 'correlation', text: "sys.Label = 'it''s' AND region = 'EU' AND total = 3" },
        createdTime,
      },
      {
        name: 'red',
        filter: { type: 'sql', text: 'color = @c', parameters: { '@c': "'red'" } },
        action: 'SET seen = 1',
        createdTime,
      },
    ]);
  });

  it.each([
    ['SQL', 'a = 1', { type: 'sql', text: 'a = 1' }],
    ['false', false, { type: 'false', text: '1=0' }],
    ['properties', { subject: 's' }, { type: 'correlation', text: "sys.Label = 's'" }],
  ])('are added with a filter that is %s', async (_, filter, shown) => {
    await control.post('rules?entity=events/Subscriptions/all', { name: 'mine', filter }, createdSchema);
    expect((await rules('all')).find(({ name }) => name === 'mine')?.filter).toEqual(shown);
  });

  it('are changed in what the request names', async () => {
    const at = 'rules?entity=events/Subscriptions/eu&rule=RED';
    expect(await ask('PUT', at, { filter: 'a = 1' }, ruleSchema)).toMatchObject({
      name: 'red',
      filter: { type: 'sql', text: 'a = 1' },
      action: 'SET seen = 1',
    });
    const changed = await ask('PUT', at, { action: null }, ruleSchema);
    expect(changed.filter.text).toBe('a = 1');
    expect(changed).not.toHaveProperty('action');
  });

  it('are removed', async () => {
    const at = 'rules?entity=events/Subscriptions/eu&rule=red';
    expect(await ask('DELETE', at, undefined, deletedSchema)).toEqual({ deleted: 'red' });
    expect((await rules('eu')).map(({ name }) => name)).toEqual(['eu']);
  });

  it.each([
    [
      'PUT',
      'rules?entity=events/Subscriptions/eu&rule=rde',
      {},
      404,
      "'events/Subscriptions/eu' has no rule 'rde'. Did you mean 'red'?",
    ],
    [
      'DELETE',
      'rules?entity=events/Subscriptions/eu&rule=blue',
      undefined,
      404,
      "'events/Subscriptions/eu' has no rule 'blue'.",
    ],
    [
      ...(['PUT', 'rules?entity=events/Subscriptions/eu&rule=red', { filter: "a = 'x" }, 400] as const),
      expect.stringMatching(
        /^The body is not valid: rule "red": the filter is invalid at line 1, column 5: /,
      ),
    ],
    [
      ...([
        'POST',
        'rules?entity=events/Subscriptions/eu',
        { name: 'x', filter: { label: 's' } },
        400,
      ] as const),
      expect.stringContaining('the filter has no property "label"'),
    ],
    ['PUT', 'rules?entity=orders&rule=red', {}, 400, expect.stringContaining('orders')],
  ])('are refused for %s %s', async (method, path, body, status, message) => {
    expect(await control.refused(path, initOf(method, body))).toMatchObject({ status, message });
  });
});

describe('a session', () => {
  async function setState(state: Uint8Array | undefined): Promise<void> {
    const { engine } = control;
    const sink = { perform: () => {}, dropped: () => {} };
    const linkId = engine.openLink(sink as never);
    const session = { sessionId: 's', connectionId: 1 };
    const receiver = { linkId, connectionId: 1, receiveMode: 'peek-lock', sessionId: 's' } as const;
    await engine.ask({ kind: 'accept-session', entityPath: 'jobs', ...receiver });
    await engine.ask({ kind: 'set-session-state', entityPath: 'jobs', session, state });
  }

  it.each([
    ['JSON', Buffer.from('{"step":2}'), { kind: 'json', value: { step: 2 } }],
    ['text', Buffer.from('half done'), { kind: 'text', text: 'half done' }],
    ['bytes', Uint8Array.of(0, 255), { kind: 'base64', base64: 'AP8=' }],
  ])('is shown with its state, decoded from %s', async (_, state, shown) => {
    await control.post('messages?entity=jobs', { sessionId: 's' }, sentSchema);
    await setState(state);
    expect(await control.get('session?entity=jobs&sessionId=s', sessionSchema)).toMatchObject({
      sessionId: 's',
      messageCount: 1,
      stateBytes: state.length,
      stateSetTime: expect.any(String),
      state: { section: 'data', sizeBytes: state.length, ...shown },
      holder: { connectionId: 1 },
    });
  });

  it('without a state has none, and another one does not exist', async () => {
    await control.post('messages?entity=jobs', { sessionId: 's' }, sentSchema);
    expect(await control.get('session?entity=jobs&sessionId=s', sessionSchema)).toEqual({
      ...{ sessionId: 's', messageCount: 1, lockedCount: 0 },
    });
    expect(await control.refused('session?entity=jobs&sessionId=r')).toMatchObject({
      status: 404,
      message: expect.stringContaining('\'jobs\' has no session "r"'),
    });
    expect((await control.refused('session?entity=orders&sessionId=r')).status).toBe(400);
  });
});
