// The link behind one receive over HTTP, where what happens meanwhile is in the hands of the test.

import { expect, test } from 'vitest';
import type { Effect } from '../../../src/broker/contract/effect.js';
import { receiveHead } from '../../../src/http/runtime/head-receiver.js';
import { deliver, type ScriptedTurn, stored } from '../../support/engine-broker.js';
import { type EngineUnderTest, settled, startEngine } from '../../support/engine-under-test.js';
import { unlimitedShare } from '../../support/unlimited-share.js';
import { VirtualTimers } from '../../support/virtual-timers.js';

/** Of the first link that is opened. */
const LINK = 1;
const DRAINED_AT = (deliveredCount: number): Effect => ({ kind: 'drained', linkId: LINK, deliveredCount });

/** `turns` answer what the receiver asks for: the attach, and then each credit. */
async function receive(waitMs: number, turns: readonly ScriptedTurn[]) {
  const under = await startEngine();
  for (const turn of turns) under.broker.next(turn);
  const timers = new VirtualTimers();
  const signal = new AbortController().signal;
  const asked = {
    entityPath: 'orders',
    receiveMode: 'peek-lock',
    waitMs,
    startTimer: timers.startTimer,
    signal,
    share: unlimitedShare(),
  } as const;
  return { ...under, timers, received: receiveHead(under.engine, asked) };
}

function creditsOf({ broker }: Pick<EngineUnderTest, 'broker'>) {
  return broker.executed.flatMap(({ command }) =>
    command.kind === 'set-credit' ? [{ limit: command.deliveryLimit, drain: command.drain }] : [],
  );
}

test('a delivery that comes with the end of the wait is the answer [CRD-02]', async () => {
  const turn = { events: stored(7), effects: [deliver(LINK, 7), DRAINED_AT(1)] };
  const { journal, received } = await receive(0, [{}, turn]);
  journal.isWritingByItself = true;
  await journal.makeDurable();
  expect((await received)?.delivery.contentId).toBe(7);
});

test('after the wait the answer of the broker decides, and a delivery under way wins', async () => {
  const { journal, timers, received, broker } = await receive(30_000, [
    {},
    { events: stored(7), effects: [deliver(LINK, 7)] },
    { effects: [DRAINED_AT(1)] },
  ]);
  timers.advance(30_000);
  journal.isWritingByItself = true;
  await journal.makeDurable();
  expect((await received)?.delivery.contentId).toBe(7);
  expect(creditsOf({ broker })).toEqual([
    { limit: 1, drain: false },
    { limit: 1, drain: true },
  ]);
});

test('a delivery whose lock ended before it was handed out is replaced by another one [RCV-05]', async () => {
  const { journal, broker, received, timers } = await receive(30_000, [
    {},
    { events: stored(7), effects: [deliver(LINK, 7)] },
    { events: stored(8), effects: [deliver(LINK, 8)] },
  ]);
  broker.lostTokens.add('token-7');
  journal.isWritingByItself = true;
  await journal.makeDurable();
  expect((await received)?.delivery.contentId).toBe(8);
  expect(creditsOf({ broker })).toEqual([
    { limit: 1, drain: false },
    { limit: 2, drain: false },
  ]);
  expect(timers.delays).toEqual([]);
});

test('without a wait too, only the answer to the last credit counts', async () => {
  const { journal, broker, received } = await receive(0, [
    {},
    { events: stored(7), effects: [deliver(LINK, 7), DRAINED_AT(1)] },
    { events: stored(8), effects: [deliver(LINK, 8), DRAINED_AT(2)] },
  ]);
  broker.lostTokens.add('token-7');
  journal.isWritingByItself = true;
  await journal.makeDurable();
  expect((await received)?.delivery.contentId).toBe(8);
});

test('when the emulator is being stopped the wait ends with an error', async () => {
  const { engine, journal, timers, received } = await receive(30_000, []);
  journal.isWritingByItself = true;
  const refused = expect(received).rejects.toMatchObject({ reason: 'internal' });
  await settled();
  await engine.stop();
  timers.advance(30_000);
  await refused;
});

test('its link is closed with the answer', async () => {
  const { broker, received } = await receive(0, [{}, { effects: [DRAINED_AT(1)] }]);
  expect(await received).toBeUndefined();
  expect(broker.executed.at(-1)?.command).toEqual({ kind: 'detach', linkId: LINK });
});
