// A crowd of session receivers on one queue, entered into a ledger: they take sessions by id or as they come, complete in order, and now
// and then abandon, leave early, renew, or sleep until their lock has ended.

import { setTimeout as delay } from 'node:timers/promises';
import {
  isServiceBusError,
  ServiceBusClient,
  type ServiceBusReceivedMessage,
  type ServiceBusSessionReceiver,
} from '@azure/service-bus';
import { type Random, seededRandom } from './seeded-random.js';
import type { Hold, SessionLedger } from './session-ledger.js';

export type SessionLoadOptions = {
  readonly connectionString: string;
  readonly queue: string;
  readonly ledger: SessionLedger;
  readonly seed: number;
  readonly sessionCount: number;
  /** In each session. */
  readonly messageCount: number;
  readonly receiverCount: number;
  /** The part of all deliveries over which a receiver sleeps until its lock has ended. */
  readonly sleepyPart: number;
};

/** What the receivers met with; a load in which something of it never happened has shown less. */
export type SessionTally = Record<
  'accepted' | 'refused' | 'waitedInVain' | 'abandoned' | 'left' | 'renewed' | 'lost',
  number
>;

type Crew = SessionLoadOptions & {
  readonly tally: SessionTally;
  /** Aborted when everything is completed, or nothing goes on. */
  readonly end: AbortController;
};

type Worker = Crew & { readonly client: ServiceBusClient; readonly random: Random };

/** So that a session is also asked for on the connection that holds it. */
const RECEIVERS_PER_CLIENT = 2;
const SESSIONS_PER_SEND = 100;
const LARGEST_CALL = 4;
const LARGEST_STAY = 12;
const COMES_WITHIN_MS = 1000;
const ACCEPT_LIMIT_MS = 3000;
const STANDSTILL_MS = 30_000;
/** The lock ends by the broker's timer, which may be late. */
const PAST_THE_LOCK_MS = 100;
/** An answer to a settlement that has not come so long after the end of the lock never comes. */
const ANSWER_LIMIT_MS = 3000;

/**
 * When the lock of a session ends, the broker detaches its link, and the SDK drops the answer to a settlement that was on its way then:
 * it would wait for a minute. What is settled after the lock is refused.
 */
class Unanswered extends Error {}

export function newTally(): SessionTally {
  return { accepted: 0, refused: 0, waitedInVain: 0, abandoned: 0, left: 0, renewed: 0, lost: 0 };
}

/** Runs until everything is completed, or until nothing has been completed for half a minute. */
export async function runSessionLoad(options: SessionLoadOptions, tally: SessionTally): Promise<void> {
  const end = new AbortController();
  const crew: Crew = { ...options, tally, end };
  const clientCount = Math.ceil(options.receiverCount / RECEIVERS_PER_CLIENT);
  const clients = Array.from({ length: clientCount }, () => newClient(options.connectionString));
  const stopWatching = watchProgress(crew);
  try {
    const workers = Array.from({ length: options.receiverCount }, async (_, index) => {
      const client = clients[index % clientCount];
      if (client === undefined) throw new Error('every receiver has a client');
      await work({ ...crew, client, random: seededRandom(options.seed + index) });
    });
    await Promise.all([sendAll(crew), ...workers]);
  } finally {
    end.abort();
    stopWatching();
    await Promise.all(clients.map((client) => client.close()));
  }
}

function newClient(connectionString: string): ServiceBusClient {
  return new ServiceBusClient(connectionString, {
    retryOptions: { maxRetries: 0, timeoutInMs: ACCEPT_LIMIT_MS },
  });
}

function watchProgress({ ledger, end, sessionCount, messageCount }: Crew): () => void {
  let lastCount = 0;
  let lastProgress = Date.now();
  const timer = setInterval(() => {
    if (ledger.completedCount !== lastCount) lastProgress = Date.now();
    lastCount = ledger.completedCount;
    const isDone = lastCount === sessionCount * messageCount;
    if (isDone || Date.now() - lastProgress > STANDSTILL_MS) end.abort();
  }, 100);
  return () => clearInterval(timer);
}

/** The messages of a session are numbered, and those with one number are sent together, many sessions in one batch. */
async function sendAll({ connectionString, queue, ledger, sessionCount, messageCount }: Crew): Promise<void> {
  const client = new ServiceBusClient(connectionString);
  const sender = client.createSender(queue);
  for (let index = 0; index < messageCount; index++) {
    for (let first = 0; first < sessionCount; first += SESSIONS_PER_SEND) {
      const count = Math.min(SESSIONS_PER_SEND, sessionCount - first);
      const sessionIds = Array.from({ length: count }, (_, at) => `session ${first + at}`);
      for (const sessionId of sessionIds) ledger.sending(sessionId);
      await sender.sendMessages(sessionIds.map((sessionId) => ({ sessionId, body: index })));
    }
  }
  await client.close();
}

