// Rights on the control interface: the namespace's Manage, or an entity's Manage for that entity's own messages.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ActivityStream } from '../../../src/activity/activity-stream.js';
import { describeQueue } from '../../../src/broker/entities/queue-description.js';
import { createApp, type Handle } from '../../../src/http/app.js';
import {
  HOST,
  type Level,
  openSecuredEmulator,
  type PolicyRight,
  type SecuredEmulator,
  sasToken,
} from '../../security/support/secured-emulator.js';
import { CONTROL, JSON_TYPE, openControlUnderTest } from '../support/control-under-test.js';
import { contextUnderTest } from '../support/http-context.js';

let emulator: SecuredEmulator;
let handle: Handle;

const NO_CONNECTIONS = { list: () => [], endConnection: () => false, endLink: () => false };

beforeAll(async () => {
  emulator = await openSecuredEmulator();
  const { engine, authorizer } = emulator;
  const activity = new ActivityStream(engine, () => 0);
  const control = { ...CONTROL, connections: NO_CONNECTIONS, activity };
  const given = { control, authorizer, now: () => emulator.nowMs };
  handle = createApp(contextUnderTest(engine, given).context);
});
afterAll(() => emulator.stop());

const BODIES = [
  ['messages:purge', '{}'],
  ['messages:', '{"sequenceNumbers":[99]}'],
  ['locks:', '{"sequenceNumbers":[99]}'],
  ['connections:', '{"connectionId":99}'],
  ['links:', '{"linkId":99}'],
] as const;

/** The answer's status, with this token or none. */
async function statusOf(call: string, authorization?: string): Promise<number> {
  const [method = '', path = ''] = call.split(' ');
  const headers = { ...JSON_TYPE, ...(authorization === undefined ? {} : { authorization }) };
  const body = method === 'POST' ? (BODIES.find(([start]) => path.startsWith(start))?.[1] ?? '{}') : null;
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
  ...['GET info', 'GET entities', 'GET openapi.json', 'GET /metrics', 'GET connections', 'GET events'],
  ...['POST connections:end', 'POST links:end', 'POST reset'],
];
const OF_ENTITY: Readonly<Record<'orders' | 'news' | 'other', readonly string[]>> = {
  orders: [
    'GET entity?entity=orders',
    'POST messages?entity=orders',
    'GET messages?entity=orders',
    'GET messages?entity=ORDERS/$DeadLetterQueue',
    'GET locks?entity=orders',
    'GET messages/99?entity=orders',
    ...['delete', 'dead-letter', 'resubmit', 'activate', 'purge'].map(
      (what) => `POST messages:${what}?entity=orders`,
    ),
    'POST locks:end?entity=orders',
    'GET history?entity=orders&sequenceNumber=1',
    'GET events?entity=orders/$DeadLetterQueue',
  ],
  news: [
    'GET entity?entity=news',
    'GET messages?entity=news/Subscriptions/all',
    'POST rules:test?entity=news',
    'GET events?entity=News/Subscriptions/all',
  ],
  other: [
    'GET messages?entity=other',
    'GET messages?entity=orders/archive',
    'GET events?entity=orders/archive',
  ],
};
const statusWithRight = (call: string) => (call.includes('/99') ? 404 : 200);
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
          mayManage && level === 'namespace' ? 200 : 401,
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
    await emulator.engine.ask({ kind: 'put-queue', description });
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
