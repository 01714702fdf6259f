// Snapshots of a running emulator as bytes: in code, over the control interface, on the disk, and what is refused.

import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EmulatorOptions } from '../src/config/options/emulator-options.js';
import { type Emulator, startEmulator } from '../src/emulator.js';

const QUEUES = ['orders', 'jobs?requiresSession=true'];

async function start(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ queues: QUEUES, tls: 'off', ...options });
  onTestFinished(() => emulator.stop());
  return emulator;
}

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'jitney-snapshots-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

const urlOf = ({ port }: Emulator, call: string) => `http://localhost:${port}/$jitney/v1/${call}`;

async function send(emulator: Emulator, entity: string, messages: readonly object[]): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(messages);
  const { status } = await fetch(urlOf(emulator, `messages?entity=${entity}`), {
    method: 'POST',
    headers,
    body,
  });
  expect(status).toBe(200);
}

const bodiesIn = async (emulator: Emulator, queue = 'orders') =>
  (await emulator.queue(queue).messages()).map(({ body }) => body);

test('a test goes back to what it had prepared, as often as it likes', async () => {
  const emulator = await start();
  await send(emulator, 'orders', [{ body: { id: 1 } }, { body: 'two', subject: 'x' }]);
  const prepared = await emulator.snapshot();
  for (let time = 0; time < 3; time++) {
    await send(emulator, 'orders', [{ body: 'three' }]);
    await emulator.queue('jobs').purge();
    expect(await emulator.restore(prepared)).toBe(2);
    expect(await bodiesIn(emulator)).toEqual([{ id: 1 }, 'two']);
  }
});

test('it is restored over the control interface in another emulator, whose data directory keeps it', async () => {
  const from = await start();
  await send(from, 'orders', [{ body: 'a' }]);
  const taken = await fetch(urlOf(from, 'snapshot'));
  expect(taken.headers.get('content-type')).toBe('application/octet-stream');
  const body = await taken.arrayBuffer();

  const dataDirectory = await temporaryDirectory();
  const to = await startEmulator({ queues: ['other'], tls: 'off', dataDirectory });
  const answer = await fetch(urlOf(to, 'snapshot'), { method: 'PUT', body });
  expect({ status: answer.status, ...((await answer.json()) as object) }).toEqual({ status: 200, count: 1 });
  await expect(to.queue('other').messages()).rejects.toThrow("'other'");
  await to.stop();
  const again = await start({ queues: [], dataDirectory });
  expect(await bodiesIn(again)).toEqual(['a']);
});

test('a restore that a kill cuts off has happened or has not, wherever its last write ends', async () => {
  const from = await start();
  await send(from, 'orders', [{ body: 'new' }, { body: 'newer' }, { body: 'newest' }]);
  const dataDirectory = await temporaryDirectory();
  const emulator = await start({ dataDirectory });
  await send(emulator, 'orders', [{ body: 'old' }, { body: 'older' }]);
  const lengthBefore = (await stat(await segmentIn(dataDirectory))).size;
  // The table as it was: what the table holds half a second after a restore is in a segment that no kill shortens.
  const killed = await temporaryDirectory();
  await cp(dataDirectory, killed, { recursive: true });
  await emulator.restore(await from.snapshot());
  const segment = await segmentIn(killed);
  await cp(await segmentIn(dataDirectory), segment);
  const length = (await stat(segment)).size;
  const found: string[] = [];
  for (const part of [1, 0.7, 0.4, 0.01, 0]) {
    await truncate(segment, lengthBefore + Math.floor((length - lengthBefore) * part));
    const copy = await temporaryDirectory();
    await cp(killed, copy, { recursive: true });
    const again = await start({ dataDirectory: copy });
    found.push((await bodiesIn(again)).join(' '));
    await again.stop();
  }
  expect(found).toEqual(['new newer newest', ...Array(4).fill('old older')]);
});

test('it is taken of a directory whose contents are no longer in memory', async () => {
  const emulator = await start({ dataDirectory: await temporaryDirectory(), contentBudgetBytes: 0 });
  const messages = Array.from({ length: 300 }, (_, body) => ({ body: `message ${body}` }));
  await send(emulator, 'orders', messages);
  const snapshot = await emulator.snapshot();
  await emulator.reset();
  expect(await emulator.restore(snapshot)).toBe(300);
  expect(await bodiesIn(emulator)).toEqual(messages.map(({ body }) => body));
});

describe('what is refused changes nothing and says what is wrong', () => {
  async function refusalOf(change: (snapshot: Buffer) => Uint8Array): Promise<string> {
    const emulator = await start();
    await send(emulator, 'orders', [{ body: 'a' }]);
    const snapshot = Buffer.from(await emulator.snapshot());
    await send(emulator, 'orders', [{ body: 'b' }]);
    const error = await emulator.restore(change(snapshot)).then(
      () => undefined,
      (cause: unknown) => cause,
    );
    expect(error).toMatchObject({ code: 'JIT7006', kind: 'bad-snapshot' });
    expect(await bodiesIn(emulator)).toEqual(['a', 'b']);
    return (error as Error).message;
  }

  test.each([
    [
      'another format',
      (bytes: Buffer) => renamed(bytes, 'jitney snapshot 2\n'),
      'it has format 2, and this version reads only format 1',
    ],
    ['something else', () => Buffer.from('{"messages":[]}'), String.raw`it begins with "{\"messages\":[]}"`],
    ['nothing', () => Buffer.alloc(0), 'it begins with nothing'],
    ['a cut end', (bytes: Buffer) => bytes.subarray(0, -1), 'its rows or its length'],
    ['more behind it', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('x')]), 'its rows or its length'],
    ['a changed row', (bytes: Buffer) => changed(bytes, bytes.indexOf('orders')), 'its rows or its length'],
    ['a changed content', (bytes: Buffer) => changed(bytes, bytes.length - 1), 'is not as it was written'],
  ])('%s', async (_, change, said) => {
    expect(await refusalOf(change)).toContain(said);
  });

  test('any other value', async () => {
    const emulator = await start();
    await expect(emulator.restore('file' as never)).rejects.toThrow(
      "restore takes the Uint8Array that snapshot() has given, not the text 'file'.",
    );
  });

  test('over the control interface', async () => {
    const emulator = await start();
    const body = readFileSync(new URL(import.meta.url));
    const answer = await fetch(urlOf(emulator, 'snapshot'), { method: 'PUT', body });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: { code: 'bad-request', message: expect.stringContaining('it begins with "// Snapshots of') },
    });
  });

  test('a stopped emulator', async () => {
    const emulator = await start();
    await emulator.stop();
    await expect(emulator.snapshot()).rejects.toMatchObject({ kind: 'not-running' });
  });
});

/** The last file of the log. */
async function segmentIn(directory: string): Promise<string> {
  const names = await readdir(directory, { recursive: true });
  const [last] = names
    .filter((name) => name.endsWith('.segment'))
    .sort()
    .slice(-1);
  return join(directory, last ?? 'none');
}

function renamed(bytes: Buffer, line: string): Buffer {
  return Buffer.concat([Buffer.from(line), bytes.subarray(bytes.indexOf('\n') + 1)]);
}

function changed(bytes: Buffer, offset: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[offset] = (copy[offset] ?? 0) ^ 1;
  return copy;
}
