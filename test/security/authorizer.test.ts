// Which claim a token or a key makes, in strict mode and in the other, and what whoever runs the emulator is told.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ROOT_RULE } from '../../src/broker/contract/entities/authorization-rule.js';
import type { Claim, Refusal } from '../../src/security/access.js';
import { type AuthorizationMode, Authorizer } from '../../src/security/authorizer.js';
import {
  HOST,
  HOUR_MS,
  keyOf,
  openSecuredEmulator,
  type SasParts,
  type SecuredEmulator,
  START_MS,
  sasToken,
} from './support/secured-emulator.js';

let emulator: SecuredEmulator;

beforeEach(async () => {
  emulator = await openSecuredEmulator();
});
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

function check(token: string, path = 'orders'): Promise<Claim | Refusal> {
  return emulator.authorizer.check({ token, audience: `sb://${HOST}:5672/${path}` }, emulator.nowMs);
}

describe('a token', () => {
  test.each<[string, SasParts, string, readonly string[]]>([
    ['of the namespace', {}, 'orders', ['Manage', 'Send', 'Listen']],
    [
      'of the namespace for an entity',
      { audience: `sb://${HOST}/orders` },
      'orders',
      ['Manage', 'Send', 'Listen'],
    ],
    [
      'with another scheme, port and case',
      { audience: `HTTP://${HOST.toUpperCase()}:1/ORDERS` },
      'orders',
      ['Manage', 'Send', 'Listen'],
    ],
    [
      'for a topic, at a subscription of it',
      { audience: `sb://${HOST}/news`, keyName: 'listen-news' },
      'news/Subscriptions/all',
      ['Listen'],
    ],
    ['of a queue', { audience: `sb://${HOST}/orders`, keyName: 'send-orders' }, 'orders', ['Send']],
    [
      'of a queue for its dead-letter queue',
      { audience: `sb://${HOST}/orders`, keyName: 'listen-orders' },
      'orders/$DeadLetterQueue',
      ['Listen'],
    ],
    [
      'with the second key',
      { keyName: 'send-namespace', key: `other ${keyOf('send-namespace')}` },
      'orders',
      ['Send'],
    ],
    [
      'with the name of its policy in another case',
      { keyName: 'SEND-namespace', key: keyOf('send-namespace') },
      'orders',
      ['Send'],
    ],
  ])('%s gives the rights of its policy', async (_, parts, path, rights) => {
    expect(await check(sasToken(parts), path)).toMatchObject({
      kind: 'claim',
      rights,
      expiresAtMs: START_MS + HOUR_MS,
    });
  });

  test.each<[string, SasParts, string, string]>([
    ['with a wrong key', { key: 'wrong' }, 'orders', 'InvalidSignature'],
    ['with no key', { key: '' }, 'orders', 'InvalidSignature'],
    ['of a policy that is not there', { keyName: 'nobody' }, 'orders', 'InvalidSignature'],
    ['that has ended', { expiresAtMs: START_MS }, 'orders', 'ExpiredToken'],
    ['for another entity', { audience: `sb://${HOST}/other` }, 'orders', 'InvalidAudience'],
    ['for an entity whose name goes on', { audience: `sb://${HOST}/order` }, 'orders', 'InvalidAudience'],
    [
      'for a part of the audience',
      { audience: `sb://${HOST}/news/subscriptions/all` },
      'news',
      'InvalidAudience',
    ],
    ['for another host', { audience: 'sb://elsewhere.example/orders' }, 'orders', 'InvalidAudience'],
    [
      'of a queue for another',
      { keyName: 'send-orders', audience: `sb://${HOST}/other` },
      'other',
      'InvalidSignature',
    ],
    ['of a queue for the namespace', { keyName: 'send-orders' }, 'orders', 'InvalidAudience'],
    [
      'of a queue for one below its name',
      { keyName: 'send-orders', audience: `sb://${HOST}/orders` },
      'orders/archive',
      'InvalidSignature',
    ],
  ])('%s is refused', async (_, parts, path, code) => {
    expect(await check(sasToken(parts), path)).toMatchObject({ kind: 'refusal', code });
  });

  test.each([
    ['shared access signature', `${sasToken()}&x=${'x'.repeat(16 * 1024)}`],
    ['JSON Web Token', `a.b.${'c'.repeat(16 * 1024)}`],
  ])('that is a %s and too long is not even read', async (_, token) => {
    const refused = await check(token);
    expect(refused).toMatchObject({ code: 'MalformedToken' });
    expect(refused.kind === 'refusal' && refused.text).toContain('16384 is the limit');
  });

  test('that is neither a shared access signature nor a JSON Web Token is refused', async () => {
    const refused = await check('x');
    expect(refused).toMatchObject({ code: 'MalformedToken' });
    expect(refused.kind === 'refusal' && refused.text).toContain("begins with 'SharedAccessSignature '");
  });

  test('for an audience that is too long is refused', async () => {
    expect(await check(sasToken(), 'x'.repeat(3000))).toMatchObject({ code: 'InvalidAudience' });
  });

  test('of Entra gives the rights of its roles where it was put', async () => {
    const request = { audience: 'https://servicebus.azure.net//', lifetimeMs: HOUR_MS };
    const { text } = await emulator.entraTokens.issue(request, START_MS);
    expect(await check(text, 'Orders')).toMatchObject({
      kind: 'claim',
      path: 'orders',
      rights: ['Manage', 'Send', 'Listen'],
    });
    emulator.advance(HOUR_MS);
    expect(await check(text, 'Orders')).toMatchObject({ code: 'ExpiredToken' });
  });
});

