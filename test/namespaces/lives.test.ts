// How namespaces begin and end: what each begins with, what a start keeps, and when one that a client has made is given up.

import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sender } from 'rhea';
import { afterEach, describe, expect, test } from 'vitest';
import { collectEntities } from '../../src/config/configured-entities.js';
import type { EmulatorNamespace } from '../../src/emulator.js';
import { SystemGuids } from '../../src/engine/system-guids.js';
import { startNamespace } from '../../src/namespace-start.js';
import { Namespaces, UNUSED_MS } from '../../src/namespaces.js';
import { EntraTokens } from '../../src/security/entra-token.js';
import { next, turns } from '../support/rhea-client.js';
import { VirtualTimers } from '../support/virtual-timers.js';
import { activeIn, amqpClient, ask, expectBothNamed, put, start, tokenOf } from './support.js';

const ROOT = 'RootManageSharedAccessKey';
const TWO_NAMESPACES = JSON.stringify({
  UserConfig: {
    Namespaces: [
      { Name: 'sbemulatorns', Queues: [{ Name: 'first' }] },
      { Name: 'Second', Queues: [{ Name: 'orders' }, { Name: 'bills' }], Topics: [{ Name: 'news' }] },
    ],
  },
});

let directory: string | undefined;
afterEach(async () => {
  if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  directory = undefined;
});

async function newDirectory(): Promise<string> {
  directory = await mkdtemp(join(tmpdir(), 'jitney-namespaces-'));
  return directory;
}

async function namesIn(namespace: EmulatorNamespace): Promise<readonly string[]> {
  const { entities } = JSON.parse((await ask(namespace.port, `namespaces/${namespace.name}/entities`)).text);
  return entities.map(({ path }: { readonly path: string }) => path);
}

describe('what a namespace begins with', () => {
  test('without entities of its own it is as default began, messages included', async () => {
    const emulator = await start({
      queues: ['orders'],
      seed: [{ entity: 'orders', body: 'seeded' }],
      namespaces: ['a'],
    });
    await emulator.createQueue('later');
    for (const name of ['a', 'b']) {
      const namespace = await emulator.namespace(name);
      expect(await namesIn(namespace)).toEqual(['orders']);
      expect(await activeIn(namespace)).toBe(1);
    }
  });

  test('one of a Config.json has its own, and the first of the file is default', async () => {
    const emulator = await start({ queues: [], configJson: TWO_NAMESPACES });
    expect(await namesIn(emulator)).toEqual(['first']);
    expect(await namesIn(await emulator.namespace('second'))).toEqual(['bills', 'news', 'orders']);
  });

  test('a start that is refused for the entities of one namespace changes no other', async () => {
    const dataDirectory = await newDirectory();
    const first = await start({ dataDirectory, queues: ['kept'] });
    await first.stop();
    const namespaces = [{ name: 'a', queues: ['orders?forwardTo=nowhere'] }];
    await expect(start({ dataDirectory, namespaces, reset: true })).rejects.toThrow(
      /^In the namespace 'a': forwardTo of queue 'orders'/,
    );
    const second = await start({ dataDirectory });
    expect(second.kept.queues).toMatchObject([{ name: 'kept' }]);
  });

  test('clock, faults and records are its own', async () => {
    const emulator = await start({ namespaces: ['a'] });
    const a = await emulator.namespace('a');
    const before = emulator.clock.now().getTime();
    await a.clock.freeze();
    await a.clock.advance('P1D');
    a.faults.addPreset('throttled');
    expect(emulator.clock.now().getTime() - before).toBeLessThan(3_600_000);
    expect([emulator.clock.state.mode, a.clock.state.mode]).toEqual(['real', 'frozen']);
    expect(emulator.faults.list()).toEqual([]);
    const { events } = emulator;
    expect(a.events.since()).toEqual([]);
    await a.createQueue('only-a');
    expect(a.events.since().map(({ kind }) => kind)).toEqual(['entity-created']);
    expect(events.since()).toEqual([]);
    await a.reset({ all: true });
    expect(await namesIn(a)).toEqual(['orders']);
  });

  test('two that open one of the same name at once get the same', async () => {
    const emulator = await start();
    const [one, other] = await Promise.all([emulator.namespace('a'), emulator.namespace('A')]);
    await one.createQueue('only-here');
    expect(await namesIn(other)).toEqual(['only-here', 'orders']);
  });

  test.each([
    ['a b', /must be the name of a namespace/],
    ['', /must be the name of a namespace/],
    ['auto', /stands for any name/],
  ])('the name "%s" is refused', async (name, text) => {
    await expect((await start()).namespace(name)).rejects.toThrow(text);
  });
});

