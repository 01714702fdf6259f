// Rights on the control interface: the namespace's Manage, or an entity's Manage for that entity's own messages.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeAuthorizationRule } from '../../../src/broker/contract/entities/authorization-rule.js';
import { describeQueue } from '../../../src/broker/contract/entities/queue-description.js';
import { createApp, type Handle } from '../../../src/http/app.js';
import { historySchema } from '../../../src/http/control/control-schemas.js';
import { ActivityStream } from '../../../src/watch/activity-stream.js';
import {
  HOST,
  type Level,
  openSecuredEmulator,
  type PolicyRight,
  policiesOf,
  type SecuredEmulator,
  sasToken,
} from '../../security/support/secured-emulator.js';
import { CONTROL, JSON_TYPE, openControlUnderTest } from '../support/control-under-test.js';
import { contextUnderTest } from '../support/http-context.js';

let emulator: SecuredEmulator;
let handle: Handle;
let activity: ActivityStream;

const NO_CONNECTIONS = { list: () => [], endConnection: () => false, endLink: () => false };

beforeAll(async () => {
  emulator = await openSecuredEmulator();
  const { engine, authorizer } = emulator;
  activity = new ActivityStream(engine, () => 0);
  const control = { ...CONTROL, connections: NO_CONNECTIONS, activity };
  const { startTimer } = emulator.timers;
  const given = { control, activity, authorizer, now: () => emulator.nowMs, startTimer };
  handle = createApp(contextUnderTest(engine, given).context);
});
afterAll(() => emulator.stop());

const BODIES = [
  ['messages:purge', '{}'],
  ['messages:import', '{}'],
  ['messages:resubmit', '{"state":["active"]}'],
  ['messages:', '{"sequenceNumbers":[99]}'],
  ['locks:', '{"sequenceNumbers":[99]}'],
  ['connections:', '{"connectionId":99}'],
  ['links:', '{"linkId":99}'],
  ['entities', '{"type":"subscription","path":"missing/Subscriptions/x"}'],
  ['entity', '{"properties":{}}'],
] as const;

/** The answer's status, with this token or none. */
async function statusOf(call: string, authorization?: string): Promise<number> {
  const [method = '', path = ''] = call.split(' ');
  const headers = { ...JSON_TYPE, ...(authorization === undefined ? {} : { authorization }) };
  const body =
    method === 'POST' || method === 'PUT'
      ? (BODIES.find(([start]) => path.startsWith(start))?.[1] ?? '{}')
      : null;
  const request = new Request(`http://${HOST}:5300${path.startsWith('/') ? '' : '/$jitney/v1/'}${path}`, {
    method,
    headers,
    body,
  });
  const response = await handle(request);
  await response.body?.cancel(); // events have no end
  return response.status;
}

const OF_NAMESPACE = [
  ...[
    'GET info',
    'GET entities',
    'GET openapi.json',
    'GET /metrics',
    'GET connections',
    'GET events',
    'GET search?text=x',
  ],
  ...['POST connections:end', 'POST links:end', 'POST reset', 'DELETE entity?entity=orders/99'],
  'POST entities',
];
const OF_ENTITY: Readonly<Record<'orders' | 'news' | 'other', readonly string[]>> = {
  orders: [
    'GET entity?entity=orders',
    'PUT entity?entity=orders',
    'POST messages?entity=orders',
    'GET messages?entity=orders',
    'GET messages?entity=ORDERS/$DeadLetterQueue',
    'GET locks?entity=orders',
    'GET messages/99?entity=orders',
    ...['delete', 'dead-letter', 'resubmit', 'activate', 'purge', 'import'].map(
      (what) => `POST messages:${what}?entity=orders`,
    ),
    'POST locks:end?entity=orders',
    'GET history?entity=orders&sequenceNumber=1',
    'GET events?entity=orders/$DeadLetterQueue',
    'GET search?entity=orders&text=x',
  ],
  news: [
    'GET entity?entity=news',
    'GET messages?entity=news/Subscriptions/all',
    'POST rules:test?entity=news',
    'GET rules?entity=news/Subscriptions/all',
    'PUT rules?entity=news/Subscriptions/all&rule=$Default',
    'DELETE rules?entity=news/Subscriptions/all&rule=/99',
    'GET events?entity=News/Subscriptions/all',
    'GET search?entity=news/Subscriptions/all&text=x',
  ],
  other: [
    'GET messages?entity=other',
    'GET messages?entity=orders/archive',
    'GET events?entity=orders/archive',
  ],
};
const statusWithRight = (call: string) => (/\/99|POST entities/.test(call) ? 404 : 200);
const LEVELS: readonly Level[] = ['namespace', 'orders', 'news'];
const RIGHTS: readonly PolicyRight[] = ['manage', 'send', 'listen'];

