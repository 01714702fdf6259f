// Requests over HTTP: the namespace of each by its token, its path or its port, and the calls about namespaces.

import { expect, test } from 'vitest';
import { activeIn, ask, expectBothNamed, start, tokenOf } from './support.js';

const ROOT = 'RootManageSharedAccessKey';

function bodyOf({ text }: { readonly text: string }) {
  return JSON.parse(text);
}

test("each request goes by its token's key: sends, administration and the control interface", async () => {
  const emulator = await start({ namespaces: ['a', 'b'] });
  const a = await emulator.namespace('a');
  const token = tokenOf(`${ROOT}@a`);
  expect(await ask(emulator.port, '/orders/messages', { method: 'POST', token, body: 1 })).toMatchObject({
    status: 201,
  });
  expect(await Promise.all([emulator, a].map(activeIn))).toEqual([0, 1]);
  await a.createQueue('only-a');
  const found = async (keyName: string) =>
    (await ask(emulator.port, '/only-a?api-version=2021-05', { token: tokenOf(keyName) })).text.includes(
      '<QueueDescription',
    );
  expect([await found(`${ROOT}@a`), await found(ROOT), await found(`${ROOT}@b`)]).toEqual([
    true,
    false,
    false,
  ]);
  const named = async (keyName: string) =>
    bodyOf(await ask(emulator.port, 'info', { token: tokenOf(keyName) })).namespace;
  expect([await named(`${ROOT}@a`), await named(ROOT)]).toEqual(['a', undefined]);
  const refused = await ask(emulator.port, '/orders/messages', {
    method: 'POST',
    token: tokenOf(`${ROOT}@none`),
    body: 1,
  });
  expect(refused.status).toBe(401);
  expect(refused.text).toContain('There is no namespace &apos;none&apos;');
});

test('the calls for one namespace are below its path', async () => {
  const emulator = await start({ namespaces: ['a'] });
  const { port } = emulator;
  const a = await emulator.namespace('a');
  await ask(port, 'namespaces/A/messages?entity=orders', { method: 'POST', body: { body: 1 } });
  expect(await Promise.all([emulator, a].map(activeIn))).toEqual([0, 1]);
  expect(bodyOf(await ask(port, 'namespaces/a/reset', { method: 'POST', body: {} }))).toEqual({ count: 1 });
  const { connectionString } = bodyOf(await ask(port, 'namespaces/a/info'));
  expect(connectionString).toBe(a.connectionString);
  const missing = await ask(port, 'namespaces/none/entities');
  expect([missing.status, bodyOf(missing).error.code]).toEqual([404, 'namespace-not-found']);
  const crossed = await ask(port, 'namespaces/a/entities', { token: tokenOf(`${ROOT}@default`) });
  expect(crossed.status).toBe(401);
  expectBothNamed(bodyOf(crossed).error.message, 'default', 'a');
});

test('with auto a path finds what is there, and only a key makes a namespace', async () => {
  const { port } = await start({ namespaces: ['auto'] });
  const names = async () =>
    bodyOf(await ask(port, 'namespaces')).namespaces.map(({ name }: { name: string }) => name);
  for (const token of [undefined, tokenOf(`${ROOT}@other`)]) {
    const missing = await ask(port, 'namespaces/new/entities', { ...(token && { token }) });
    expect([missing.status, bodyOf(missing).error.code]).toEqual([404, 'namespace-not-found']);
    expect(bodyOf(missing).error.message).toContain('Use a key with a name such as <policy>@<namespace>');
  }
  expect(await names()).toEqual(['default']);
  const token = tokenOf(`${ROOT}@new`);
  expect((await ask(port, 'namespaces/new/entities', { token })).status).toBe(200);
  expect(await names()).toEqual(['default', 'new']);
  expect((await ask(port, 'namespaces/new/entities')).status).toBe(200);
});

test('namespaces are listed, added and removed', async () => {
  const emulator = await start();
  const { port } = emulator;
  const body = { name: 'Tests-1', queues: ['orders', 'bills'], port: 0 };
  const added = bodyOf(await ask(port, 'namespaces', { method: 'POST', body }));
  expect(added).toMatchObject({ name: 'tests-1', isMade: false, entities: 2, active: 0, connections: 0 });
  expect(added.connectionString).toContain(`:${added.port};SharedAccessKeyName=${ROOT}@tests-1;`);
  expect(bodyOf(await ask(added.port, 'info')).namespace).toBe('tests-1');
  expect((await ask(port, 'namespaces', { method: 'POST', body })).status).toBe(409);
  for (const name of ['a b', 'auto', 'default']) {
    const { status } = await ask(port, 'namespaces', { method: 'POST', body: { name } });
    expect([name, status]).toEqual([name, name === 'default' ? 409 : 400]);
  }
  const names = async () =>
    bodyOf(await ask(port, 'namespaces')).namespaces.map(({ name }: { name: string }) => name);
  expect(await names()).toEqual(['default', 'tests-1']);
  expect((await ask(port, 'namespaces/tests-1/namespaces')).status).toBe(404);
  expect(bodyOf(await ask(port, 'namespaces?name=tests-1', { method: 'DELETE' }))).toEqual({ ended: true });
  expect(await names()).toEqual(['default']);
  expect((await ask(port, 'namespaces?name=default', { method: 'DELETE' })).status).toBe(400);
});

test('with --auth strict only a key of default with Manage lists and adds them', async () => {
  const policies = [
    { keyName: 'boss', rights: ['Manage', 'Send', 'Listen'], primaryKey: 'of boss' },
    { keyName: 'boss@a', rights: ['Manage', 'Send', 'Listen'], primaryKey: 'of a' },
    { keyName: 'sender', rights: ['Send'], primaryKey: 'of sender' },
  ] as const;
  const { port } = await start({ auth: 'strict', policies, namespaces: ['a'] });
  const statusOf = async (path: string, keyName: string, key: string) =>
    (await ask(port, path, { token: tokenOf(keyName, key, `http://localhost:${port}/`) })).status;
  expect(await statusOf('namespaces', 'boss', 'of boss')).toBe(200);
  expect(await statusOf('namespaces', 'sender', 'of sender')).toBe(401);
  expect(await statusOf('namespaces', 'boss@a', 'of a')).toBe(404);
  expect(await statusOf('entities', 'boss@a', 'of a')).toBe(200);
  expect(await statusOf('namespaces/a/entities', 'boss@a', 'of a')).toBe(200);
  expect(await statusOf('namespaces/a/entities', 'boss', 'of boss')).toBe(401);
  expect(await statusOf('entities', 'boss@a', 'of boss')).toBe(401);
});

test('metrics have the label `namespace` once there are several', async () => {
  const emulator = await start();
  const metrics = async () => (await ask(emulator.port, '/metrics')).text;
  expect(await metrics()).toContain('servicebus_entities{kind="queue"} 1\n');
  await emulator.namespace('a', { queues: ['x', 'y'] });
  const text = await metrics();
  expect(text).toContain('servicebus_entities{namespace="default",kind="queue"} 1\n');
  expect(text).toContain('servicebus_entities{namespace="a",kind="queue"} 2\n');
  expect(text.match(/# TYPE servicebus_entities gauge/g)).toHaveLength(1);
});
