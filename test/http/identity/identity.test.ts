// The identity endpoints: what each kind of program asks, and what it is answered.

import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeQueue } from '../../../src/broker/contract/entities/queue-description.js';
import {
  openSecuredEmulator,
  type SecuredEmulator,
  START_MS,
  sasToken,
} from '../../security/support/secured-emulator.js';

const RESOURCE = 'https://servicebus.azure.net/';
const QUERY = `resource=${encodeURIComponent(RESOURCE)}`;
const DAY_S = 86_400;
const TENANT = '11111111-2222-3333-4444-555555555555';

let emulator: SecuredEmulator;

beforeAll(async () => {
  emulator = await openSecuredEmulator();
});
afterAll(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

type Asking = { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string };

async function ask(path: string, asking: Asking = {}, origin = 'http://localhost:5300') {
  const response = await emulator.handle(new Request(`${origin}${path}`, asking));
  const text = await response.text();
  return { status: response.status, text, headers: response.headers };
}

describe.each<[string, string, Asking]>([
  ['App Service', `/msi/token?api-version=2019-08-01&${QUERY}`, { headers: { 'X-IDENTITY-HEADER': 'dev' } }],
  ['Azure Machine Learning', `/msi/token?api-version=2017-09-01&${QUERY}`, { headers: { secret: 'dev' } }],
  [
    'a virtual machine',
    `/metadata/identity/oauth2/token/?api-version=2018-02-01&${QUERY}`,
    { headers: { Metadata: 'true' } },
  ],
  [
    'Cloud Shell',
    '/msi/token',
    {
      method: 'POST',
      body: QUERY,
      headers: { Metadata: 'true', 'content-type': 'application/x-www-form-urlencoded' },
    },
  ],
])('as on %s', (_, path, asking) => {
  test('a program is given a token for a day that the emulator takes', async () => {
    const answer = await ask(path, asking);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { access_token: text, ...rest } = JSON.parse(answer.text);
    expect(rest).toEqual({
      expires_on: String(START_MS / 1000 + DAY_S),
      expires_in: String(DAY_S),
      resource: RESOURCE,
      token_type: 'Bearer',
    });
    expect(await emulator.entraTokens.verify(text, START_MS)).toMatchObject({
      rights: ['Manage', 'Send', 'Listen'],
    });
  });

  test('without such a header, which no web page can send, there is no token', async () => {
    const answer = await ask(path, { ...asking, headers: {} });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringContaining('header'),
    });
  });

  test('the resource must be named', async () => {
    const without = asking.body === undefined ? asking : { ...asking, body: 'x=y' };
    const answer = await ask(path.replace(QUERY, ''), without);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("'resource' is missing");
  });
});

test('the identity that a program asks for is in its token', async () => {
  const answer = await ask(`/msi/token?${QUERY}&client_id=mine`, { headers: { 'x-identity-header': 'dev' } });
  const { access_token: text, client_id: id } = JSON.parse(answer.text);
  expect(id).toBe('mine');
  expect(decodeJwt(text)).toMatchObject({ appid: 'mine' });
});