describe('in a data directory', () => {
  test('a start opens the namespaces of earlier ones again, with their messages and clocks', async () => {
    const dataDirectory = await newDirectory();
    const first = await start({ dataDirectory, namespaces: ['a'] });
    const added = await first.namespace('b', { queues: ['bills'] });
    await ask(first.port, 'namespaces/a/messages?entity=orders', { method: 'POST', body: { body: 1 } });
    await (await first.namespace('a')).clock.freeze();
    expect(await namesIn(added)).toEqual(['bills']);
    await first.stop();

    const second = await start({ dataDirectory });
    const a = await second.namespace('a');
    expect([await activeIn(a), a.clock.state.mode, second.clock.state.mode]).toEqual([1, 'frozen', 'real']);
    expect(a.kept.queues).toMatchObject([{ name: 'orders' }]);
    expect(await namesIn(await second.namespace('b'))).toEqual(['bills', 'orders']);
    await second.stop();

    const reset = await start({ dataDirectory, reset: true, queues: ['fresh'] });
    expect(await namesIn(await reset.namespace('a'))).toEqual(['fresh']);
  });

  test('folders that no namespace can have are left alone', async () => {
    const dataDirectory = await newDirectory();
    const folders = ['Tests', 'auto', 'default', 'tests'];
    for (const name of folders) await mkdir(join(dataDirectory, 'namespaces', name), { recursive: true });
    const emulator = await start({ dataDirectory });
    const { namespaces } = JSON.parse((await ask(emulator.port, 'namespaces')).text);
    expect(namespaces.map(({ name }: { readonly name: string }) => name)).toEqual(['default', 'tests']);
    for (const name of folders.slice(0, 3)) {
      expect(await readdir(join(dataDirectory, 'namespaces', name))).toEqual([]);
    }
  });

  test('one that is stopped can be opened again at once, with its messages', async () => {
    const emulator = await start({ dataDirectory: await newDirectory() });
    const first = await emulator.namespace('a');
    await ask(first.port, 'namespaces/a/messages?entity=orders', { method: 'POST', body: { body: 1 } });
    const stopping = first.stop();
    const second = await emulator.namespace('a');
    await stopping;
    await first.stop();
    expect(await activeIn(second)).toBe(1);
    await expect(first.queue('orders').counts()).rejects.toThrow(/has been stopped/);
  });

  test('one that is removed is gone for the next start, and one that is stopped is not', async () => {
    const dataDirectory = await newDirectory();
    const first = await start({ dataDirectory, namespaces: ['removed', 'stopped'] });
    expect((await ask(first.port, 'namespaces?name=removed', { method: 'DELETE' })).status).toBe(200);
    await (await first.namespace('stopped')).stop();
    await first.stop();
    const second = await start({ dataDirectory });
    const { namespaces } = JSON.parse((await ask(second.port, 'namespaces')).text);
    expect(namespaces.map(({ name }: { readonly name: string }) => name)).toEqual(['default', 'stopped']);
  });
});

test('with auto a namespace is made with the first token that names it, once for several clients at a time', async () => {
  const emulator = await start({ namespaces: ['auto'] });
  const clients = ['a', 'a', 'b'].map((name) => [amqpClient(emulator.port), name] as const);
  const answers = await Promise.all(clients.map(([client, name]) => put(client, tokenOf(`${ROOT}@${name}`))));
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  const { namespaces } = JSON.parse((await ask(emulator.port, 'namespaces')).text);
  expect(namespaces).toMatchObject([
    { name: 'default', isMade: false, connections: 0 },
    { name: 'a', isMade: true, connections: 2 },
    { name: 'b', isMade: true, connections: 1 },
  ]);
});

test('with auto, what a client pipelines behind its first token goes to the namespace that is made for it', async () => {
  const emulator = await start({ namespaces: ['auto'] });
  const client = amqpClient(emulator.port);
  // Opens the links to `$cbs`, and chooses none.
  expect(await put(client, tokenOf(`${ROOT}@auto`))).toMatchObject({ status: 401 });
  const answers = ['new', 'new', 'other'].map((name) => put(client, tokenOf(`${ROOT}@${name}`)));
  await Promise.resolve(); // the requests are written, and the link comes with them
  const { link } = await client.openSender('orders');
  (link as Sender).send({ body: 'one' });
  await next(link, 'accepted');
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([202, 202, 401]);
  expect([await activeIn(emulator), await activeIn(await emulator.namespace('new'))]).toEqual([0, 1]);
});

test('with auto, a token for another namespace on the connection of one does not make it', async () => {
  const emulator = await start({ namespaces: ['auto'] });
  const client = amqpClient(emulator.port);
  await put(client, tokenOf(`${ROOT}@first`));
  const { status, text } = await put(client, tokenOf(`${ROOT}@second`));
  expect(status).toBe(401);
  expectBothNamed(text, 'first', 'second');
  const { namespaces } = JSON.parse((await ask(emulator.port, 'namespaces')).text);
  expect(namespaces).toMatchObject([{ name: 'default' }, { name: 'first' }]);
});

