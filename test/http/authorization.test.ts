// Strict authorization on HTTP: which policy may do what, and what whoever may not is told.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { describeQueue } from '../../src/broker/contract/entities/queue-description.js';
import { writeActivityLog } from '../../src/watch/activity-log.js';
import {
  HOST,
  type Level,
  openSecuredEmulator,
  type PolicyRight,
  type SecuredEmulator,
  START_MS,
  sasToken,
} from '../security/support/secured-emulator.js';

type Operation = {
  readonly method: string;
  readonly path: string;
  readonly level: Level | 'other' | 'namespace';
  readonly needs: PolicyRight;
  readonly status: number;
  /** The name that the service has for it, where it is about a subscription or a rule. */
  readonly operation?: string;
};

const LEVELS: readonly Level[] = ['namespace', 'orders', 'news'];
const RIGHTS: readonly PolicyRight[] = ['manage', 'send', 'listen'];
const NO_TOKEN = 'orders/messages/1/00000000-0000-0000-0000-000000000000';

const OPERATIONS: readonly Operation[] = [
  { method: 'POST', path: 'orders/messages', level: 'orders', needs: 'send', status: 201 },
  { method: 'POST', path: 'news/messages', level: 'news', needs: 'send', status: 201 },
  { method: 'POST', path: 'other/messages', level: 'other', needs: 'send', status: 201 },
  {
    method: 'POST',
    path: 'orders/$DeadLetterQueue/messages/head?timeout=0',
    level: 'orders',
    needs: 'listen',
    status: 204,
  },
  {
    method: 'DELETE',
    path: 'orders/$DeadLetterQueue/messages/head?timeout=0',
    level: 'orders',
    needs: 'listen',
    status: 204,
  },
  {
    method: 'DELETE',
    path: 'news/Subscriptions/all/$DeadLetterQueue/messages/head?timeout=0',
    level: 'news',
    needs: 'listen',
    status: 204,
  },
  { method: 'PUT', path: NO_TOKEN, level: 'orders', needs: 'listen', status: 404 },
  { method: 'GET', path: 'orders', level: 'orders', needs: 'manage', status: 200 },
  {
    method: 'GET',
    path: 'news/Subscriptions',
    level: 'news',
    needs: 'manage',
    status: 200,
    operation: 'EnumerateSubscriptions',
  },
  ...(
    [
      ['GET', 404, 'GetSubscription'],
      ['PUT', 400, 'CreateOrUpdateSubscription'],
      ['DELETE', 404, 'DeleteSubscription'],
    ] as const
  ).map(([method, status, operation]): Operation => {
    return { method, path: 'news/Subscriptions/none', level: 'news', needs: 'manage', status, operation };
  }),
  {
    method: 'GET',
    path: 'news/Subscriptions/all/Rules/$Default',
    level: 'news',
    needs: 'manage',
    status: 200,
    operation: 'GetRule',
  },
  {
    method: 'DELETE',
    path: 'news/Subscriptions/all/Rules/none',
    level: 'news',
    needs: 'manage',
    status: 404,
    operation: 'DeleteRule',
  },
  { method: 'PUT', path: 'new', level: 'other', needs: 'manage', status: 400 },
  { method: 'DELETE', path: 'nothing', level: 'other', needs: 'manage', status: 404 },
  // An entity that has the name of a call.
  { method: 'DELETE', path: 'odd/messages/head', level: 'other', needs: 'manage', status: 200 },
  { method: 'GET', path: '$Resources/queues', level: 'namespace', needs: 'manage', status: 200 },
  { method: 'GET', path: '$namespaceinfo', level: 'namespace', needs: 'manage', status: 200 },
];

let emulator: SecuredEmulator;

