// `--watch`: what it says of each change of a Config.json, and where it finds an error.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLog } from '../../../src/cli/output/output.js';
import { refuseUselessWatch, watchConfig } from '../../../src/cli/start/config-watch.js';
import { readSettings } from '../../../src/config/settings.js';
import { type Emulator, startEmulator } from '../../../src/emulator.js';

let directory: string;
let file: string;
let emulator: Emulator;
let lines: string[];
let onChange: () => void;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'jitney-watch-'));
  file = join(directory, 'Config.json');
  write('{ "Name": "orders" }', '{ "Name": "old" }');
  emulator = await startEmulator({ configFile: file });
  lines = [];
});
afterEach(async () => {
  await emulator.stop();
  rmSync(directory, { recursive: true });
});

function write(...queues: string[]): void {
  const list = queues.join(',\n');
  writeFileSync(file, `{ "UserConfig": { "Namespaces": [{ "Queues": [\n${list}\n] }] } }`);
}

/** Starts the watch; the returned function tells it of a change, and resolves with the lines that the watch logs then. */
async function watch(flags: { readonly prune?: boolean } = {}, whileStarting = () => {}) {
  const settings = readSettings({ config: file, watch: true, ...flags }, {});
  whileStarting();
  let applied = (_changes: unknown) => {};
  const first = new Promise((resolve) => {
    applied = resolve;
  });
  const configure: Emulator['configure'] = (...given) => {
    const changes = emulator.configure(...given);
    applied(changes);
    return changes;
  };
  watchConfig(settings, {
    emulator: { configure, namespace: (...given) => emulator.namespace(...given) },
    log: createLog('info', (text) => {
      lines.push(text.trimEnd());
      heard();
    }),
    watchFile: (path, listener) => {
      expect(path).toBe(file);
      onChange = listener;
      return () => {};
    },
  });
  let heard = () => {};
  await first;
  return async (count: number) => {
    const all = new Promise<void>((resolve) => {
      heard = () => (lines.length === count ? resolve() : undefined);
    });
    onChange();
    await all;
    return lines.splice(0);
  };
}

test('each change is applied and said, and what is removed is named and kept', async () => {
  const changed = await watch();
  write('{ "Name": "orders", "Properties": { "LockDuration": "PT5S" } }', '{ "Name": "new" }');
  expect(await changed(3)).toEqual([
    `⚠ Kept queue 'old' as it is: it is no longer in ${file}; --prune deletes such entities`,
    "Changed queue 'orders': lockDuration PT1M -> PT5S",
    "Created queue 'new'",
  ]);
  expect(await changed(1)).toEqual([`${file} has changed, and no entity with it`]);
});

test('a change between the start and the watch is applied', async () => {
  await watch({}, () => write('{ "Name": "orders" }', '{ "Name": "old" }', '{ "Name": "new" }'));
  expect(await emulator.queue('new').counts()).toMatchObject({ active: 0 });
});

test('a further namespace in the file is started, and changed as the first one is', async () => {
  const changed = await watch();
  const withNamespace = (second: string) =>
    writeFileSync(
      file,
      `{ "UserConfig": { "Namespaces": [{ "Queues": [{ "Name": "orders" }, { "Name": "old" }] },
        { "Name": "second", "Queues": [${second}] }] } }`,
    );
  withNamespace('{ "Name": "bills" }');
  expect(await changed(1)).toEqual(["Started the namespace 'second'"]);
  const { connectionString } = await emulator.namespace('second');
  expect(connectionString).toContain('@second;');
  withNamespace('{ "Name": "bills" }, { "Name": "new" }');
  expect(await changed(1)).toEqual(["Created [second] queue 'new'"]);
  withNamespace('{ "Name": "bills", "Properties": { "ForwardTo": "nowhere" } }, { "Name": "new" }');
  expect((await changed(2))[0]).toMatch(/JIT.*nowhere.*; Nothing has changed in the namespace 'second'\./);
});

test('with --prune, what is removed is deleted', async () => {
  const changed = await watch({ prune: true });
  write('{ "Name": "orders" }');
  expect(await changed(1)).toEqual(["Deleted queue 'old'"]);
});

test('a change that needs an entity made anew is named with its place', async () => {
  const changed = await watch();
  write('{ "Name": "orders", "Properties": { "RequiresSession": true } }', '{ "Name": "old" }');
  expect(await changed(1)).toEqual([
    `⚠ Kept queue 'orders' as it is: requiresSession is false and cannot become true; delete it to have it made anew (${file}:2:37)`,
  ]);
});

test.each([
  ['{ "Name": "orders", "Properties": { "LockDuration": "PT10M" } }', '2:37', 'must be at most PT5M'],
  ['{ "Name": "new" }, { "Name": "orders", "Properties": { "ForwardTo": "nowhere" } }', '2:56', 'nowhere'],
  ['{ "Name": "orders" ', '3:1', 'not JSON: comma expected'],
])('a file with an error changes nothing, and is told with its place: %s', async (queue, place, text) => {
  const changed = await watch();
  write(queue);
  const [line = ''] = await changed(1);
  expect(line).toMatch(/^✖ JIT2\d+ /);
  expect(line).toContain(place);
  expect(line).toContain(text);
  expect(line).toMatch(/Nothing has changed\.$/);
  await expect(emulator.queue('new').counts()).rejects.toMatchObject({ kind: 'entity-not-found' });
  write('{ "Name": "orders" }', '{ "Name": "new" }', '{ "Name": "old" }');
  expect(await changed(1)).toEqual(["Created queue 'new'"]);
});

test('a file that is gone is said, and changes nothing', async () => {
  const changed = await watch();
  rmSync(file);
  const [line] = await changed(1);
  expect(line).toContain('JIT2001');
});

test.each([
  [{ watch: true }, 'name a Config.json with --config'],
  [{ config: 'Config.json', prune: true }, 'add --watch'],
])('%j is refused', (flags, text) => {
  expect(() => refuseUselessWatch(readSettings(flags, {}))).toThrow(text);
});
