// The emulator's own Entra tokens: what is in them, how long they are good, and which others are not.

import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  DATA_OWNER,
  DATA_RECEIVER,
  DATA_SENDER,
  EntraTokens,
  ISSUER,
  openSigningKey,
} from '../../src/security/entra-token.js';

const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const AUDIENCE = 'https://servicebus.azure.net';

let directory: string;
let keyFile: string;
let tokens: EntraTokens;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jitney-'));
  keyFile = join(directory, 'identity', 'key.pem');
  tokens = new EntraTokens({ keyFile });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function issue(given: { audience?: string; roles?: readonly string[] } = {}): Promise<string> {
  return (await tokens.issue({ audience: AUDIENCE, lifetimeMs: HOUR, ...given }, NOW)).text;
}

/** Signed with the emulator's own key, whatever it says. */
async function forge(claims: Record<string, unknown>): Promise<string> {
  const { privateKey } = await openSigningKey(keyFile);
  const seconds = NOW / 1000;
  const usual = { iss: ISSUER, aud: AUDIENCE, exp: seconds + 60, nbf: seconds - 60, roles: [DATA_OWNER] };
  const payload = Object.fromEntries(
    Object.entries({ ...usual, ...claims }).filter(([, value]) => value !== null),
  );
  return new SignJWT(payload).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
}

test('a token says who issued it, for what and for whom, and is good until it ends', async () => {
  const text = await issue();
  expect(decodeJwt(text)).toMatchObject({
    iss: ISSUER,
    aud: AUDIENCE,
    exp: (NOW + HOUR) / 1000,
    roles: [DATA_OWNER],
  });
  expect(await tokens.verify(text, NOW + HOUR - 1000)).toEqual({
    kind: 'entra-access',
    rights: ['Manage', 'Send', 'Listen'],
    expiresAtMs: NOW + HOUR,
  });
  expect(await tokens.verify(text, NOW + HOUR)).toMatchObject({ code: 'ExpiredToken' });
});

test.each([
  [[DATA_OWNER], ['Manage', 'Send', 'Listen']],
  [[DATA_SENDER], ['Send']],
  [[DATA_RECEIVER], ['Listen']],
  [
    [DATA_SENDER, DATA_RECEIVER],
    ['Send', 'Listen'],
  ],
  [['Reader'], []],
  [[], []],
])('the roles %j give the rights %j', async (roles, rights) => {
  expect(await tokens.verify(await issue({ roles }), NOW)).toMatchObject({ rights });
});

test.each([AUDIENCE, `${AUDIENCE}/`, `${AUDIENCE}//`])(
  'a token for %s is for Service Bus',
  async (audience) => {
    expect(await tokens.verify(await issue({ audience }), NOW)).toMatchObject({ kind: 'entra-access' });
  },
);

describe('refused is', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['one for another service', { aud: 'https://vault.azure.net' }, 'InvalidAudience'],
    ['one for a service with a longer name', { aud: `${AUDIENCE}.example` }, 'InvalidAudience'],
    ['one for nothing', { aud: null }, 'InvalidAudience'],
    ['one of another issuer', { iss: 'https://sts.windows.net/x/' }, 'InvalidIssuer'],
    ['one that has ended', { exp: NOW / 1000 }, 'ExpiredToken'],
    ['one that never ends', { exp: null }, 'MalformedToken'],
    ['one that is not good yet', { nbf: NOW / 1000 + 60 }, 'TokenNotYetValid'],
  ])('%s', async (_, claims, code) => {
    expect(await tokens.verify(await forge({}), NOW)).toMatchObject({ kind: 'entra-access' });
    expect(await tokens.verify(await forge(claims), NOW)).toMatchObject({ kind: 'refusal', code });
  });

  test('one that is not signed at all', async () => {
    const text = new UnsecuredJWT(decodeJwt(await issue())).encode();
    expect(await tokens.verify(text, NOW)).toMatchObject({ kind: 'refusal' });
  });

  test('one whose algorithm is exchanged for the public key as a shared secret', async () => {
    const { publicKey } = await openSigningKey(keyFile);
    const secret = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' }));
    const text = await new SignJWT(decodeJwt(await issue()))
      .setProtectedHeader({ alg: 'HS256' })
      .sign(secret);
    expect(await tokens.verify(text, NOW)).toMatchObject({ code: 'InvalidSignature' });
  });

  test('one that was changed, or signed with another key', async () => {
    const [head, payload = '', signature] = (await issue({ roles: [DATA_SENDER] })).split('.');
    const changed = Buffer.from(payload, 'base64url').toString().replace(DATA_SENDER, DATA_OWNER);
    const text = [head, Buffer.from(changed).toString('base64url'), signature].join('.');
    expect(await tokens.verify(text, NOW)).toMatchObject({ code: 'InvalidSignature' });
    const { privateKey } = await generateKeyPair('ES256');
    const other = await new SignJWT(decodeJwt(await issue()))
      .setProtectedHeader({ alg: 'ES256' })
      .sign(privateKey);
    expect(await tokens.verify(other, NOW)).toMatchObject({ code: 'InvalidSignature' });
  });

  test.each(['', 'x', 'a.b.c', '..', 'SharedAccessSignature sr=x'])('"%s", which is none', async (text) => {
    expect(await tokens.verify(text, NOW)).toMatchObject({ code: 'MalformedToken' });
  });
});

test('the key file is readable by its owner alone, and tokens outlive the emulator that issued them', async () => {
  const text = await issue();
  // Windows has no such modes.
  if (process.platform !== 'win32') {
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
    // The certificate that programs are to trust lies beside it, for all to read.
    expect((await stat(dirname(keyFile))).mode & 0o777).toBe(0o777 & ~process.umask());
  }
  expect(await new EntraTokens({ keyFile }).verify(text, NOW)).toMatchObject({ kind: 'entra-access' });
  expect(await new EntraTokens().verify(text, NOW)).toMatchObject({ code: 'InvalidSignature' });
});

test('where the key cannot be written, tokens end with the emulator, and a line says so', async () => {
  const told: string[] = [];
  // Drafts have longer names, which no file system takes.
  const file = join(directory, 'k'.repeat(250));
  const here = new EntraTokens({ keyFile: file, warn: (text) => told.push(text) });
  const { text } = await here.issue({ audience: AUDIENCE, lifetimeMs: HOUR }, NOW);
  expect(await here.verify(text, NOW)).toMatchObject({ kind: 'entra-access' });
  expect(told).toEqual([
    expect.stringMatching(
      `^Tokens are valid only until this process ends: ${file} cannot be written: .*ENAMETOOLONG`,
    ),
  ]);
});

test('a damaged key is reported with its file, and once that is deleted there is a new one', async () => {
  const file = join(directory, 'damaged.pem');
  await writeFile(file, 'nonsense');
  const later = new EntraTokens({ keyFile: file });
  await expect(later.publicKeys()).rejects.toThrow(`${file} does not hold a valid key. Delete it`);
  await rm(file);
  expect((await later.publicKeys()).keys).toHaveLength(1);
});

test('two emulators that make the key at the same time have the same one', async () => {
  const file = join(directory, 'shared', 'key.pem');
  const keys = await Promise.all([openSigningKey(file), openSigningKey(file)]);
  const [one, other] = await Promise.all(keys.map(({ publicKey }) => exportJWK(publicKey)));
  expect(one).toEqual(other);
});