beforeAll(async () => {
  emulator = await openSecuredEmulator();
});
afterAll(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

async function ask(method: string, path: string, authorization?: string) {
  const headers = authorization === undefined ? {} : { authorization };
  const request = new Request(`http://${HOST}:5300/${path}`, { method, headers });
  const response = await emulator.handle(request);
  const text = (await response.text()).replaceAll('&apos;', "'");
  return { status: response.status, statusText: response.statusText, text, headers: response.headers };
}

function mayDo({ level, needs }: Operation, policy: Level, right: PolicyRight): boolean {
  return (policy === 'namespace' || policy === level) && (right === 'manage' || right === needs);
}

/** Of whose policy the key is no key where it is used, that is told: which policies an entity has is nobody's business. */
function lacking({ method, path, level, needs, operation }: Operation, policy: Level): string {
  if (policy !== 'namespace' && policy !== level)
    return 'InvalidSignature: The token has an invalid signature.';
  if (operation !== undefined) {
    return `SubCode=40100: Unauthorized : Unauthorized access for '${operation}' operation on endpoint 'sb://${HOST}:5300/${path}'.`;
  }
  if (needs === 'manage') {
    const claim = { PUT: 'EntityWrite', DELETE: 'EntityDelete' }[method];
    return claim === undefined
      ? 'Manage,EntityRead claims required for this operation.'
      : `Authorization failed for specified action: Manage,${claim}.`;
  }
  const entity = path.replace(/\/messages.*$/, '').toLowerCase();
  const claim = needs === 'send' ? 'Send' : 'Listen';
  return `Unauthorized access. '${claim}' claim(s) are required to perform this operation. Resource: 'sb://${HOST}/${entity}'.`;
}

describe.each(LEVELS.flatMap((level) => RIGHTS.map((right) => ({ level, right }))))(
  'the policy "$right" of $level',
  ({ level, right }) => {
    test.each(OPERATIONS.map((operation) => ({ operation, is: mayDo(operation, level, right) })))(
      '$operation.method $operation.path: $is',
      async ({ operation, is }) => {
        const { method, path, status } = operation;
        await emulator.engine.ask({
          kind: 'put-entity',
          type: 'queue',
          description: describeQueue('odd/messages/head'),
        });
        const audience = `sb://${HOST}/${level === 'namespace' ? '' : level}`;
        const answer = await ask(method, path, sasToken({ keyName: `${right}-${level}`, audience }));
        expect(answer.status).toBe(is ? status : 401);
        if (is) return;
        expect(answer.text).toMatch(/^<Error><Code>401<\/Code><Detail>/);
        const why = lacking(operation, level);
        expect(answer.text).toContain(`<Detail>${why} TrackingId:`);
        expect(answer.statusText).toBe(why.startsWith('SubCode=') ? why : '');
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      },
    );
  },
);

test.each([
  `http://${HOST}:5300/orders?api-version=2021-05&enrich=false`,
  `https://${HOST.toUpperCase()}/ORDERS/`,
  `http://${HOST}/`,
  `${HOST}/orders`,
])('a token for %s, as administration clients write it, is for the queue', async (audience) => {
  expect((await ask('GET', 'orders?api-version=2021-05&enrich=false', sasToken({ audience }))).status).toBe(
    200,
  );
});

test.each([`http://${HOST}/orders/messages/head`, `http://${HOST}/orders/messages`])(
  'a token for %s is accepted for what it names',
  async (audience) => {
    const token = sasToken({ audience, keyName: 'listen-orders' });
    expect((await ask('POST', 'orders/messages/head?timeout=0', token)).status).not.toBe(401);
  },
);

test('without the right to read queues and topics, a missing one is still answered with an empty feed', async () => {
  const reader = sasToken({ keyName: 'listen-namespace' });
  const untracked = ({ status, text }: Awaited<ReturnType<typeof ask>>) => [
    status,
    text.replace(/<id>.*/, ''),
  ];
  const withManage = untracked(await ask('GET', 'nothing', sasToken()));
  expect(withManage).toEqual([200, expect.stringContaining('Publicly Listed Services')]);
  expect(untracked(await ask('GET', 'nothing', reader))).toEqual(withManage);
  expect((await ask('GET', 'orders', reader)).status).toBe(401);
});

test('the list of public services needs any valid token', async () => {
  const answer = await ask('GET', '', sasToken({ keyName: 'listen-namespace' }));
  expect(answer.status).toBe(200);
  expect((await ask('GET', '', sasToken({ key: 'wrong' }))).status).toBe(401);
  expect((await ask('GET', '')).status).toBe(401);
  expect((await ask('DELETE', '', sasToken({ keyName: 'listen-namespace' }))).status).toBe(401);
});

test.each([
  ['tampered with', sasToken().replace(/se=\d+/, 'se=9999999999'), 'InvalidSignature'],
  ['signed with a wrong key', sasToken({ key: 'wrong' }), 'InvalidSignature'],
  ['expired', sasToken({ expiresAtMs: START_MS - 1 }), 'ExpiredToken'],
  ['for another entity', sasToken({ audience: `sb://${HOST}/other` }), 'InvalidAudience'],
  ['for another host', sasToken({ audience: 'sb://elsewhere.example/' }), 'InvalidAudience'],
  ['oversized', `Bearer ${'x'.repeat(20_000)}`, 'MalformedToken'],
  ['no JSON Web Token', 'Bearer a.b.c', 'MalformedToken'],
  ['of a kind of long ago', 'WRAP access_token="x"', 'MalformedToken'],
  ['a bare key', 'c2VjcmV0IGtleQ==', 'MalformedToken'],
])('a token that is %s is refused with 401 and the reason', async (_, authorization, code) => {
  const answer = await ask('GET', 'orders', authorization);
  expect(answer.status).toBe(401);
  expect(answer.text).toContain(`<Detail>${code}: `);
});

describe('to forward to another entity', () => {
  let own: SecuredEmulator;
  beforeEach(async () => {
    own = await openSecuredEmulator();
  });
  afterEach(() => own.stop());

  const put = async (authorization: string, headers: Readonly<Record<string, string>> = {}) => {
    const forward = '<ForwardTo>sb://x/other</ForwardTo>';
    const body =
      '<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml">' +
      `<QueueDescription>${forward}</QueueDescription></content></entry>`;
    const request = new Request(`http://${HOST}/orders`, {
      ...{ method: 'PUT', body, headers: { authorization, 'if-match': '*', ...headers } },
    });
    return (await own.handle(request)).status;
  };
  const ofOrders = () => sasToken({ keyName: 'manage-orders', audience: `sb://${HOST}/orders` });

  test('the right to manage the source alone is not enough', async () => {
    expect(await put(ofOrders())).toBe(401);
    const listening = sasToken({ keyName: 'listen-namespace', audience: `sb://${HOST}/` });
    expect(await put(ofOrders(), { ServiceBusSupplementaryAuthorization: listening })).toBe(401);
    const ofDeadLetters = {
      ServiceBusDlqSupplementaryAuthorization: sasToken({ audience: `sb://${HOST}/` }),
    };
    expect(await put(ofOrders(), ofDeadLetters)).toBe(401);
  });

  test('a token of Entra without a scheme is enough if its role is to send', async () => {
    const request = { audience: 'https://servicebus.azure.net//', lifetimeMs: 60_000 };
    const roles = ['Azure Service Bus Data Sender'];
    const { text } = await own.entraTokens.issue({ ...request, roles }, own.nowMs);
    expect(await put(ofOrders(), { ServiceBusSupplementaryAuthorization: text })).toBe(200);
  });

  test('a token to send there is enough, or that of the call if it is valid for both', async () => {
    const sending = sasToken({ keyName: 'send-namespace', audience: `sb://${HOST}/` });
    expect(await put(ofOrders(), { ServiceBusSupplementaryAuthorization: sending })).toBe(200);
    expect(await put(sasToken({ keyName: 'manage-namespace', audience: `sb://${HOST}/` }))).toBe(200);
  });
});

test('a token of Entra gives the rights of its role', async () => {
  const request = { audience: 'https://servicebus.azure.net//', lifetimeMs: 60_000 };
  const roles = ['Azure Service Bus Data Sender'];
  const { text } = await emulator.entraTokens.issue({ ...request, roles }, emulator.nowMs);
  expect((await ask('POST', 'orders/messages', `Bearer ${text}`)).status).toBe(201);
  expect((await ask('GET', 'orders', `Bearer ${text}`)).text).toContain('Manage,EntityRead claims required');
});

test('a token of Entra may stand in its header without a scheme, as the Go SDK sends it', async () => {
  const request = { audience: 'https://servicebus.azure.net//', lifetimeMs: 60_000 };
  const { text } = await emulator.entraTokens.issue(request, emulator.nowMs);
  expect((await ask('GET', 'orders', text)).status).toBe(200);
  expect((await ask('GET', 'orders', `${text}x`)).text).toContain('<Detail>InvalidSignature: ');
  expect((await ask('GET', 'orders', text.replace('.', '_'))).text).toContain('<Detail>MalformedToken: ');
});

test('where any key is accepted, a wrong one is accepted with one hint', async () => {
  const lenient = await openSecuredEmulator('any');
  const headers = { authorization: sasToken({ key: 'wrong' }) };
  for (let time = 0; time < 2; time++) {
    const response = await lenient.handle(new Request(`http://${HOST}/orders`, { headers }));
    expect(response.status).toBe(200);
  }
  expect(lenient.hints).toHaveLength(1);
  expect(lenient.hints[0]).toContain('InvalidSignature');
  expect(lenient.hints[0]).toContain(
    "a token of policy 'manage-namespace' for 'http://jitney.example/orders'",
  );
  await lenient.stop();
});

test('the log says once for each client and cause why a request was refused, with a near name', async () => {
  const lines: string[] = [];
  const end = writeActivityLog(emulator.activity, {
    write: (_level, text) => lines.push(text),
    suggest: async (path) => ` Did you mean '${path}s'?`,
    startTimer: () => () => {},
  });
  for (let time = 0; time < 2; time++) {
    await ask('POST', 'orders/messages', sasToken({ key: 'wrong' }));
    await ask('POST', 'orders/messages');
    await ask('POST', 'order/messages', sasToken());
    await ask('DELETE', 'orders', sasToken({ keyName: 'send-namespace' }));
  }
  end();
  expect(lines).toEqual([
    "'orders' refused a POST of an HTTP client: 401: InvalidSignature: The token has an invalid signature.",
    expect.stringContaining("'orders' refused a POST of an HTTP client: 401: MissingToken: "),
    expect.stringMatching(/^'order' refused a POST of an HTTP client: 410: .* Did you mean 'orders'\?$/),
    "'orders' refused a DELETE of an HTTP client: 401: Authorization failed for specified action: Manage,EntityDelete.",
  ]);
});

test('who only asks whether an entity is there is not refused anything', async () => {
  const lines: string[] = [];
  const end = writeActivityLog(emulator.activity, {
    write: (_level, text) => lines.push(text),
    suggest: async (path) => ` Did you mean '${path}s'?`,
    startTimer: () => () => {},
  });
  for (const path of ['order', 'something-else']) await ask('GET', path, sasToken());
  await ask('POST', 'order/messages', sasToken());
  await expect.poll(() => lines.length).toBe(1);
  end();
  expect(lines).toEqual([expect.stringMatching(/^'order' refused a POST/)]);
});