test('a policy that is changed counts from the next token on', async () => {
  const token = sasToken({ keyName: 'send-orders', audience: `sb://${HOST}/orders` });
  expect(await check(token)).toMatchObject({ kind: 'claim' });
  const info = await emulator.engine.ask({ kind: 'get-entity', entityPath: 'orders' });
  if (info.kind !== 'entity-info' || info.entity.type !== 'queue') throw new Error(info.kind);
  const { description } = info.entity;
  await emulator.engine.ask({
    kind: 'put-entity',
    type: 'queue',
    description: { ...description, authorizationRules: [] },
    expected: 'present',
  });
  expect(await check(token)).toMatchObject({ code: 'InvalidSignature' });
});

test.each([
  ['send-namespace', keyOf('send-namespace'), ['Send']],
  ['manage-namespace', `other ${keyOf('manage-namespace')}`, ['Manage', 'Send', 'Listen']],
  // azure-servicebus-jms takes what follows the key for a part of it.
  ['send-namespace', `${keyOf('send-namespace')};UseDevelopmentEmulator=true;`, ['Send']],
])('the key of %s, given as "%s", gives its rights everywhere and for ever', (name, key, rights) => {
  const claim = {
    kind: 'claim',
    path: '',
    entityName: undefined,
    rights,
    expiresAtMs: Number.POSITIVE_INFINITY,
  };
  expect(emulator.authorizer.checkKey(name, key)).toEqual(claim);
});

test.each([
  ['send-namespace', 'wrong'],
  ['send-namespace', ''],
  ['send-namespace', ';UseDevelopmentEmulator=true;'],
  ['nobody', keyOf('send-namespace')],
  ['send-orders', keyOf('send-orders')],
])('%s with the key "%s" gives none', (name, key) => {
  expect(emulator.authorizer.checkKey(name, key)).toMatchObject({ code: 'InvalidSignature' });
});

test('the policy of the official emulator is the one there is unless others are given', async () => {
  const authorizer = authorizerOf('strict', []);
  expect(authorizer.checkKey('RootManageSharedAccessKey', 'SAS_KEY_VALUE')).toMatchObject({
    rights: ROOT_RULE.rights,
  });
});

describe('where any key will do', () => {
  const bad = [
    sasToken({ key: 'wrong' }),
    sasToken({ key: 'wrong' }),
    sasToken({ expiresAtMs: START_MS }),
    sasToken({ audience: 'sb://elsewhere.example/' }),
    'nonsense',
  ];

  test('every token opens everything, and each kind of mistake causes one hint', async () => {
    const hints: string[] = [];
    const authorizer = authorizerOf('any', hints);
    for (const token of bad) {
      const asked = { token, audience: `sb://${HOST}/orders` };
      expect(await authorizer.check(asked, START_MS)).toMatchObject({
        kind: 'claim',
        path: '',
        rights: ROOT_RULE.rights,
      });
    }
    expect(authorizer.checkKey('nobody', 'x')).toMatchObject({ kind: 'claim' });
    expect(hints.map((hint) => /: (\w+):/.exec(hint)?.[1])).toEqual(['InvalidSignature', 'MalformedToken']);
  });

  test('a token that Azure would accept causes no hint', async () => {
    const hints: string[] = [];
    const authorizer = authorizerOf('any', hints);
    const token = sasToken({ keyName: ROOT_RULE.keyName, key: ROOT_RULE.primaryKey });
    await authorizer.check({ token, audience: `sb://${HOST}/q` }, START_MS);
    authorizer.checkKey(ROOT_RULE.keyName, ROOT_RULE.primaryKey);
    expect(hints).toEqual([]);
  });

  test('an engine that has failed takes nothing from a client whose token is wrong', async () => {
    const authorizer = authorizerOf('any', [], () => Promise.reject(new Error('broken')));
    const asked = { token: sasToken(), audience: `sb://${HOST}/q` };
    expect(await authorizer.check(asked, START_MS)).toMatchObject({ kind: 'claim' });
  });
});

function authorizerOf(
  mode: AuthorizationMode,
  hints: string[],
  entityPolicies = async () => [] as never[],
): Authorizer {
  const { entraTokens } = emulator;
  return new Authorizer({ mode, entityPolicies, entraTokens, onHint: (hint) => hints.push(hint) });
}