describe('an authority for programs with a secret or a federated token', () => {
  const FORM =
    'grant_type=client_credentials&client_id=mine&client_secret=s3cret&scope=https%3A%2F%2Fservicebus.azure.net%2F%2F.default';

  test.each([
    ['/adfs/.well-known/openid-configuration', '/adfs'],
    ['/dstsv2/adfs/v2.0/.well-known/openid-configuration?x=y', '/dstsv2/adfs'],
    [`/${TENANT}/v2.0/.well-known/openid-configuration`, `/${TENANT}`],
  ])('names its endpoints at %s by the host and the path that the client uses', async (path, authority) => {
    const answer = await ask(path, {}, 'https://localhost:5671');
    expect(JSON.parse(answer.text)).toMatchObject({
      issuer: `https://localhost:5671${authority}`,
      token_endpoint: `https://localhost:5671${authority}/oauth2/v2.0/token`,
      jwks_uri: `https://localhost:5671${authority}/discovery/keys`,
    });
  });

  test('is one for MSAL, which asks for ADFS at the host without its port', async () => {
    const query =
      'rel=http%3A%2F%2Fschemas.microsoft.com%2Frel%2Ftrusted-realm&resource=https%3A%2F%2Flocalhost';
    const answer = await ask(`/.well-known/webfinger?${query}`, {}, 'https://localhost');
    expect(JSON.parse(answer.text)).toEqual({
      subject: 'https://localhost',
      links: [{ rel: 'http://schemas.microsoft.com/rel/trusted-realm', href: 'https://localhost' }],
    });
  });

  test.each([
    '/adfs/oauth2/v2.0/token',
    '/adfs/oauth2/token',
    '/dstsv2/adfs/oauth2/v2.0/token',
    `/${TENANT}/oauth2/v2.0/token`,
  ])('gives a token for an hour at %s', async (path) => {
    const answer = await ask(path, { method: 'POST', body: FORM });
    const { access_token: text, ...rest } = JSON.parse(answer.text);
    expect(rest).toEqual({ token_type: 'Bearer', expires_in: 3599, ext_expires_in: 3599 });
    expect(decodeJwt(text)).toMatchObject({ aud: RESOURCE, appid: 'mine' });
    expect(await emulator.entraTokens.verify(text, START_MS)).toMatchObject({ kind: 'entra-access' });
  });

  test('is asked by Java with a path that is not resolved', async () => {
    const request = new Request('https://localhost/dstsv2/adfs/oauth2/v2.0/token', {
      method: 'POST',
      body: FORM,
    });
    const target = '/adfs/../dstsv2/adfs/oauth2/v2.0/token';
    expect((await emulator.handle(request, { headerNames: [], target })).status).toBe(200);
  });

  test('gives a token for the audience that Java names behind the scopes for sign-in', async () => {
    const body = new URLSearchParams(FORM);
    body.set('scope', 'openid profile offline_access https://servicebus.azure.net/.default');
    const answer = await ask('/adfs/oauth2/token', { method: 'POST', body: String(body) });
    expect(decodeJwt(JSON.parse(answer.text).access_token).aud).toBe('https://servicebus.azure.net');
  });

  test('refuses in the words of OAuth what it does not offer, such as a code for a device', async () => {
    const answer = await ask(`/${TENANT}/oauth2/v2.0/devicecode`, {
      method: 'POST',
      body: 'client_id=x&scope=y',
    });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({ error: 'invalid_request' });
  });

  test('shows the public half of its key, and no more', async () => {
    const { keys } = JSON.parse((await ask('/adfs/discovery/keys')).text);
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0]).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  });

  test.each([
    ['grant_type=password&client_id=x', "grant type 'password' is not supported"],
    ['grant_type=client_credentials&scope=x', "'client_id' is missing"],
    ['grant_type=client_credentials&client_id=x', "'scope' is missing"],
  ])('does not answer %s', async (body, why) => {
    const answer = await ask('/adfs/oauth2/v2.0/token', { method: 'POST', body });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(why);
  });

  test('reads no more of a form than a form has', async () => {
    const answer = await ask('/adfs/oauth2/v2.0/token', { method: 'POST', body: `x=${'x'.repeat(20_000)}` });
    expect(answer.status).toBe(413);
  });
});

test('other methods are answered with the ones that exist', async () => {
  const answer = await ask('/adfs/discovery/keys', { method: 'DELETE' });
  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')).toBe('GET');
});

test('a queue may be called msi/token: a call with a token of its own is about it', async () => {
  await emulator.engine.ask({ kind: 'put-entity', type: 'queue', description: describeQueue('msi/token') });
  const audience = 'sb://localhost/';
  const headers = { authorization: sasToken({ audience }) };
  const answer = await ask('/msi/token?api-version=2021-05', { headers });
  expect(answer.status).toBe(200);
  expect(answer.text).toContain('<QueueDescription');
  expect((await ask(`/msi/token?${QUERY}`, { headers: { 'x-identity-header': 'dev' } })).text).toContain(
    'access_token',
  );
});
