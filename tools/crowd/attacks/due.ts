// Attacks with work that falls due at once, and with a clock that is moved far.

import { setTimeout as sleep } from 'node:timers/promises';
import { timestamp, uint } from '../../../test/support/frame-encoder.js';
import { dataSection, headerSection, messageAnnotations } from '../../../test/support/frame-message.js';
import { ATTACKED_QUEUE, type Attack, about, type Context, oneOf, type Told } from '../attack.js';
import { ask, control, openConnection, openSender, sendBatch } from '../client.js';

const BATCH = 2000;
const PATIENCE_MS = 45_000;
const TO = 'destination';
const SHORT_LOCK_QUEUE = 'short-lock';
const DAY_MS = 24 * 3_600_000;
/** From the beginning of the filling, so that it is done by then. */
const LEAST_DELAY_MS = 5000;
const FILLED_A_MS = 8;

/** What falls due: a schedule, the end of a time to live, or forwarding that begins. */
const KINDS = ['schedule', 'expire', 'forward'] as const;
type Kind = (typeof KINDS)[number];

/** `most`: the count of messages, which are there before they fall due. */
function dueAtOnce(most: number): Pick<Attack, 'prepare' | 'run'> {
  let plan: { readonly kind: Kind; readonly count: number; readonly dueAt: number };
  return {
    async prepare(context) {
      const kind = oneOf(context.random, ...KINDS);
      const count = Math.min(most, about(context, most));
      plan = { kind, count, dueAt: Math.round(Date.now() + LEAST_DELAY_MS + count / FILLED_A_MS) };
      await fill(context.port, count, () => messageDue(plan.kind, plan.dueAt));
    },
    async run({ port }) {
      const { kind, count, dueAt } = plan;
      if (kind === 'forward') await forward(port);
      else await sleep(dueAt - Date.now());
      const startedAt = Date.now();
      while (Date.now() < startedAt + PATIENCE_MS && (await isWaiting(port, kind))) await sleep(200);
      const doneMs = Date.now() - startedAt;
      return { text: `${count} messages ${kind} at once, done after ${(doneMs / 1000).toFixed(1)} s` };
    },
  };
}

async function fill(port: number, count: number, message: () => Buffer): Promise<void> {
  const connection = openConnection(port);
  const sender = await openSender(connection, ATTACKED_QUEUE);
  for (let sent = 0; sent < count; sent += BATCH) {
    await sendBatch(sender, Array.from({ length: Math.min(BATCH, count - sent) }, message));
  }
  connection.close();
}

function messageDue(kind: Kind, dueAt: number): Buffer {
  const data = dataSection('x');
  if (kind === 'forward') return data;
  if (kind === 'expire')
    return Buffer.concat([headerSection({ ttl: uint(Math.max(1, dueAt - Date.now())) }), data]);
  return Buffer.concat([messageAnnotations({ 'x-opt-scheduled-enqueue-time': timestamp(dueAt) }), data]);
}

async function forward(port: number): Promise<void> {
  const description = `<QueueDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"><ForwardTo>sb://localhost/${TO}</ForwardTo></QueueDescription>`;
  const { status, text } = await ask(port, {
    path: `/${ATTACKED_QUEUE}?api-version=2021-05`,
    method: 'PUT',
    headers: { 'content-type': 'application/atom+xml', 'if-match': '*' },
    body: `<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml">${description}</content></entry>`,
  });
  if (status !== 200) throw new Error(`the queue was not changed: ${status} ${text}`);
}

async function isWaiting(port: number, kind: Kind): Promise<boolean> {
  const { text } = await control(port, `entity?entity=${ATTACKED_QUEUE}`);
  const { counts } = JSON.parse(text) as { counts: { active: number; scheduled: number } };
  return (kind === 'schedule' ? counts.scheduled : counts.active) > 0;
}

/** Times beyond the last one, which are refused, then a day beside a lock that ends every millisecond, which others must be able to end. */
async function farAdvance({ port, random }: Context): Promise<Told> {
  const problems: string[] = [];
  for (const by of [8.64e15, 8.64e15 * random.between(1, 2), Number.MAX_VALUE, 'P300000000D']) {
    const { status, text } = await control(port, 'clock:advance', { by });
    if (status !== 400) problems.push(`an advance by ${by} was answered ${status}: ${text.slice(0, 100)}`);
  }
  const connection = openConnection(port);
  const options = { source: SHORT_LOCK_QUEUE, autoaccept: false, credit_window: 0 };
  connection.open_receiver(options).add_credit(2000);
  const sender = await openSender(connection, SHORT_LOCK_QUEUE);
  await sendBatch(sender, Array<Buffer>(random.integer(1, 5)).fill(dataSection('x')));
  for (const call of ['clock:freeze', 'clock:reset']) {
    const advance = control(port, 'clock:advance', { by: random.integer(1, 7) * DAY_MS });
    await sleep(random.integer(500, 2000));
    const { status, tookMs } = await control(port, call, {});
    if (status !== 200 || tookMs > 2000)
      problems.push(`${call} was answered ${status} after ${tookMs.toFixed(0)} ms`);
    const ended = await Promise.race([advance, sleep(2000)]);
    if (ended === undefined) problems.push(`the advance went on after ${call}`);
  }
  const { status } = await control(port, 'reset', { all: true });
  if (status !== 200) problems.push(`the reset was answered ${status}`);
  return { text: 'four advances beyond the last time, two that were ended', problems };
}

const DUE_OPTIONS = ['--queue', TO];

export const DUE_ATTACKS: Readonly<Record<string, Attack>> = {
  due: {
    about: '300,000 messages fall due or are forwarded at once',
    options: DUE_OPTIONS,
    ...dueAtOnce(300_000),
  },
  'due-comfortable': {
    column: 'comfortable',
    about: '100,000 messages fall due or are forwarded at once',
    options: DUE_OPTIONS,
    ...dueAtOnce(100_000),
  },
  'far-advance': {
    about: 'the clock is moved beyond the last time, and by days beside a lock of 1 ms',
    options: ['--queue', `${SHORT_LOCK_QUEUE}?lockDuration=PT0.001S&maxDeliveryCount=2147483647`],
    run: farAdvance,
  },
};