describe('in strict mode', () => {
  it.each(LEVELS.flatMap((level) => RIGHTS.map((right) => [right, level] as const)))(
    'the policy with %s of %s opens what Manage there opens, and else nothing',
    async (right, level) => {
      const token = sasToken({
        keyName: `${right}-${level}`,
        audience: `sb://${HOST}/${level === 'namespace' ? '' : level}`,
      });
      const mayManage = right === 'manage';
      for (const call of OF_NAMESPACE) {
        expect([call, await statusOf(call, token)]).toEqual([
          call,
          mayManage && level === 'namespace' ? statusWithRight(call) : 401,
        ]);
      }
      for (const [entity, calls] of Object.entries(OF_ENTITY)) {
        const isOpen = mayManage && (level === 'namespace' || level === entity);
        for (const call of calls)
          expect([call, await statusOf(call, token)]).toEqual([call, isOpen ? statusWithRight(call) : 401]);
      }
    },
  );

  it.each([
    ...OF_NAMESPACE,
    ...OF_ENTITY.orders,
    'GET nothing',
    'DELETE info',
    'GET messages?entity=missing',
  ])('%s without a token is refused', async (call) => {
    expect(await statusOf(call)).toBe(401);
  });

  it('forwarding to an entity needs Send of it, and a deletion Manage of the namespace', async () => {
    const authorization = sasToken({ keyName: 'manage-orders', audience: `sb://${HOST}/orders` });
    const headers = { ...JSON_TYPE, authorization };
    const url = `http://${HOST}:5300/$jitney/v1/entity?entity=orders`;
    const body = JSON.stringify({ properties: { forwardTo: 'other' } });
    const refused = await handle(new Request(url, { method: 'PUT', headers, body }));
    expect([refused.status, await refused.json()]).toMatchObject([
      401,
      { error: { message: expect.stringContaining("'Send'") } },
    ]);
    expect((await handle(new Request(url, { method: 'DELETE', headers }))).status).toBe(401);
  });

  it('a move needs Manage of the entity that it goes to as well', async () => {
    const move = async (to: string, token: string) => {
      const body = JSON.stringify({ sequenceNumbers: [99], to });
      const headers = { ...JSON_TYPE, authorization: token };
      const url = `http://${HOST}:5300/$jitney/v1/messages:move?entity=orders`;
      return (await handle(new Request(url, { method: 'POST', headers, body }))).status;
    };
    const ofOrders = sasToken({ keyName: 'manage-orders', audience: `sb://${HOST}/orders` });
    const ofAll = sasToken({ keyName: 'manage-namespace', audience: `sb://${HOST}/` });
    expect([await move('other', ofOrders), await move('missing', ofOrders)]).toEqual([401, 401]);
    expect([await move('other', ofAll), await move('missing', ofAll)]).toEqual([200, 404]);
  });

  it('a resubmission to another entity than that of the collecting queue needs Manage of the namespace', async () => {
    const description = { ...describeQueue('source'), forwardDeadLetteredMessagesTo: 'orders' };
    await emulator.engine.ask({ kind: 'put-entity', type: 'queue', description });
    const ofOrders = sasToken({ keyName: 'manage-orders', audience: `sb://${HOST}/orders` });
    const ofAll = sasToken({ keyName: 'manage-namespace', audience: `sb://${HOST}/` });
    const post = async (call: string, body: string, authorization: string) => {
      const headers = { ...JSON_TYPE, authorization };
      const url = `http://${HOST}:5300/$jitney/v1/${call}`;
      return (await handle(new Request(url, { method: 'POST', headers, body }))).json();
    };
    await post('messages?entity=source', '{}', ofAll);
    await post('messages?entity=orders', '{}', ofAll);
    await post('messages:dead-letter?entity=source', '{"state":["active"]}', ofAll);
    await post('messages:dead-letter?entity=orders', '{"state":["active"]}', ofAll);

    const resubmit = (token: string) =>
      post('messages:resubmit?entity=orders/$DeadLetterQueue', '{"state":["active"]}', token);
    expect(await resubmit(ofOrders)).toMatchObject({
      count: 1,
      skipped: [{ code: 'not-allowed', message: expect.stringContaining("comes from 'source'; to put it") }],
    });
    expect(await resubmit(ofAll)).toMatchObject({ count: 1, skipped: [] });
  });

  const ofAll = { authorization: sasToken({ keyName: 'manage-namespace', audience: `sb://${HOST}/` }) };
  const urlOf = (call: string) => `http://${HOST}:5300/$jitney/v1/${call}`;
  const get = (call: string, headers: Record<string, string>) =>
    handle(new Request(urlOf(call), { headers }));
  const post = (call: string, body: object) => {
    const init = { method: 'POST', headers: { ...JSON_TYPE, ...ofAll }, body: JSON.stringify(body) };
    return handle(new Request(urlOf(call), init));
  };
  /** Reads the events one write at a time; undefined at their end. */
  const open = async (call: string, headers: Record<string, string>) => {
    const reader = (await get(call, headers)).body?.getReader();
    const next = async () => {
      const { value } = (await reader?.read()) ?? {};
      return value && new TextDecoder().decode(value);
    };
    expect(await next()).toBe(': connected\n\n');
    return next;
  };
  const readHistory = async (call: string, headers: Record<string, string>) =>
    historySchema.parse(await (await get(call, headers)).json());

  it("the history of a message shows an entity's key nothing of the entity it comes from", async () => {
    const ofNews = { authorization: sasToken({ keyName: 'manage-news', audience: `sb://${HOST}/news` }) };
    await post('messages?entity=other', { messageId: 'secret' });
    await post('messages:move?entity=other', { state: ['active'], to: 'news' });
    const call = 'history?entity=news/Subscriptions/all&sequenceNumber=1';
    const all = await readHistory(call, ofAll);
    expect(all.events.map(({ kind }) => kind)).toEqual(['enqueued', 'moved', 'accepted', 'routed']);
    expect(all.isComplete).toBe(true);
    const shown = await readHistory(call, ofNews);
    expect(shown.events.map(({ kind, path }) => [kind, path])).toEqual([
      ['accepted', 'news'],
      ['routed', 'news/Subscriptions/all'],
    ]);
    expect(shown.isComplete).toBe(false);
  });

  it('the events end when the token expires, and say behind which one to go on', async () => {
    const expiresAtMs = emulator.nowMs + 1200;
    const token = sasToken({ keyName: 'manage-orders', audience: `sb://${HOST}/orders`, expiresAtMs });
    const next = await open('events?entity=orders', { authorization: token });
    await post('messages?entity=orders', { messageId: 'early' });
    const [, id] = /^id: (\d+)\n.*"messageId":"early"/.exec((await next()) ?? '') ?? [];
    const end = next();
    emulator.advance(1200);
    expect(await end).toBe(`id: ${id}\nevent: ended\ndata: {"cause":"token-expired"}\n\n`);
    await post('messages?entity=orders', { messageId: 'late' });
    expect(await next()).toBe(undefined);
  });

  it("the events of an entity's key end when the entity is deleted, those of the namespace's do not", async () => {
    const policies = policiesOf('orders').map(({ keyName, ...rule }) =>
      describeAuthorizationRule(keyName, rule),
    );
    const { engine } = emulator;
    const put = (authorizationRules: typeof policies) =>
      engine.ask({
        kind: 'put-entity',
        type: 'queue',
        description: { ...describeQueue('passing'), authorizationRules },
      });
    await put(policies);
    const token = sasToken({ keyName: 'manage-orders', audience: `sb://${HOST}/passing` });
    const next = await open('events?entity=Passing/$DeadLetterQueue', { authorization: token });
    const nextOfAll = await open('events?entity=passing', ofAll);
    await engine.ask({ kind: 'delete-entity', entityPath: 'passing' });
    await put([]);
    await post('messages?entity=passing', {});
    expect(await next()).toMatch(/^id: \d+\nevent: ended\ndata: \{"cause":"entity-deleted"\}\n\n$/);
    expect(await next()).toBe(undefined);
    expect(await nextOfAll()).toContain('"entity-deleted"');
    expect(await nextOfAll()).toMatch(/"entity-created".*"enqueued"/s);
  });

  it('the hint at a missing entity names none to a key that may not list them', async () => {
    const ofNews = { authorization: sasToken({ keyName: 'manage-news', audience: `sb://${HOST}/news` }) };
    const hintFor = async (headers: Record<string, string>) => {
      const refused = await get('entity?entity=news/Subscriptions/al', headers);
      expect(refused.status).toBe(404);
      return ((await refused.json()) as { error: { hint?: string } }).error.hint;
    };
    expect(await hintFor(ofAll)).toBe("Did you mean 'news/Subscriptions/all'?");
    expect(await hintFor(ofNews)).toBe(undefined);
  });

  it("what an entity's key may not do besides is no refused request", async () => {
    activity.turnOn();
    const from = activity.nextId;
    const token = sasToken({ keyName: 'manage-news', audience: `sb://${HOST}/news` });
    const statuses = [];
    for (const call of [
      'GET history?entity=news&sequenceNumber=1',
      'POST messages:resubmit?entity=news/Subscriptions/all/$DeadLetterQueue',
      'GET entity?entity=news/Subscriptions/al',
      'GET entities',
    ]) {
      statuses.push(await statusOf(call, token));
    }
    expect(statuses).toEqual([200, 200, 404, 401]);
    const refused = [...activity.since(from)].filter(({ kind }) => kind === 'request-refused');
    expect(refused).toEqual([expect.objectContaining({ path: '$jitney/v1/entities', status: 401 })]);
  });

  it('a token for one entity does not open another, though its policy would', async () => {
    const token = sasToken({ audience: `sb://${HOST}/orders` });
    expect(await statusOf('GET messages?entity=orders', token)).toBe(200);
    expect(await statusOf('GET messages?entity=other', token)).toBe(401);
    expect(await statusOf('GET entities', token)).toBe(401);
  });
});

it('while every key is accepted no token is needed', async () => {
  const control = await openControlUnderTest();
  expect((await control.fetch('entities')).status).toBe(200);
  await control.stop();
});

it('switched off it answers 404, and says so', async () => {
  const { context } = contextUnderTest(emulator.engine);
  const response = await createApp(context)(new Request(`http://${HOST}/$jitney/v1/info`));
  expect(response.status).toBe(404);
  expect(await response.text()).toContain('--no-control');
});
