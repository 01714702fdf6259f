// Programs without a key and without a network: DefaultAzureCredential as it is, told by its environment alone where tokens are.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { importBuiltPackage } from './support/built-package.js';

const { startEmulator } = await importBuiltPackage();

const PROGRAM = `
  import { DefaultAzureCredential } from '@azure/identity';
  const credential = new DefaultAzureCredential();
  console.log(JSON.stringify(await credential.getToken('https://servicebus.azure.net//.default')));
`;

/** What a program prints that has no more than these variables. A process each: tokens are kept for all of one. */
async function tokenOf(variables: Readonly<Record<string, string>>) {
  const { PATH = '' } = process.env;
  const options = { env: { PATH, ...variables }, timeout: 30_000 };
  const given = ['--input-type=module', '--eval', PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, given, options);
  return JSON.parse(stdout) as { token: string; expiresOnTimestamp: number };
}

async function send(origin: string, authorization: string): Promise<number> {
  const request = { method: 'POST', headers: { authorization }, body: 'hello' };
  return (await fetch(`${origin}/orders/messages`, request)).status;
}

test.each<[string, (origin: string) => Record<string, string>]>([
  ['App Service', (origin) => ({ IDENTITY_ENDPOINT: `${origin}/msi/token`, IDENTITY_HEADER: 'dev' })],
  ['a virtual machine', (origin) => ({ AZURE_POD_IDENTITY_AUTHORITY_HOST: origin })],
  ['Azure Machine Learning', (origin) => ({ MSI_ENDPOINT: `${origin}/msi/token`, MSI_SECRET: 'dev' })],
  ['Cloud Shell', (origin) => ({ MSI_ENDPOINT: `${origin}/msi/token` })],
])('as on %s a program gets a token that strict authorization takes', async (_, variablesFor) => {
  await using emulator = await startEmulator({ auth: 'strict', queues: ['orders'] });
  const origin = `http://127.0.0.1:${emulator.port}`;
  const { token, expiresOnTimestamp } = await tokenOf(variablesFor(origin));
  expect(expiresOnTimestamp).toBeGreaterThan(Date.now() + 3_600_000);
  expect(await send(origin, `Bearer ${token}`)).toBe(201);
  expect(await send(origin, `Bearer ${token.slice(0, -4)}AAAA`)).toBe(401);
});

test('a program that must use one credential gets it as well', async () => {
  await using emulator = await startEmulator({ auth: 'strict', queues: ['orders'] });
  const origin = `http://localhost:${emulator.port}`;
  const { token } = await tokenOf({
    AZURE_TOKEN_CREDENTIALS: 'ManagedIdentityCredential',
    IDENTITY_ENDPOINT: `${origin}/msi/token`,
    IDENTITY_HEADER: 'dev',
  });
  expect(await send(origin, `Bearer ${token}`)).toBe(201);
});

test("a program with a secret gets it from the emulator's own authority", async () => {
  await using emulator = await startEmulator({ auth: 'strict', queues: ['orders'] });
  const origin = `http://localhost:${emulator.port}`;
  const form = { grant_type: 'client_credentials', client_id: 'mine', client_secret: 'any' };
  const body = new URLSearchParams({ ...form, scope: 'https://servicebus.azure.net//.default' });
  const response = await fetch(`${origin}/adfs/oauth2/v2.0/token`, { method: 'POST', body });
  const { access_token: token } = (await response.json()) as { access_token: string };
  expect(await send(origin, `Bearer ${token}`)).toBe(201);
});
