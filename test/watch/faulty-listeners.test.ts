// Functions of a program that throw while they are told what happens: the emulator goes on, and the program learns of the error.

import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../src/emulator.js';

let emulator: Emulator | undefined;
afterEach(() => emulator?.stop());

async function send({ port }: Emulator): Promise<number> {
  const headers = { authorization: 'SharedAccessSignature any' };
  const url = `http://127.0.0.1:${port}/orders/messages`;
  return (await fetch(url, { method: 'POST', headers, body: 'x' })).status;
}

/** The exceptions of the process that nobody catches, which would fail the test run otherwise. */
async function uncaughtWhile(act: () => Promise<void>): Promise<readonly unknown[]> {
  const others = process.listeners('uncaughtException');
  const uncaught: unknown[] = [];
  process.removeAllListeners('uncaughtException').on('uncaughtException', (error) => uncaught.push(error));
  try {
    await act();
  } finally {
    process.removeAllListeners('uncaughtException');
    for (const other of others) process.on('uncaughtException', other);
  }
  return uncaught;
}

test('a log that throws gets every line, and its first error becomes a warning of the process', async () => {
  const texts: string[] = [];
  const warned: Error[] = [];
  const keep = (warning: Error) => warned.push(warning);
  process.on('warning', keep);
  const running = await startEmulator({
    queues: ['orders'],
    logLevel: 'debug',
    log: (_level, text) => {
      texts.push(text);
      throw new Error(`the disk of the log is full`);
    },
  });
  emulator = running;
  expect([await send(running), await send(running)]).toEqual([201, 201]);
  expect(texts.filter((text) => text.includes('Enqueued'))).toHaveLength(2);
  if (warned.length === 0) await once(process, 'warning');
  process.off('warning', keep);
  expect(warned.map(({ name }) => name)).toEqual(['JitneyWarning']);
  expect(warned[0]?.message).toMatch(/at a line of level '\w+'\..*: Error: the disk of the log is full\n/s);
});

test('a listener that throws is called no more, and its error is thrown again as an uncaught exception', async () => {
  const running = await startEmulator({ queues: ['orders'] });
  emulator = running;
  const kinds: string[] = [];
  const uncaught = await uncaughtWhile(async () => {
    running.events.subscribe(({ kind }) => {
      kinds.push(kind);
      throw new Error('expected another kind');
    });
    expect([await send(running), await send(running)]).toEqual([201, 201]);
  });
  expect(uncaught).toEqual([new Error('expected another kind')]);
  expect(kinds).toHaveLength(1);
  expect(running.events.since().filter(({ kind }) => kind === 'enqueued')).toHaveLength(2);
});