test('with auto and --auth strict only a key of the namespace makes it', async () => {
  const policies = [
    { keyName: 'boss', rights: ['Manage', 'Send', 'Listen'], primaryKey: 'of boss' },
    { keyName: 'sender@own', rights: ['Send'], primaryKey: 'of own' },
  ] as const;
  const { port } = await start({ auth: 'strict', policies, namespaces: ['auto'] });
  const statusOf = async (keyName: string, key: string) =>
    (await put(amqpClient(port), tokenOf(keyName, key))).status;
  expect(await statusOf('boss@a', 'of own')).toBe(401);
  expect(await statusOf('boss@own', 'of boss')).toBe(401);
  const token = tokenOf('boss@b', 'of own', `http://localhost:${port}/`);
  expect((await ask(port, 'info', { token })).status).toBe(401);
  expect((await ask(port, 'namespaces/c/info')).status).toBe(404);
  const boss = tokenOf('boss', 'of boss', `http://localhost:${port}/`);
  const names = async () =>
    JSON.parse((await ask(port, 'namespaces', { token: boss })).text).namespaces.map(
      ({ name }: { readonly name: string }) => name,
    );
  expect(await names()).toEqual(['default']);
  expect(await statusOf('boss@a', 'of boss')).toBe(202);
  expect(await statusOf('sender@own', 'of own')).toBe(202);
  const client = amqpClient(port, { username: 'boss@plain', password: 'of boss' });
  await next(client.connection, 'connection_open');
  expect(await names()).toEqual(['default', 'a', 'own', 'plain']);
});

describe('one that a client has made', () => {
  const timers = new VirtualTimers();
  const shared = { guids: new SystemGuids(), entraTokens: new EntraTokens() };

  async function openNamespaces(): Promise<Namespaces> {
    const entities = await collectEntities({ queues: ['orders'] });
    const startOne = (name: string) =>
      startNamespace({ name, options: {}, content: { entities, seeds: [] } }, shared);
    return new Namespaces({
      default: await startOne('default'),
      takesAny: true,
      refusalOf: async () => undefined,
      start: ({ name }) => startOne(name),
      openPort: async (_, port) => port,
      closePort: async () => {},
      discard: async () => {},
      startTimer: timers.startTimer,
      onHint: () => {},
    });
  }

  test('is given up ten minutes after its last client, and one that is named is not', async () => {
    const namespaces = await openNamespaces();
    const made = await namespaces.find({ keyName: 'x@made' }, undefined);
    const named = await namespaces.add({ name: 'named' });
    if ('refusal' in made) throw new Error(made.refusal);
    const ended: string[] = [];
    const leaves = ['first', 'second'].map((client) => made.enter(() => ended.push(client)));
    timers.advance(2 * UNUSED_MS);
    leaves[0]?.();
    timers.advance(2 * UNUSED_MS);
    expect(namespaces.get('made')).toBe(made);
    leaves[1]?.();
    timers.advance(UNUSED_MS - 1);
    expect(namespaces.get('made')).toBe(made);
    made.enter(() => {})();
    timers.advance(UNUSED_MS - 1);
    expect(namespaces.get('made')).toBe(made);
    timers.advance(1);
    expect(namespaces.all.map(({ name }) => name)).toEqual(['default', 'named']);
    await turns();
    expect([made.engine.isRunning, named.engine.isRunning]).toEqual([false, true]);
    expect(ended).toEqual([]);
    await namespaces.endLooks();
    await namespaces.stop();
    expect(timers.delays).toEqual([]);
  });

  test('counts towards the limit of 1,000 while it is being made', async () => {
    const namespaces = await openNamespaces();
    const names = Array.from({ length: 1001 }, (_, index) => `made-${index}`);
    const made = await Promise.all(names.map((name) => namespaces.find({ keyName: `x@${name}` }, undefined)));
    expect(made.filter((each) => 'refusal' in each)).toEqual([
      { refusal: "TooManyNamespaces: The emulator has 1000 namespaces, so 'made-1000' is not made." },
    ]);
    await namespaces.endLooks();
    await namespaces.stop();
  });

  test('stays when a program has named it since', async () => {
    const namespaces = await openNamespaces();
    const made = await namespaces.find({ keyName: 'x@made' }, undefined);
    expect(await namespaces.open({ name: 'made' })).toBe(made);
    timers.advance(2 * UNUSED_MS);
    expect(namespaces.get('made')).toBe(made);
    await namespaces.endLooks();
    await namespaces.stop();
  });
});
