// An hour of traffic, as fast as it goes, with dead letters from the first minute on, and what the control interface says of it then: it must
// be true, however much has happened since, and again after a restart. `npm run measure -- hour` runs all of it, a test a short one.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceBusClient, ServiceBusReceivedMessage, ServiceBusReceiver } from '@azure/service-bus';
import type {
  CausesAnswer,
  MessagesAnswer,
  SearchHitAnswer,
} from '../../src/http/control/control-schemas.js';
import { EventStream } from '../../src/watch/event-stream.js';
import { callControl, countsOf } from '../support/control.js';
import { Jitney } from '../support/jitney.js';
import { connect } from '../support/service-bus.js';

export type Check = { readonly what: string; readonly isRight: boolean; readonly seen: string };

export type HourOptions = {
  readonly messageCount: number;
  readonly dataDirectory: string;
  readonly progress?: (completedCount: number) => void;
};

export const DEAD_LETTERS = 117;
const WORK = 'work';
const LATE = 'late';
const QUEUES = [`${WORK}?maxDeliveryCount=3`, `${LATE}?deadLetteringOnMessageExpiration=true`];
/** Each of the dead letters has one of these. */
const REASONS = ['InvalidPayload', 'CustomerUnknown', 'MaxDeliveryCountExceeded', 'TTLExpiredException'];
/** A second of traffic, sent at once. */
const PER_BATCH = 300;
const MOST_WAITING = 3000;
const LAST_LIMIT_MS = 60_000;
/** Two clocks look at a send: the program's when it was accepted, and the emulator's at the end of the second. */
const CLOCK_TOLERANCE_MS = 2500;

type Rates = {
  readonly from: string;
  readonly stepMs: number;
  readonly entities: readonly { readonly path: string; readonly in: readonly (number | null)[] }[];
};
type History = {
  readonly events: readonly { readonly kind: string }[];
  readonly isComplete: boolean;
  readonly since?: string;
};
type DeadLetter = Pick<
  MessagesAnswer['messages'][number],
  'messageId' | 'sequenceNumber' | 'deadLetteredTime' | 'lastHolder'
>;

/** Sends and receives, asks, restarts and asks again. */
export async function runHour(options: HourOptions): Promise<readonly Check[]> {
  const { dataDirectory } = options;
  const start = () => Jitney.start({ queues: QUEUES, dataDirectory });
  let jitney = await start();
  try {
    const sent = await traffic(jitney, options);
    const deadLetters = await allDeadLetters(jitney);
    const before = [
      ['causes account for all dead letters', checkCauses],
      ['the history of the first dead letter reaches from its arrival to its death', checkHistory],
      ['rates of the last five minutes are what was sent', () => checkRates(jitney, sent)],
      ['search finds the first dead letter', checkSearch],
    ] as const;
    const checks = await ask(jitney, before);
    await jitney.stop();
    jitney = await start();
    const after = [
      ['causes account for all dead letters', checkCauses],
      ['times of death and last holders are as before', () => checkKept(deadLetters, jitney)],
      ['the history says from when it reaches', checkHistoryReach],
      ['search finds the first dead letter', checkSearch],
      ['rates begin with a gap', checkGap],
    ] as const;
    const restarted = await ask(jitney, after);
    return [...checks, ...restarted.map((check) => ({ ...check, what: `after a restart: ${check.what}` }))];
  } finally {
    await jitney.stop();
  }
}

type Outcome = Omit<Check, 'what'>;

/** A question that fails is answered wrongly. */
async function ask(
  jitney: Jitney,
  questions: readonly (readonly [what: string, answer: (jitney: Jitney) => Promise<Outcome>])[],
): Promise<readonly Check[]> {
  const checks: Check[] = [];
  for (const [what, answer] of questions) {
    const outcome = await answer(jitney).catch((error: Error) => outcomeOf(false, [error.message]));
    checks.push({ what, ...outcome });
  }
  return checks;
}

type Sent = readonly { readonly atMs: number; readonly count: number }[];

