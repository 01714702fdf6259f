// Data directories and snapshots of all formats that were ever released, which this version opens, and one of a later version, which it
// refuses. `data-directory/make.ts` has made them.

import { createHash, randomUUID } from 'node:crypto';
import { cp, readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chunksOf } from '../src/journal/table/row-store.js';
import { ROW_KIND } from '../src/journal/table/rows/keys.js';
import { sealOf, withSeal } from '../src/journal/table/seal.js';
import { placeIn, putRow } from '../test/support/journal-places.js';
import { describeData } from './data-directory/description.js';
import { callControl } from './support/control.js';
import { Jitney } from './support/jitney.js';
import { connect, takeAll } from './support/service-bus.js';
import { type TemporaryDirectory, temporaryDirectory } from './support/temporary-directory.js';

const FIXTURES = fileURLToPath(new URL('data-directory', import.meta.url));
const FORMATS = (await readdir(FIXTURES)).filter((name) => name.startsWith('format-'));
const REMEDY =
  'A released format must stay readable, and a new one gets a folder of its own. Only before the first release: npx tsx compat-tests/data-directory/make.ts';
const NAMESPACES = ['default', 'tests-1'];
const extraArguments = ['--namespaces', 'tests-1'];
/** Written while a purge goes on, or after the clock of the machine was set back. */
const NOT_ALWAYS: readonly string[] = [ROW_KIND.discarded, ROW_KIND.timeEpochs];
/** In the log only: the table has pages of them. */
const IN_LOG: readonly string[] = [ROW_KIND.message, ROW_KIND.messageId];
/** LevelDB's diary and lock, which hold no data. */
const NO_DATA = /^(?:LOG|LOG\.old|LOCK)$/;

let directory: TemporaryDirectory;

beforeAll(async () => {
  directory = await temporaryDirectory();
});

afterAll(() => directory[Symbol.asyncDispose]());

test('there is a data directory of the present format, and it has every kind of row', async () => {
  expect(FORMATS).toContain('format-1');
  const kinds = new Set<string>();
  await placeIn(join(await copyOf('format-1'), 'journal')).withRows(async (rows) => {
    for await (const chunk of chunksOf(rows))
      for (const [key] of chunk) kinds.add(/^\D+/.exec(key)?.[0] ?? key);
  });
  const expected = Object.values(ROW_KIND).filter((kind) => ![...NOT_ALWAYS, ...IN_LOG].includes(kind));
  expect([...kinds].sort()).toEqual(expected.sort());
});

test.each(FORMATS)('a data directory of %s is opened with everything that was in it', async (format) => {
  const dataDirectory = await copyOf(format);
  await using jitney = await Jitney.start({ dataDirectory, extraArguments });
  const expected = await expectedOf(format);
  for (const namespace of NAMESPACES)
    expect(await describeData(jitney, namespace), REMEDY).toMatchObject(expected[namespace] ?? {});

  await using client = connect(jitney.connectionString);
  const [, , last] = await takeAll(client, 'orders');
  expect(last?.body).toBe('last');
  await client.createSender('orders').sendMessages({ body: 'next' });
  for (const messageId of ['m-1', 'm-2', 'm-3']) // the window of duplicate detection goes on
    await client.createSender('once').sendMessages({ body: messageId, messageId });
  expect((await takeAll(client, 'once')).map(({ body }) => body)).toEqual(['again', 'm-3']);
  await callControl(jitney, 'clock:advance', { by: 'PT1H' });
  const [next, scheduled] = await takeAll(client, 'orders');
  expect([next?.body, scheduled?.body]).toEqual(['next', 'scheduled']);
  expect(Number(next?.sequenceNumber)).toBe(Number(last?.sequenceNumber) + 1);
});

test.each(FORMATS)('a snapshot of %s is restored with everything that was in it', async (format) => {
  await using jitney = await Jitney.start({ extraArguments: ['--clock', 'virtual'] });
  const body = await readFile(join(FIXTURES, format, 'snapshot'));
  const address = `http://localhost:${jitney.address.port}/$jitney/v1/snapshot`;
  const headers = { 'content-type': 'application/octet-stream' };
  const answer = await fetch(address, { method: 'PUT', headers, body });
  expect(answer.status, await answer.text()).toBe(200);
  expect(await describeData(jitney, 'default'), REMEDY).toMatchObject(
    (await expectedOf(format)).default ?? {},
  );
});

test.each(NAMESPACES)(
  'a data directory whose namespace %s has a newer format is refused, and not a byte of it changes',
  async (namespace) => {
    const dataDirectory = await copyOf('format-1', `newer-${namespace}`);
    const own = namespace === 'default' ? dataDirectory : join(dataDirectory, 'namespaces', namespace);
    await placeIn(join(own, 'journal')).withRows((rows) =>
      putRow(rows, 'F', withSeal(sealOf('F', '2'), '2')),
    );
    const before = await digestsOf(dataDirectory);

    const refused = await Jitney.failToStart({ dataDirectory, extraArguments });

    expect((await refused.exited).code).toBe(1);
    expect(refused.stderr).toContain('✖ JIT4004');
    expect(refused.stderr).toContain('it has format 2, but this version reads only format 1');
    expect(await digestsOf(dataDirectory)).toEqual(before);
  },
);

async function copyOf(format: string, name = `${format}-${randomUUID()}`): Promise<string> {
  const copy = join(directory.path, name);
  await cp(join(FIXTURES, format, 'data'), copy, { recursive: true });
  return copy;
}

async function expectedOf(format: string): Promise<Readonly<Record<string, object>>> {
  return JSON.parse(await readFile(join(FIXTURES, format, 'expected.json'), 'utf8'));
}

/** A digest of each file, by its path. */
async function digestsOf(root: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && !NO_DATA.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
  const digests = paths.sort().map(async (path) => {
    const digest = createHash('sha256').update(await readFile(path));
    return [relative(root, path), digest.digest('hex')] as const;
  });
  return Object.fromEntries(await Promise.all(digests));
}
