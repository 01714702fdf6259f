// Requests that the control interface refuses: each error names the value seen, and none is a fault of the emulator.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../../src/http/app.js';
import { messagesSchema } from '../../../src/http/control/control-schemas.js';
import type { HttpEngine } from '../../../src/http/http-context.js';
import {
  BASE,
  CONTROL,
  type ControlUnderTest,
  JSON_TYPE,
  openControlUnderTest,
} from '../support/control-under-test.js';
import { contextUnderTest } from '../support/http-context.js';

let control: ControlUnderTest;

beforeAll(async () => {
  control = await openControlUnderTest({ queues: ['orders'], topics: ['events'] });
});
afterEach(() => expect(control.faults).toEqual([]));
afterAll(() => control.stop());

const HUGE = '9'.repeat(400);
const MARKUP = '<script>alert(1)</script>';

describe('a query', () => {
  it.each([
    ['messages', 400, "'entity' is missing"],
    ['messages?entity=', 400, "'entity'"],
    ['messages?entity=orders&from=-1', 400, '\'from\' must be a sequence number, not "-1"'],
    [`messages?entity=orders&from=${HUGE}`, 400, "'from' must be a sequence number, not \"999"],
    ['messages?entity=orders&from=9007199254740993', 400, "'from' must be a sequence number"],
    ['messages?entity=orders&max=0', 400, '\'max\' must be a number from 1 to 250, not "0"'],
    ['messages?entity=orders&max=251', 400, "'max'"],
    ['messages?entity=orders&max=1e2', 400, "'max'"],
    [
      'messages?entity=orders&state=locked,activ',
      400,
      "'state' must be one of active, locked, scheduled, deferred, not \"activ\". Did you mean 'active'?",
    ],
    ['messages?entity=orders&state=asleep', 400, ', not "asleep".'],
    ['messages?entity=orders&sate=active', 400, 'sate'],
    ['messages?entity=orders&__proto__=1', 400, 'The query'],
    ['messages?entity=orders&entity=events', 400, "'entity' twice"],
    ['info?x=1', 400, 'x'],
    ['messages/abc?entity=orders', 400, "'abc' is not a sequence number"],
    [`messages/${HUGE}?entity=orders`, 400, 'is not a sequence number'],
    ['messages?entity=nothing', 404, 'nothing'],
    [`entity?entity=${encodeURIComponent(MARKUP)}`, 404, MARKUP],
    ['sessions?entity=orders', 400, 'session'],
    ['nothing', 404, 'openapi.json'],
    ['/$jitney', 404, '/$jitney'],
    ['/$jitney/v2/info', 404, 'v2'],
  ])('%s is refused with %i', async (path, status, said) => {
    const refused = await control.refused(path);
    expect(refused.status).toBe(status);
    expect(refused.message).toContain(said);
    expect(refused.message.length).toBeLessThan(700);
  });

  it('names the methods of a call that another one was tried on', async () => {
    const response = await control.fetch('messages', { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, POST']);
  });
});

describe('a body', () => {
  it.each([
    ['{', 400, 'must be JSON'],
    ['', 400, 'The body is empty; send a message'],
    ['7', 400, 'must be an object, not'],
    ['null', 400, 'must be an object, not'],
    ['[[]]', 400, 'must be an object, not'],
    ['{"bodi":"x"}', 400, 'bodi'],
    ['{"__proto__":{"body":"x"}}', 400, '__proto__'],
    ['{"messageId":7}', 400, "'messageId'"],
    ['{"timeToLiveMs":-1}', 400, "'timeToLiveMs'"],
    ['{"timeToLiveMs":1e999}', 400, "'timeToLiveMs'"],
    ['{"scheduledEnqueueTime":"tomorrow"}', 400, '"tomorrow"'],
    ['{"contentType":"plain\\u00fc"}', 400, 'ASCII'],
    ['{"body":"x","bodyBase64":"eA=="}', 400, 'both body and bodyBase64'],
    ['{"bodyBase64":"?"}', 400, "'bodyBase64'"],
    [
      '{"applicationProperties":{"__proto__":"x"}}',
      400,
      `'applicationProperties.__proto__' cannot be sent over this interface; send it by AMQP or give it another name, not "x"`,
    ],
    ['{"applicationProperties":{"a":{}}}', 400, "'applicationProperties.a'"],
    [
      '{"applicationProperties":{"a":{"type":"integer","value":1}}}',
      400,
      'the types are string, boolean, int, long, double, timestamp, uuid, symbol, char, ubyte, ushort, uint, ulong, byte, short, float, null, not {"type":"integer","value":1}.',
    ],
    ['{"applicationProperties":{"a":[1]}}', 400, "'applicationProperties.a'"],
    ['{"applicationProperties":{"a":{"type":"map","value":null}}}', 400, "'applicationProperties.a'"],
    ['{"applicationProperties":{"a":{"type":"int","value":2147483648}}}', 400, 'type int, not 2147483648'],
    ['{"applicationProperties":{"a":{"type":"long","value":"9223372036854775808"}}}', 400, 'of type long'],
    ['{"applicationProperties":{"a":{"type":"uuid","value":"no"}}}', 400, 'of type uuid'],
    ['{"applicationProperties":{"a":{"type":"timestamp","value":"no"}}}', 400, 'of type timestamp'],
    ['{"applicationProperties":{"a":{"type":"char","value":"ab"}}}', 400, 'of type char'],
    [`{"subject":"${'x'.repeat(70_000)}"}`, 403, '65536'],
    ['['.repeat(20_000) + ']'.repeat(20_000), 400, 'may have 100 levels of brackets and 100000 values'],
    [`{"body":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 400, 'as a text or as bodyBase64'],
    [`{"applicationProperties":{"a":[${'[],'.repeat(60_000)}1]}}`, 400, '100000 values, but has more'],
    [`{"body":"${'x'.repeat(300_000)}"}`, 403, 'exceeds'],
    [`{"body":"${'x'.repeat(3_000_000)}"}`, 403, 'larger than'],
  ])('number %# is refused', async (body, status, said) => {
    const refused = await control.refused('messages?entity=orders', {
      method: 'POST',
      headers: JSON_TYPE,
      body,
    });
    expect(refused.message).toContain(said);
    expect(refused.status).toBe(status);
  });

  it('may name a property like one of every object', async () => {
    const body = '{"applicationProperties":{"constructor":1}}';
    await control.fetch('messages?entity=orders', { method: 'POST', headers: JSON_TYPE, body });
    const { messages } = await control.get('messages?entity=orders', messagesSchema);
    expect(JSON.stringify(messages)).toContain('"constructor":{"type":"int","value":1}');
  });
});

describe('a page in a browser', () => {
  const foreign = { ...JSON_TYPE, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
  const post = (headers: Record<string, string>) =>
    control.fetch('messages?entity=orders', { method: 'POST', headers, body: '{}' });

  it.each([
    ['another site', { ...JSON_TYPE, 'sec-fetch-site': 'cross-site' }, 403],
    ['another port', { ...JSON_TYPE, 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' }, 403],
    ['an accepted origin', { ...JSON_TYPE, origin: 'https://app.example' }, 403],
    ['a file', { ...JSON_TYPE, origin: 'null' }, 403],
    ['a form', { 'content-type': 'text/plain' }, 415],
    ['a form with JSON in its parameters', { 'content-type': 'text/plain;application/json' }, 415],
    [
      'the interface itself',
      { ...JSON_TYPE, origin: 'http://localhost:5300', 'sec-fetch-site': 'same-origin' },
      200,
    ],
    ['no page', { 'content-type': 'application/json; charset=utf-8' }, 200],
  ])('of %s is answered %#', async (_, headers, status) => {
    expect((await post(headers)).status).toBe(status);
  });

  it('of another site may not even look', async () => {
    expect((await control.fetch('entities', { headers: foreign })).status).toBe(403);
    expect((await control.fetch('entities', { headers: { origin: 'http://localhost:3000' } })).status).toBe(
      200,
    );
  });

  it('may only look with --ui read-only, and try rules; programs may change', async () => {
    const topics = { topics: [{ name: 'notices', subscriptions: ['mail'] }], queues: ['orders'] };
    const readOnly = await openControlUnderTest(topics, { ...CONTROL, isReadOnlyPage: true });
    const page = { ...JSON_TYPE, origin: 'http://localhost:5300', 'sec-fetch-site': 'same-origin' };
    const init = (headers: Record<string, string>) => ({ method: 'POST', headers, body: '{}' });
    const refused = await readOnly.refused('messages?entity=orders', init(page));
    expect([refused.status, refused.code]).toEqual([403, 'read-only']);
    expect((await readOnly.fetch('entities', { headers: page })).status).toBe(200);
    expect((await readOnly.fetch('rules:test?entity=notices', init(page))).status).toBe(200);
    expect((await readOnly.fetch('messages?entity=orders', init(JSON_TYPE))).status).toBe(200);
    await readOnly.stop();
  });

  it('may do everything when the interface is opened to it', async () => {
    const open = await openControlUnderTest({ queues: ['orders'] }, { ...CONTROL, isOpenToOrigins: true });
    const init = { method: 'POST', headers: foreign, body: '{}' };
    expect((await open.fetch('messages?entity=orders', init)).status).toBe(200);
    await open.stop();
  });
});

it('no GET changes anything', async () => {
  const before = await control.get('messages?entity=orders', messagesSchema);
  for (const path of [
    'info',
    'entities',
    'entity?entity=orders',
    'locks?entity=orders',
    'messages/1?entity=orders',
  ])
    expect((await control.fetch(path)).status).toBe(200);
  expect(await control.get('messages?entity=orders', messagesSchema)).toEqual(before);
});

it('a missing entity is answered so, although no similar one can be looked for', async () => {
  const { engine } = control;
  const gone = new Error('the emulator has failed meanwhile');
  const failing: HttpEngine = {
    ask: (command) => (command.kind === 'list-entities' ? Promise.reject(gone) : engine.ask(command)),
    submit: (...given) => engine.submit(...given),
    openLink: (sink) => engine.openLink(sink),
    closeLink: (linkId) => engine.closeLink(linkId),
    resumeLink: (linkId) => engine.resumeLink(linkId),
    readMessage: (...given) => engine.readMessage(...given),
    readContent: (...given) => engine.readContent(...given),
  };
  const { context, faults } = contextUnderTest(failing, { control: CONTROL });
  const answer = await createApp(context)(new Request(`${BASE}entity?entity=ordres`));
  expect([answer.status, await answer.json()]).toEqual([
    ...[404, { error: { code: 'entity-not-found', message: expect.stringContaining('ordres') } }],
  ]);
  expect(faults).toEqual([gone]);
});
