// The front ends of a whole emulator over HTTP: the page for a browser, health for every Host, and what is said of a refused one.

import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { LogLevel } from '../src/config/options/log-options.js';
import { type Emulator, type EmulatorOptions, startEmulator } from '../src/emulator.js';
import { until } from './support/rhea-client.js';

const AS_BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const KEY = 'a-key-of-its-own';
const WITHOUT_DASHBOARD = { ui: 'off' } as const;

let emulator: Emulator | undefined;
afterEach(() => emulator?.stop());

async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  emulator = await startEmulator(options);
  return emulator;
}

type Asked = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly method?: string;
  readonly isSecure?: boolean;
};
type Answer = {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
};

async function ask({ port }: Emulator, asked: Asked = {}): Promise<Answer> {
  const { headers = {}, path = '/', method = 'GET', isSecure = false } = asked;
  const to = { host: '127.0.0.1', port, path, method, headers, agent: false };
  const asking = isSecure ? requestHttps({ ...to, rejectUnauthorized: false }) : requestHttp(to);
  asking.end();
  const [response]: IncomingMessage[] = await once(asking, 'response');
  if (response === undefined) throw new Error('there is no response');
  const text = (await response.setEncoding('utf8').toArray()).join('');
  return { status: response.statusCode, headers: response.headers, text };
}

/** The only thing on the page that is copied. */
function connectionStringOn({ text }: Answer): string | undefined {
  return /<pre>(.*)<\/pre>/.exec(text)?.[1];
}

test('without the dashboard a browser at / gets the connection string for the address it used', async () => {
  const running = await start(WITHOUT_DASHBOARD);
  for (const [host, endpoint] of [
    [`localhost:${running.port}`, `sb://localhost:${running.port}`],
    ['my-bus.localhost:15672', 'sb://my-bus.localhost:15672'],
    ['[fd00::7]:5300', 'sb://[fd00::7]:5300'],
    ['localhost', 'sb://localhost:80'],
  ] as const) {
    const answer = await ask(running, { headers: { ...AS_BROWSER, host } });
    expect(answer.status).toBe(200);
    expect(connectionStringOn(answer)).toBe(running.connectionString.replace(/sb:[^;]*/, endpoint));
  }
});

test('this page comes over TLS, too, and loads nothing from elsewhere', async () => {
  const running = await start(WITHOUT_DASHBOARD);
  const host = `localhost:${running.port}`;
  const { headers, text } = await ask(running, { headers: { ...AS_BROWSER, host }, isSecure: true });
  expect(text).toContain(running.connectionString);
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'cache-control': 'no-store',
  });
  expect(text).not.toMatch(/https?:|<script|<img|<link|url\(|@import/);
  const secure = await ask(running, { headers: { ...AS_BROWSER, host: 'localhost' }, isSecure: true });
  expect(connectionStringOn(secure)).toContain('sb://localhost:443;');
});

test('HEAD has the head of the page alone', async () => {
  const { status, headers, text } = await ask(await start(WITHOUT_DASHBOARD), {
    method: 'HEAD',
    headers: AS_BROWSER,
  });
  expect({ status, text }).toEqual({ status: 200, text: '' });
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
});

test('the page masks the key where keys are checked, and has one that everybody knows where they are not', async () => {
  const policies = [{ keyName: 'it&me', rights: ['Manage', 'Send', 'Listen'], primaryKey: KEY }] as const;
  const strict = await ask(await start({ auth: 'strict', policies, ...WITHOUT_DASHBOARD }), {
    headers: AS_BROWSER,
  });
  expect(strict.text).not.toContain(KEY);
  expect(connectionStringOn(strict)).toContain(
    'SharedAccessKeyName=it&#38;me;SharedAccessKey=&#60;key&#62;;',
  );
  await emulator?.stop();
  const open = await ask(await start({ policies, ...WITHOUT_DASHBOARD }), { headers: AS_BROWSER });
  expect(connectionStringOn(open)).toContain('SharedAccessKey=SAS_KEY_VALUE;');
  expect(open.text).not.toContain(KEY);
});

test('a host that is no plain name does not come into the page', async () => {
  const running = await start(WITHOUT_DASHBOARD);
  const answer = await ask(running, { headers: { ...AS_BROWSER, host: 'a<b>.localhost' } });
  expect(connectionStringOn(answer)).toContain(`sb://localhost:${running.port};`);
  expect(answer.text).not.toContain('a<b>');
});

test.each<[string, Asked, number, string]>([
  ['a program without a token', { headers: { accept: '*/*' } }, 401, 'MissingToken'],
  ['the SDK', { headers: { ...AS_BROWSER, authorization: 'Bearer any' } }, 200, 'Publicly Listed Services'],
  ['a call of a version', { path: '/?api-version=2021-05', headers: AS_BROWSER }, 401, 'MissingToken'],
  ['a browser elsewhere', { path: '/orders', headers: AS_BROWSER }, 401, 'MissingToken'],
  ['a form', { method: 'POST', headers: AS_BROWSER }, 401, 'MissingToken'],
])('%s gets no page', async (_, asked, status, word) => {
  const answer = await ask(await start(), asked);
  expect(answer.status).toBe(status);
  expect(answer.text).toContain(word);
  expect(answer.headers['content-type']).not.toContain('html');
});