/** Resolves when everything is completed or dead. */
async function traffic(jitney: Jitney, { messageCount, progress }: HourOptions): Promise<Sent> {
  await using client = connect(jitney.connectionString);
  const consumer = consume(client);
  const [work, late] = [client.createSender(WORK), client.createSender(LATE)];
  const sent: { atMs: number; count: number }[] = [];
  let poisonCount = 0;
  for (let sentCount = 0; sentCount < messageCount; ) {
    const count = Math.min(PER_BATCH, messageCount - sentCount);
    const ids = Array.from({ length: count }, (_, index) => `m-${sentCount + index}`);
    const poison: string[] = [];
    // Evenly among the others, the first one in the first batch.
    while (poisonCount < DEAD_LETTERS && (poisonCount * messageCount) / DEAD_LETTERS < sentCount + count) {
      poison.push(idOfPoison(poisonCount++));
    }
    const expiring = poison.filter((id) => reasonOf(id) === 'TTLExpiredException');
    const others = [...ids, ...poison.filter((id) => !expiring.includes(id))];
    await work.sendMessages(others.map((messageId) => ({ messageId, body: { messageId } })));
    sent.push({ atMs: Date.now(), count: others.length });
    if (expiring.length > 0) {
      await late.sendMessages(expiring.map((messageId) => ({ messageId, body: null, timeToLive: 1 })));
    }
    sentCount += count;
    while (consumer.completedCount < sentCount - MOST_WAITING) await sleep(1);
    progress?.(consumer.completedCount);
  }
  await until(
    async () => consumer.completedCount === messageCount && (await deadCount(jitney)) === DEAD_LETTERS,
  );
  // The samples of the last second are taken at its end.
  await sleep(1500);
  return sent;
}

/**
 * Completes what it gets, and has a reason for each poison message. These are settled alone: rhea 3.0.5 puts an abandoned message and one
 * that is completed in the same moment into one disposition, which abandons both.
 */
function consume(client: ServiceBusClient): { readonly completedCount: number } {
  const receiver = client.createReceiver(WORK);
  const state = { completedCount: 0 };
  const goOn = async () => {
    while (!receiver.isClosed) {
      const messages = await receiver.receiveMessages(PER_BATCH, { maxWaitTimeInMs: 1000 });
      const good = messages.filter(({ messageId }) => reasonOf(String(messageId)) === undefined);
      await Promise.all(good.map((message) => receiver.completeMessage(message)));
      state.completedCount += good.length;
      for (const message of messages) {
        const reason = reasonOf(String(message.messageId));
        if (reason !== undefined) await reject(receiver, message, reason);
      }
    }
  };
  goOn().catch((error: Error) => {
    if (!receiver.isClosed) console.error(error.message);
  });
  return state;
}

async function reject(
  receiver: ServiceBusReceiver,
  message: ServiceBusReceivedMessage,
  reason: string,
): Promise<void> {
  if (reason === 'MaxDeliveryCountExceeded') return receiver.abandonMessage(message);
  const [, number] = String(message.messageId).split('-');
  await receiver.deadLetterMessage(message, {
    deadLetterReason: reason,
    deadLetterErrorDescription: `line ${number} of order ${crypto.randomUUID()} is wrong`,
  });
}

function idOfPoison(index: number): string {
  return `poison-${index}-${REASONS[index % REASONS.length]}`;
}

/** Undefined for a message that is completed. */
function reasonOf(messageId: string): string | undefined {
  return messageId.startsWith('poison-') ? messageId.split('-')[2] : undefined;
}

async function deadCount(jitney: Jitney): Promise<number> {
  const [work, late] = [await countsOf(jitney, WORK), await countsOf(jitney, LATE)];
  return (work.deadLetter ?? 0) + (late.deadLetter ?? 0);
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const endAt = Date.now() + LAST_LIMIT_MS;
  while (!(await isTrue())) {
    if (Date.now() > endAt) throw new Error('some messages were neither completed nor dead-lettered');
    await sleep(50);
  }
}

async function allDeadLetters(jitney: Jitney): Promise<readonly DeadLetter[]> {
  const lists = [WORK, LATE].map((queue) =>
    callControl<MessagesAnswer>(jitney, `messages?entity=${queue}/$DeadLetterQueue&order=newest&limit=250`),
  );
  return (await Promise.all(lists)).flatMap(({ messages }) => messages);
}

/** Each reason is one cause, with all its messages, whatever numbers and ids their descriptions name. */
async function checkCauses(jitney: Jitney): Promise<Outcome> {
  const { causes } = await callControl<CausesAnswer>(jitney, 'causes');
  const dead = causes.filter(({ kind }) => kind === 'dead-letters');
  const seen = dead.map(({ reason, count }) => `${count} ${reason}`).sort();
  const expected = REASONS.map((reason) => {
    const count = Array.from({ length: DEAD_LETTERS }, (_, index) => idOfPoison(index)).filter(
      (id) => reasonOf(id) === reason,
    ).length;
    return `${count} ${reason}`;
  }).sort();
  return outcomeOf(seen.join() === expected.join(), seen);
}

