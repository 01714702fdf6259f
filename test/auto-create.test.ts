// What `--auto-create` creates and what it does not, over the plain protocols. compat-tests/auto-create.test.ts has the SDK's calls.

import { describe, expect, onTestFinished, test } from 'vitest';
import { type Emulator, type EmulatorOptions, startEmulator } from '../src/emulator.js';

type Started = { readonly emulator: Emulator; readonly warnings: string[] };

async function start(options: EmulatorOptions = {}): Promise<Started> {
  const warnings: string[] = [];
  const log: EmulatorOptions['log'] = (level, text) => {
    if (level === 'warn' && text.startsWith('Created')) warnings.push(text);
  };
  const emulator = await startEmulator({ autoCreate: true, ui: 'off', tls: 'off', log, ...options });
  onTestFinished(() => emulator.stop());
  return { emulator, warnings };
}

const entitiesOf = async ({ port }: Emulator) => {
  const answer = await fetch(`http://localhost:${port}/$jitney/v1/entities`);
  const { entities } = (await answer.json()) as { entities: readonly { path: string }[] };
  return entities.map(({ path }) => path);
};

/** Any token will do, but there must be one. */
const headers = { authorization: 'SharedAccessSignature sr=any&sig=any&se=9999999999&skn=any' };
const request = ({ port }: Emulator, method: string, path: string, body?: string) =>
  fetch(`http://localhost:${port}/${path}`, { method, headers, ...(body === undefined ? {} : { body }) });

describe('over HTTP', () => {
  test('a message that is sent creates its queue, with one warning', async () => {
    const { emulator, warnings } = await start();
    for (const body of ['a', 'b']) {
      expect((await request(emulator, 'POST', 'orders/messages', body)).status).toBe(201);
    }
    expect(await emulator.queue('orders').messages()).toHaveLength(2);
    expect(warnings).toEqual([
      "Created the queue 'orders', which a sender named and which was missing (--auto-create).",
    ]);
  });

  test('a near name is created, and the warning asks whether the other was meant', async () => {
    const { emulator, warnings } = await start({ queues: ['orders'] });
    expect((await request(emulator, 'POST', 'ordrs/messages', 'a')).status).toBe(201);
    expect(warnings).toEqual([
      "Created the queue 'ordrs', which a sender named and which was missing (--auto-create). Did you mean 'orders'?",
    ]);
  });

  test.each([
    ['a receive', 'POST', 'missing/messages/head?timeout=0'],
    ['a receive that deletes', 'DELETE', 'missing/messages/head?timeout=0'],
    ['a look by the administration', 'GET', 'missing'],
    ['a message for a subscription', 'POST', 'missing/Subscriptions/mail/messages'],
    ['a message for a dead-letter queue', 'POST', 'missing/$DeadLetterQueue/messages'],
    ['a look by the control interface', 'GET', '$jitney/v1/messages?entity=missing'],
  ])('%s creates nothing', async (_, method, path) => {
    const { emulator, warnings } = await start();
    const { status } = await request(emulator, method, path, method === 'POST' ? 'a' : undefined);
    expect(status).not.toBe(201);
    expect(await entitiesOf(emulator)).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test('without the option, nothing is created', async () => {
    const { emulator } = await start({ autoCreate: false });
    expect((await request(emulator, 'POST', 'orders/messages', 'a')).status).toBe(410);
  });
});

test('a name that no queue may have is refused as an administrator is', async () => {
  const { emulator, warnings } = await start();
  const { status } = await request(emulator, 'POST', 'or%3Fders/messages', 'a');
  expect(status).toBe(400);
  expect(warnings).toEqual([]);
});

test('a destination of forwarding is not created', async () => {
  const { emulator } = await start();
  const body = `<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><QueueDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"><ForwardTo>missing</ForwardTo></QueueDescription></content></entry>`;
  const { status } = await request(emulator, 'PUT', 'orders?api-version=2021-05', body);
  expect(status).toBe(400);
  expect(await entitiesOf(emulator)).toEqual([]);
});