test('a look at / without a token is told of the page; a call of a version, and one of an entity, are not', async () => {
  const running = await start();
  const textOf = async (path: string) => (await ask(running, { path, headers: { accept: '*/*' } })).text;
  expect(await textOf('/')).toContain('The page of this emulator is at this address in a browser.');
  for (const path of ['/?api-version=2021-05', '/$namespaceinfo', '/$Resources/queues', '/orders'])
    expect(await textOf(path)).not.toContain('in a browser');
});

test('health is answered for a Host that is refused everywhere else, and the refusal is logged', async () => {
  const log: string[] = [];
  const running = await start({ log: (level, text) => log.push(`${level}: ${text}`) });
  const headers = { ...AS_BROWSER, host: 'probe.example' };
  for (const path of ['/health', '/livez', '/readyz']) {
    expect((await ask(running, { path, headers })).text).toBe(
      '{"status":"healthy","message":"Service is healthy."}',
    );
  }
  expect(log).toEqual([]);
  expect((await ask(running, { headers })).status).toBe(403);
  expect(log).toEqual([
    expect.stringMatching(/^warn: A request was refused: .* --allow-host probe\.example$/),
  ]);
});

test.each(['/$jitney/v1/info', '/%24jitney/v1/info'])(
  '%s tells the ports and the options, without keys',
  async (path) => {
    const policies = [{ keyName: 'it', rights: ['Manage', 'Send', 'Listen'], primaryKey: KEY }] as const;
    const running = await start({ policies, tier: 'premium', allowedHosts: ['a.test'] });
    const { status, text } = await ask(running, { path });
    expect(status).toBe(200);
    const { ports, settings } = JSON.parse(text);
    expect(ports).toMatchObject({ port: running.port });
    expect(settings).toMatchObject({ tier: 'premium', allowedHosts: ['a.test'] });
    expect(JSON.stringify(settings)).not.toContain(KEY);
  },
);

test('the control interface is not there when it is switched off', async () => {
  const { status, text } = await ask(await start({ control: false }), { path: '/$jitney/v1/info' });
  expect(status).toBe(404);
  expect(text).toContain('--no-control');
});

test('pages of an accepted origin use the control interface only if it is opened to them', async () => {
  const asked = { path: '/$jitney/v1/info', headers: { origin: 'https://app.test' } };
  const closed = await ask(await start({ allowedOrigins: ['https://app.test'] }), asked);
  expect([closed.status, JSON.parse(closed.text).error.code]).toEqual([403, 'foreign-page']);
  await emulator?.stop();
  expect((await ask(await start({ allowedOrigins: ['https://app.test', '$jitney'] }), asked)).status).toBe(
    200,
  );
});

test('changes over the control interface are recorded as requests; looks are not, which would push out the rest', async () => {
  const { port, events } = await start({ queues: ['orders'] });
  const origin = `http://127.0.0.1:${port}/$jitney/v1`;
  const headers = { 'content-type': 'application/json' };
  for (const path of ['info', 'entities', 'messages?entity=orders'])
    await (await fetch(`${origin}/${path}`)).text();
  await (await fetch(`${origin}/messages?entity=orders`, { method: 'POST', headers, body: '{}' })).text();
  const requests = () => events.since().filter(({ kind }) => kind === 'http-request');
  await until(() => requests().length > 0, 'recorded');
  expect(requests()).toMatchObject([{ method: 'POST', path: '/$jitney/v1/messages', status: 200 }]);
});

describe('the log of an emulator in a program', () => {
  type Line = Parameters<NonNullable<EmulatorOptions['log']>>;

  /** The lines of a client that says that it speaks AMQP, and no more. */
  async function linesAt(logLevel: LogLevel): Promise<Line[]> {
    const lines: Line[] = [];
    const running = await start({ logLevel, log: (...line) => lines.push(line) });
    const socket = connect(running.port, '127.0.0.1');
    socket.write(Buffer.from('414d515000010000', 'hex'));
    await once(socket, 'data');
    socket.destroy();
    await running.stop();
    return lines;
  }

  test('has the frames at trace, with what they are', async () => {
    const header = { kind: 'frame', connectionId: 1, channel: undefined, performative: undefined };
    expect((await linesAt('trace')).filter(([level]) => level === 'trace')).toEqual([
      [
        'trace',
        'received    1 protocol header AMQP 1.0.0',
        { ...header, direction: 'received', payloadBytes: 0 },
      ],
      [
        'trace',
        'sent        1 protocol header AMQP 1.0.0',
        { ...header, direction: 'sent', payloadBytes: 0 },
      ],
    ]);
  });

  test('has none at debug', async () => {
    expect((await linesAt('debug')).filter(([level]) => level === 'trace')).toEqual([]);
  });

  test('shows bodies at debug if they are asked for', async () => {
    for (const logBodies of [true, false]) {
      const lines: Line[] = [];
      const log = (...line: Line) => lines.push(line);
      const running = await start({ queues: ['orders'], logLevel: 'debug', logBodies, log });
      await fetch(`http://127.0.0.1:${running.port}/orders/messages`, {
        method: 'POST',
        headers: { authorization: 'SharedAccessSignature any', 'content-type': 'text/plain' },
        body: 'the body',
      });
      await running.stop();
      const line = lines.find(([, , details]) => details?.kind === 'enqueued');
      expect(line?.[0]).toBe('debug');
      expect(line?.[1].includes('body "the body"')).toBe(logBodies);
    }
  });
});
