// What every request goes through, whatever it is about: its path, its token, and what happens when we fail.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ErrorReason, ServiceBusError } from '../../src/broker/contract/service-bus-error.js';
import { createApp } from '../../src/http/app.js';
import { administrationError, runtimeError, subCodeOf } from '../../src/http/error-response.js';
import type { HttpEngine } from '../../src/http/http-context.js';
import { contextUnderTest } from './support/http-context.js';
import { type HttpUnderTest, openHttpUnderTest } from './support/http-under-test.js';

const ASKED = { host: 'localhost', nextGuid: () => '0'.repeat(32) };

let http: HttpUnderTest;

beforeEach(async () => {
  http = await openHttpUnderTest({ queues: ['orders', 'a/b'] });
});

afterEach(async () => {
  expect(http.faults).toEqual([]);
  await http.stop();
});

test.each([
  'SharedAccessSignature sr=x&sig=y',
  'Bearer abc',
  'WRAP access_token="x"',
  'sharedaccesssignature sr=x',
])('a request with the credentials "%s" is answered', async (authorization) => {
  expect((await http.ask('GET', '/orders', { headers: { authorization } })).status).toBe(200);
});

test.each([
  ['', 'MalformedToken'],
  ['Basic abc', 'MalformedToken'],
  ['SharedAccessSignature', 'MalformedToken'],
])('the authorization "%s" is invalid: 401', async (authorization, word) => {
  const answer = await http.ask('GET', '/orders', { headers: { authorization } });
  expect(answer.status).toBe(401);
  expect(answer.valueOf('Detail')).toContain(word);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
});

test('a request without a token is not carried out', async () => {
  const handle = createApp(contextUnderTest(http.engine).context);
  const response = await handle(new Request('http://localhost/orders', { method: 'DELETE' }));
  expect(response.status).toBe(401);
  expect(await response.text()).toContain('MissingToken');
  expect((await http.ask('GET', '/orders')).status).toBe(200);
});

test.each(['/orders//x', '//orders', '/%zz', '/%C0%80'])('%s is an invalid path: 400', async (path) => {
  const answer = await http.ask('GET', path);
  expect(answer.status).toBe(400);
  expect(answer.valueOf('Code')).toBe('400');
});

test.each(['/orders', '/orders/', '/ORDERS?api-version=2021-05', '/x/../orders', '/a%2Fb', '/a/b'])(
  '%s is the path of a queue',
  async (path) => {
    expect((await http.ask('GET', path)).status).toBe(200);
  },
);

test('an error has a status and a sentence, and nothing of the request in it reads as markup', async () => {
  const answer = await http.ask('DELETE', '/%3Cb%3E&%22%00x');
  expect(answer.status).toBe(404);
  expect(answer.headers.get('content-type')).toBe('application/xml; charset=utf-8');
  expect(answer.text).toMatch(/^<Error><Code>404<\/Code><Detail>[^<]*<\/Detail><\/Error>$/);
  expect(answer.valueOf('Detail')).toMatch(
    /^The messaging entity 'sb:\/\/localhost:5300\/<b>&"\ufffdx' could not be found\. TrackingId:[\d-]{36}, /,
  );
});

test('an internal error is logged, and the client only learns that there was one', async () => {
  const fault = new Error('secret');
  const under = contextUnderTest({ ...engineMethods(), ask: () => Promise.reject(fault) });
  const response = await createApp(under.context)(
    new Request('http://localhost/orders', { headers: { authorization: 'Bearer x' } }),
  );
  expect(response.status).toBe(500);
  expect(await response.text()).not.toContain('secret');
  expect(under.faults).toEqual([fault]);
});

test.each<[ErrorReason, number, number]>([
  ['entity-not-found', 404, 410],
  ['entity-already-exists', 409, 409],
  ['entity-disabled', 400, 400],
  ['message-lock-lost', 400, 404],
  ['quota-exceeded', 403, 403],
  ['message-size-exceeded', 403, 403],
  ['argument', 400, 400],
  ['not-allowed', 400, 400],
  ['server-busy', 503, 503],
  ['internal', 500, 500],
])(
  '%s is status %i to the administration and %i to senders and receivers',
  (reason, administration, runtime) => {
    const error = new ServiceBusError(reason, 'Words.', { entityPath: 'orders' });
    expect(administrationError(error, ASKED, undefined).status).toBe(administration);
    expect(runtimeError(error, ASKED, 'orders').status).toBe(runtime);
  },
);

test.each<[ErrorReason, string]>([
  ['quota-exceeded', 'SubCode=40300. Words.'],
  ['argument', 'SubCode=40000. Words.'],
  ['entity-already-exists', 'SubCode=40900. Words.'],
  ['entity-disabled', 'Words.'],
])('the administration says of %s: %s', async (reason, words) => {
  const error = new ServiceBusError(reason, 'Words.', { entityPath: 'orders' });
  const text = await administrationError(error, ASKED, subCodeOf(reason)).text();
  expect(text).toContain(`<Detail>${words} TrackingId:`);
});

function engineMethods(): HttpEngine {
  const { engine } = http;
  return {
    ask: (command) => engine.ask(command),
    submit: (...given) => engine.submit(...given),
    openLink: (sink) => engine.openLink(sink),
    closeLink: (linkId) => engine.closeLink(linkId),
    resumeLink: (linkId) => engine.resumeLink(linkId),
    readMessage: (...given) => engine.readMessage(...given),
    readContent: (...given) => engine.readContent(...given),
  };
}
