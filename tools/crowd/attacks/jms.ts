// Connections of JMS 2.0 with very many selectors, subscriptions or temporary queues, which go without a word.

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import rhea from 'rhea';
import { int } from '../../../test/support/frame-encoder.js';
import { applicationProperties, dataSection } from '../../../test/support/frame-message.js';
import { ATTACKED_QUEUE, type Attack, about, type Context, hold, type Told } from '../attack.js';
import { control, openConnection, openSender, sendBatch, socketOf } from '../client.js';

const TOPIC = 'events';
const LINKS_AT_A_TIME = 500;
const STORED = 2000;
const BATCH = 1000;
/** By then the attack ends, with the links that were answered. */
const PATIENCE_MS = 40_000;
const LIMIT = 'amqp:resource-limit-exceeded';
const DURABLE = { durable: 2, expiry_policy: 'never' } as const;
const VOLATILE = { durable: 0, expiry_policy: 'link-detach' } as const;

/** What became of the links: how many are open, and how the others were refused, in how many cases. */
type Answers = { openCount: number; readonly refusals: Map<string, number> };

/** A connection in the mode of azure-servicebus-jms. */
async function openJms({ port }: Context): Promise<rhea.Connection> {
  const connection = openConnection(port, 'tcp', { 'com.microsoft:is-client-provider': true });
  await once(connection, 'connection_open');
  return connection;
}

/** Opens links, some hundred at a time, until all are answered. */
async function openMany(
  count: number,
  open: (index: number) => rhea.Receiver | rhea.Sender,
): Promise<Answers> {
  const answers: Answers = { openCount: 0, refusals: new Map() };
  let refusedCount = 0;
  const until = performance.now() + PATIENCE_MS;
  for (let from = 0; from < count; from += LINKS_AT_A_TIME) {
    const end = Math.min(count, from + LINKS_AT_A_TIME);
    for (let index = from; index < end; index++) {
      const link = open(index);
      const error = link.is_receiver() ? 'receiver_error' : 'sender_error';
      link.once(link.is_receiver() ? 'receiver_open' : 'sender_open', () => {
        answers.openCount += 1;
      });
      link.once(error, () => {
        const { condition = '', description = '' } = (link.error ?? {}) as rhea.AmqpError;
        const said = `${condition}: ${description.replace(/[\d,]+/g, '#')}`;
        answers.refusals.set(said, (answers.refusals.get(said) ?? 0) + 1);
        answers.openCount -= 1; // the answer to the attach has come before
        refusedCount += 1;
      });
    }
    while (answers.openCount + refusedCount < end && performance.now() < until) await sleep(1);
  }
  return answers;
}

/** What is refused is refused for its number, with the limit in the text. */
function told(
  what: string,
  { openCount, refusals }: Answers,
  { temporary = [], missing = [] }: { temporary?: readonly string[]; missing?: readonly string[] } = {},
): Told {
  const wrong = [...refusals.keys()].filter(
    (said) => !said.startsWith(LIMIT) || !said.includes('limit is #'),
  );
  const refused = [...refusals.values()].map((count) => `${count} refused`);
  return {
    text: [`${openCount} ${what}`, ...refused].join(', '),
    problems: [...wrong.map((said) => `refused with ${said.slice(0, 300)}`), ...missing],
    temporary,
  };
}

/** While their client is there, they are, too. */
async function missingOf({ port }: Context, paths: readonly string[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const path of paths) {
    const { status, text } = await control(port, `entity?entity=${encodeURIComponent(path)}`);
    if (status !== 200) problems.push(`${path} is not there: ${status} ${text.slice(0, 200)}`);
  }
  return problems;
}

/** One in two messages is taken by each selector, which reads all of the text. */
function selectorOf({ random }: Context, index: number): string {
  const text = `number IN ('${index}') OR number >= ${STORED / 2} OR name LIKE '%${index}%'`;
  return text.padEnd(random.integer(text.length, 400));
}

async function store(context: Context, count: number): Promise<void> {
  const sender = await openSender(openConnection(context.port), ATTACKED_QUEUE);
  for (let sent = 0; sent < count; sent += BATCH) {
    const messages = Array.from({ length: Math.min(BATCH, count - sent) }, (_, index) =>
      Buffer.concat([applicationProperties({ number: int(sent + index) }), dataSection('x')]),
    );
    await sendBatch(sender, messages);
  }
}

/** Consumers that look through all messages; then many more come, and some that were received come back. */
async function selectors(context: Context): Promise<Told> {
  const connection = await openJms(context);
  const answers = await openMany(about(context, 10_000), (index) => {
    const filter = rhea.filter.selector(selectorOf(context, index));
    const source = { address: ATTACKED_QUEUE, filter };
    const name = `selecting ${index}`;
    const receiver = connection.open_receiver({ name, source, credit_window: 0, autoaccept: false });
    receiver.add_credit(1);
    return receiver;
  });
  const taker = openConnection(context.port);
  taker.open_receiver({ source: ATTACKED_QUEUE, credit_window: 0, autoaccept: false }).add_credit(STORED);
  await hold(context, 2000);
  await store(context, STORED);
  socketOf(taker).destroy();
  await hold(context);
  socketOf(connection).destroy();
  await hold(context, 2000);
  return told('selectors', answers);
}

async function subscriptions(context: Context): Promise<Told> {
  const connection = await openJms(context);
  const answers = await openMany(about(context, 10_000), (index) => {
    const isDurable = index % 2 === 0;
    const filter = index % 3 === 0 ? rhea.filter.selector(`number = ${index}`) : undefined;
    return connection.open_receiver({
      name: isDurable ? `durable-${index}` : `volatile-${index}|volatile1`,
      source: {
        address: TOPIC,
        ...(isDurable ? DURABLE : VOLATILE),
        capabilities: ['topic', 'shared', 'global'],
        ...(filter && { filter }),
      },
      credit_window: 10,
    });
  });
  await hold(context);
  const temporary = [1, 101, 1001].map((index) => `${TOPIC}/Subscriptions/volatile-${index}$$ND`);
  const missing = await missingOf(context, temporary.slice(0, 1));
  socketOf(connection).destroy();
  await hold(context, 2000);
  return told('subscriptions', answers, { temporary, missing });
}

async function temporaryQueues(context: Context): Promise<Told> {
  const connection = await openJms(context);
  const senders: rhea.Sender[] = [];
  const answers = await openMany(about(context, 10_000), () => {
    const target = { dynamic: true, ...VOLATILE, capabilities: ['temporary-queue'] };
    const sender = connection.open_sender({ name: `temporary ${senders.length}`, target });
    senders.push(sender);
    return sender;
  });
  for (const sender of senders) if (sender.is_open() && sender.sendable()) sender.send({ body: 'x' });
  await hold(context);
  const temporary = [senders[0], senders[answers.openCount - 1]].map(
    (sender) => sender?.target.address ?? '',
  );
  const missing = await missingOf(context, temporary);
  socketOf(connection).destroy();
  await hold(context, 2000);
  return told('temporary queues', answers, { temporary, missing });
}

export const JMS_ATTACKS: Readonly<Record<string, Attack>> = {
  selectors: {
    about: '10,000 different selectors on a queue, to which messages come and come back, go at once',
    prepare: (context) => store(context, STORED),
    run: selectors,
  },
  'jms-subscriptions': {
    about: '10,000 subscriptions of JMS, volatile and durable, go with their connection or stay',
    options: ['--topic', TOPIC],
    run: subscriptions,
  },
  'temporary-queues': {
    about: '10,000 temporary queues with a message go with their connection',
    run: temporaryQueues,
  },
};
