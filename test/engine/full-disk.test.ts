// A disk that is nearly full: what stores contents is refused, and what makes room goes on.

import { expect, test } from 'vitest';
import type { Command, SingleCommand } from '../../src/broker/contract/command.js';
import { settled, startEngine } from '../support/engine-under-test.js';

const FULL = 'The disk has 40 MB left.';
const SEND: SingleCommand = { kind: 'send', entityPath: 'orders', messages: [] };
const ENLIST: Command = { kind: 'enlist', transactionId: 1, connectionId: 1, command: SEND };

async function startFull() {
  const started = await startEngine();
  Object.assign(started.journal, { refusal: FULL });
  return started;
}

test('sends are refused with quota-exceeded and the reason, also in a transaction, and do not reach the broker', async () => {
  const { engine, broker } = await startFull();
  const executedCount = broker.executed.length;
  for (const command of [SEND, ENLIST]) {
    expect(await engine.ask(command)).toMatchObject({
      kind: 'failed',
      error: { reason: 'quota-exceeded', message: FULL },
    });
  }
  expect(broker.executed).toHaveLength(executedCount);
});

test('other commands go on, and sends as soon as there is room again', async () => {
  const { engine, broker, journal, told, submit } = await startFull();
  submit(1);
  await settled();
  expect(told).toEqual(['result 1 done']);
  Object.assign(journal, { refusal: undefined });
  broker.next({});
  expect(await engine.ask(SEND)).toMatchObject({ kind: 'done' });
});
