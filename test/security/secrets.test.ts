// Keys, signatures and tokens are never told to anybody: not in hints, not in errors, by whichever way they come.

import { afterEach, expect, test } from 'vitest';
import { next } from '../support/rhea-client.js';
import {
  HOST,
  openSecuredEmulator,
  type SecuredEmulator,
  START_MS,
  sasToken,
} from './support/secured-emulator.js';
import { TokenClient } from './support/token-client.js';

const SECRET = 's3cr3t-k3y';

let emulator: SecuredEmulator | undefined;

afterEach(async () => {
  expect(emulator?.faults).toEqual([]);
  await emulator?.stop();
});

/** Each wrong in another way, and what of it must not be told. */
async function wrongTokens({ entraTokens }: SecuredEmulator): Promise<readonly [string, string][]> {
  const sas = [
    sasToken({ key: SECRET }),
    sasToken({ expiresAtMs: START_MS - 1 }),
    sasToken({ audience: 'sb://elsewhere.example/' }),
    `SharedAccessSignature sr=x&sig=${SECRET}`,
    `SharedAccessSignature sr=x&sig=${SECRET}&se=soon&skn=x`,
    `SharedAccessSignature ${SECRET}`,
    sasToken({ keyName: 'nobody', key: SECRET }),
  ].map((text): [string, string] => [text, /sig=([^&]*)/.exec(text)?.[1] ?? SECRET]);
  const issued = [
    await entraTokens.issue({ audience: 'https://vault.azure.net', lifetimeMs: 1000 }, START_MS),
    await entraTokens.issue({ audience: 'https://servicebus.azure.net', lifetimeMs: -1000 }, START_MS),
  ].map(({ text }): [string, string] => [text, text.split('.')[2] ?? text]);
  return [...sas, ...issued, [`${SECRET}.${SECRET}.${SECRET}`, SECRET]];
}

test.each(['any', 'strict'] as const)('with --auth %s', async (mode) => {
  emulator = await openSecuredEmulator(mode);
  const told: string[] = [];
  const secrets: string[] = [SECRET, encodeURIComponent(SECRET), Buffer.from(SECRET).toString('base64')];
  const client = new TokenClient(emulator.connect());
  for (const [text, secret] of await wrongTokens(emulator)) {
    secrets.push(secret, decodeURIComponent(secret));
    told.push((await client.put(text)).text);
    const authorization = text.startsWith('Shared') ? text : `Bearer ${text}`;
    for (const given of [authorization, text, SECRET, `Basic ${SECRET}`, `${SECRET} x`]) {
      const headers = { authorization: given };
      const response = await emulator.handle(new Request(`http://${HOST}/orders`, { headers }));
      told.push(await response.text());
    }
  }
  for (const username of ['manage-namespace', SECRET]) {
    const connection = emulator.connect({ username, password: SECRET });
    await next(connection, mode === 'any' ? 'connection_open' : 'connection_error');
    connection.close();
  }
  told.push(...emulator.hints);
  expect(emulator.hints.length > 0).toBe(mode === 'any');
  expect(told.some((text) => text.includes('MalformedToken'))).toBe(true);
  expect(secrets.filter((secret) => told.some((text) => text.includes(secret)))).toEqual([]);
});