async function firstPoison(jitney: Jitney): Promise<DeadLetter | undefined> {
  const call = `messages?entity=${WORK}/$DeadLetterQueue&filter=id:${idOfPoison(0)}`;
  const { messages } = await callControl<MessagesAnswer>(jitney, call);
  return messages[0];
}

function historyOf(jitney: Jitney, { sequenceNumber }: DeadLetter): Promise<History> {
  const call = `history?entity=${WORK}/$DeadLetterQueue&sequenceNumber=${sequenceNumber}`;
  return callControl<History>(jitney, call);
}

async function checkHistory(jitney: Jitney): Promise<Outcome> {
  const first = await firstPoison(jitney);
  if (first === undefined) return outcomeOf(false, ['the message is not found']);
  const { events, isComplete } = await historyOf(jitney, first);
  const kinds = events.map(({ kind }) => kind);
  const isThere = ['enqueued', 'locked', 'dead-lettered'].every((kind) => kinds.includes(kind));
  return outcomeOf(isComplete && isThere, [...kinds, isComplete ? 'complete' : 'incomplete']);
}

/** Nothing is known from before the restart, and the answer says so. */
async function checkHistoryReach(jitney: Jitney): Promise<Outcome> {
  const first = await firstPoison(jitney);
  if (first === undefined) return outcomeOf(false, ['the message is not found']);
  const { isComplete, since } = await historyOf(jitney, first);
  const isReported = !isComplete && since !== undefined;
  return outcomeOf(isReported, [`${isComplete ? 'complete' : 'incomplete'}, since ${since}`]);
}

async function ratesOf(
  jitney: Jitney,
): Promise<{ readonly fromMs: number; readonly values: Rates['entities'][0]['in'] }> {
  const rates = await callControl<Rates>(jitney, `rates?entity=${WORK}&stepMs=1000`);
  const values = rates.entities.find(({ path }) => path === WORK)?.in ?? [];
  return { fromMs: Date.parse(rates.from), values };
}

async function checkRates(jitney: Jitney, sent: Sent): Promise<Outcome> {
  const { fromMs, values } = await ratesOf(jitney);
  const counted = values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  const since = (atMs: number) => sent.reduce((sum, each) => sum + (each.atMs >= atMs ? each.count : 0), 0);
  const [least, most] = [since(fromMs + CLOCK_TOLERANCE_MS), since(fromMs - CLOCK_TOLERANCE_MS)];
  const isTrue = counted > 0 && counted >= least && counted <= most;
  return outcomeOf(isTrue, [`${counted} in, of ${least} to ${most} sent`]);
}

/** Nobody sampled before the start. */
async function checkGap(jitney: Jitney): Promise<Outcome> {
  const { values } = await ratesOf(jitney);
  const counted = values.filter((value) => value !== null && value > 0);
  const isGap = values.length > 0 && values[0] === null && counted.length === 0;
  return outcomeOf(isGap, [`${values.filter((value) => value === null).length} of ${values.length} empty`]);
}

async function checkSearch(jitney: Jitney): Promise<Outcome> {
  const id = idOfPoison(0);
  const hits = await search(jitney, id);
  const seen = hits.map(({ path, subQueue, messageId }) => `${path} ${subQueue} ${messageId}`);
  return outcomeOf(seen.join() === `${WORK} deadletter ${id}`, seen);
}

async function search(jitney: Jitney, text: string): Promise<readonly SearchHitAnswer[]> {
  const url = `http://localhost:${jitney.address.port}/$jitney/v1/search?text=${text}`;
  const events = new EventStream().read(await (await fetch(url)).text());
  return events.filter(({ type }) => type === 'hit').map(({ data }) => JSON.parse(data) as SearchHitAnswer);
}

async function checkKept(before: readonly DeadLetter[], jitney: Jitney): Promise<Outcome> {
  const text = (messages: readonly DeadLetter[]) =>
    messages.map(
      ({ messageId, deadLetteredTime, lastHolder }) => `${messageId} ${deadLetteredTime} ${lastHolder}`,
    );
  const [kept, shown] = [text(before), text(await allDeadLetters(jitney))];
  const isTimed = before.every(({ deadLetteredTime }) => deadLetteredTime !== undefined);
  const changed = shown.filter((line) => !kept.includes(line));
  const isKept =
    isTimed && kept.length === DEAD_LETTERS && shown.length === kept.length && changed.length === 0;
  return outcomeOf(isKept, [`${changed.length} of ${shown.length} differ`]);
}

function outcomeOf(isRight: boolean, seen: readonly string[]): Outcome {
  return { isRight, seen: seen.join(', ') };
}