async function work(worker: Worker): Promise<void> {
  const { ledger, tally, end } = worker;
  while (!end.signal.aborted) {
    const receiver = await accept(worker);
    if (receiver === undefined) continue;
    tally.accepted++;
    const lockedUntil = receiver.sessionLockedUntilUtc.getTime();
    const hold = ledger.accepted(receiver.sessionId, { now: Date.now(), lockedUntil });
    try {
      await useSession(worker, receiver, hold);
      ledger.closing(hold, Date.now());
    } catch (error) {
      if (!(error instanceof Unanswered) && !hasCode(error, 'SessionLockLost')) throw error;
      ledger.lost(hold, Date.now());
      tally.lost++;
    }
    await receiver.close();
  }
}

/** By id, one that is known to have messages, or the next one that has some. */
async function accept(worker: Worker): Promise<ServiceBusSessionReceiver | undefined> {
  const { client, queue, random, ledger, tally, end } = worker;
  const options = { maxAutoLockRenewalDurationInMs: 0, abortSignal: end.signal };
  const { unfinished } = ledger;
  const sessionId = random.chance(0.25) ? unfinished[random.integer(0, unfinished.length - 1)] : undefined;
  try {
    return sessionId === undefined
      ? await client.acceptNextSession(queue, options)
      : await client.acceptSession(queue, sessionId, options);
  } catch (error) {
    if (end.signal.aborted) return undefined;
    if (hasCode(error, 'SessionCannotBeLocked')) tally.refused++;
    else if (hasCode(error, 'ServiceTimeout')) tally.waitedInVain++;
    else throw error;
    return undefined;
  }
}

async function useSession(worker: Worker, receiver: ServiceBusSessionReceiver, hold: Hold): Promise<void> {
  const { random, ledger } = worker;
  for (let left = random.integer(1, LARGEST_STAY); left > 0; ) {
    // The SDK waits a second for what was asked for and is not there.
    const wanted = Math.min(random.integer(1, LARGEST_CALL), ledger.openCount(hold.sessionId));
    if (wanted === 0) return;
    const messages = await receiver.receiveMessages(wanted, { maxWaitTimeInMs: COMES_WITHIN_MS });
    for (const { body, deliveryCount } of messages) ledger.received(hold, body, deliveryCount ?? -1);
    if (messages.length === 0 || !(await settleAll(worker, messages, { receiver, hold }))) return;
    left -= messages.length;
  }
}

/** False: the rest has been left to the next holder. */
async function settleAll(
  { random, ledger, tally, sleepyPart }: Worker,
  messages: readonly ServiceBusReceivedMessage[],
  { receiver, hold }: { readonly receiver: ServiceBusSessionReceiver; readonly hold: Hold },
): Promise<boolean> {
  let isAbandoning = false;
  for (const message of messages) {
    const dice = random.integer(1, 100);
    if (dice <= 3) {
      tally.left++;
      return false;
    }
    // What follows an abandoned message may not be completed before it.
    isAbandoning ||= dice <= 8;
    if (dice > 8 && dice <= 13) {
      ledger.renewed(hold, (await receiver.renewSessionLock()).getTime());
      tally.renewed++;
    }
    if (random.chance(sleepyPart)) await delay(hold.lockedUntil - Date.now() + PAST_THE_LOCK_MS);
    const askedAt = Date.now();
    if (isAbandoning) {
      await answered(receiver.abandonMessage(message), hold);
      ledger.abandoned(hold, message.body, askedAt);
      tally.abandoned++;
    } else {
      ledger.completing(hold, message.body);
      await answered(receiver.completeMessage(message), hold);
      ledger.completed(hold, message.body, askedAt);
    }
  }
  return true;
}

async function answered(settlement: Promise<void>, { lockedUntil }: Hold): Promise<void> {
  settlement.catch(() => undefined); // of one that is answered too late
  const limit = new AbortController();
  const restMs = Math.max(0, lockedUntil - Date.now()) + ANSWER_LIMIT_MS;
  const late = delay(restMs, undefined, { signal: limit.signal }).then(
    () => {
      throw new Unanswered();
    },
    () => undefined,
  );
  await Promise.race([settlement, late]).finally(() => limit.abort());
}

function hasCode(error: unknown, code: string): boolean {
  return isServiceBusError(error) && error.code === code;
}
