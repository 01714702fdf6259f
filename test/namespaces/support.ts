// An emulator with several namespaces, and clients that choose one by the name of their key.

import { connect } from 'node:net';
import { afterEach, expect } from 'vitest';
import { parseConnectionString } from '../../src/config/given-connection-string.js';
import {
  type Emulator,
  type EmulatorNamespace,
  type EmulatorOptions,
  startEmulator,
} from '../../src/emulator.js';
import { writeSasToken } from '../../src/security/sas-token.js';
import { TokenClient } from '../security/support/token-client.js';
import { rheaConnect } from '../support/rhea-client.js';

const HOUR_MS = 3_600_000;
const endings: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (let end = endings.pop(); end !== undefined; end = endings.pop()) await end();
});

/** Stops after the test. */
export async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ tls: 'off', queues: ['orders'], ...options });
  endings.push(() => emulator.stop());
  return emulator;
}

export function tokenOf(keyName: string, key = 'SAS_KEY_VALUE', audience = 'sb://localhost/'): string {
  return writeSasToken({ keyName, key, audience, expiresAtMs: Date.now() + HOUR_MS });
}

/** A client over AMQP, which has shown nothing yet. */
export function amqpClient(port: number, options: Record<string, unknown> = {}): TokenClient {
  const client = new TokenClient(
    rheaConnect(connect(port, '127.0.0.1'), { hostname: 'localhost', ...options }),
  );
  endings.push(() => client.connection.close());
  return client;
}

export async function put(client: TokenClient, token: string) {
  return client.put(token, 'sb://localhost/');
}

type Asked = { readonly method?: string; readonly token?: string; readonly body?: unknown };
type Answer = { readonly status: number; readonly text: string };

/** `path` is that of a call of the control interface, or begins with a slash. */
export async function ask(
  port: number,
  path: string,
  { method = 'GET', token, body }: Asked = {},
): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: token }) };
  const url = `http://localhost:${port}${path.startsWith('/') ? path : `/$jitney/v1/${path}`}`;
  const answer = await fetch(url, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** The names of the policy and of the namespace in a connection string. */
export function keyNameOf({ connectionString }: EmulatorNamespace): string {
  const { access } = parseConnectionString(connectionString);
  return access.kind === 'key' ? access.keyName : '';
}

export async function activeIn(namespace: EmulatorNamespace): Promise<number> {
  return (await namespace.queue('orders').counts()).active;
}

export function expectBothNamed(text: string, one: string, other: string): void {
  expect(text).toContain(`'${one}'`);
  expect(text).toContain(`'${other}'`);
}
