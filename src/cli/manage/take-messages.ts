// Takes selected messages out of a store of another service: each state in its own way, and each message only when it was accepted elsewhere.

import type { AmqpClient } from '../../client/amqp-client.js';
import { hasNoOutcome } from '../../client/client-error.js';
import type { MessageManager } from '../../client/message-manager.js';
import type { MessageReceiver } from '../../client/message-receiver.js';
import { describeMessage, sequenceNumberOf } from '../../content/shown-message.js';
import { isOfKind } from '../../jitney-error.js';
import type { SelectedMessage } from './selected-messages.js';

export type TakeTally = {
  /** Messages that have left the store. */
  done: number;
  /** Messages that were accepted elsewhere and may still be in the store. */
  inBoth: number;
  /** Messages that are not there any more, or have changed their state. */
  gone: number;
  /** Messages that did not come, because another receiver holds them. */
  held: number;
};

export type Taking = {
  readonly client: AmqpClient;
  readonly path: string;
  /** Resolves when the message is accepted elsewhere; undefined if it is deleted. */
  readonly accept: ((content: Uint8Array, isScheduled: boolean) => Promise<void>) | undefined;
  /** Whether messages that are not selected may come between the selected ones. */
  readonly isSelective: boolean;
  readonly tally: TakeTally;
  readonly interrupted: AbortSignal;
  readonly onProgress: () => void;
};

/** So few messages are under a lock at the same time that no lock ends before they are settled. */
const BATCH = 100;
const WAIT_MS = 5000;

/** Throws a JitneyError, after the outcomes of the batch are known; what was done until then is in the tally. */
export async function takeMessages(taking: Taking, selected: readonly SelectedMessage[]): Promise<void> {
  const scheduled = selected.filter(({ state }) => state === 'scheduled');
  const others = selected.filter(({ state }) => state !== 'scheduled');
  if (scheduled.length > 0) await cancelAll(taking, scheduled);
  if (others.length === 0 || taking.interrupted.aborted) return;
  const plain = await openReceiver(taking);
  if (plain !== undefined) {
    await takeUnlocked(taking, others, { receiver: plain, sessionId: undefined });
    return;
  }
  for (const [sessionId, ofSession] of bySession(others)) {
    if (taking.interrupted.aborted) return;
    const receiver = await openReceiver(taking, sessionId);
    if (receiver === undefined) taking.tally.held += ofSession.length;
    else await takeUnlocked(taking, ofSession, { receiver, sessionId });
  }
}

/** A receiver, of a session if one is named; undefined if the entity requires sessions, or another receiver holds the session. */
async function openReceiver({ client, path }: Taking, id?: string): Promise<MessageReceiver | undefined> {
  const session = id === undefined ? undefined : { id };
  try {
    return await client.openReceiver(path, { mode: 'peek-lock', session });
  } catch (error) {
    if (isOfKind(error, id === undefined ? 'needs-session' : 'session-held')) return undefined;
    throw error;
  }
}

type Source = { readonly receiver: MessageReceiver; readonly sessionId: string | undefined };

/** Takes active and deferred messages, and gives the session back afterwards. */
async function takeUnlocked(
  taking: Taking,
  selected: readonly SelectedMessage[],
  source: Source,
): Promise<void> {
  const { receiver } = source;
  try {
    const deferred = selected.filter(({ state }) => state === 'deferred');
    if (deferred.length > 0) await takeDeferred(taking, deferred, source.sessionId);
    const active = selected.filter(({ state }) => state === 'active');
    if (active.length > 0) await receiveAll(taking, active, receiver);
  } finally {
    await receiver.releaseAll();
    await receiver.close();
  }
}

/** Receives until all selected messages have come. The others stay locked until the end, so that they do not come again. */
async function receiveAll(
  taking: Taking,
  selected: readonly SelectedMessage[],
  receiver: MessageReceiver,
): Promise<void> {
  const { interrupted, tally, isSelective } = taking;
  const wanted = new Set(selected.map(({ number }) => number));
  const passed = new Set<bigint>();
  let isOver = false;
  while (wanted.size > 0 && !isOver && !interrupted.aborted) {
    const settled: Promise<Outcome>[] = [];
    const count = isSelective ? BATCH : Math.min(BATCH, wanted.size);
    isOver = true;
    try {
      for await (const message of receiver.receive(count, WAIT_MS, interrupted)) {
        const number = sequenceNumberOf(message.content);
        const complete = () => receiver.complete(message).then(() => true);
        if (wanted.delete(number)) settled.push(settle(taking, message, complete));
        else if (passed.has(number))
          continue; // Its lock has ended meanwhile, and those after it will come no more.
        else passed.add(number);
        isOver = false;
      }
    } finally {
      await allSettled(taking, settled);
    }
  }
  if (!interrupted.aborted) tally.held += wanted.size;
}

type Outcome = { readonly error: unknown } | undefined;

/** Removes a message when it is accepted elsewhere. `remove` resolves with false if it was not there any more. Resolves with the error. */
async function settle(
  { accept, tally }: Taking,
  { content, isScheduled = false }: { readonly content: Uint8Array; readonly isScheduled?: boolean },
  remove: () => Promise<boolean>,
): Promise<Outcome> {
  let isAccepted = false;
  let isRemoved = false;
  try {
    await accept?.(content, isScheduled);
    isAccepted = accept !== undefined;
    isRemoved = await remove();
    if (isRemoved) tally.done += 1;
    return undefined;
  } catch (error) {
    isAccepted ||= accept !== undefined && hasNoOutcome(error);
    return { error };
  } finally {
    if (isAccepted && !isRemoved) tally.inBoth += 1;
  }
}

/** Waits for all, and throws the first error. */
async function allSettled({ onProgress }: Taking, settled: readonly Promise<Outcome>[]): Promise<void> {
  const outcomes = await Promise.all(settled);
  onProgress();
  const failed = outcomes.find((outcome) => outcome !== undefined);
  if (failed !== undefined) throw failed.error;
}

async function takeDeferred(
  taking: Taking,
  selected: readonly SelectedMessage[],
  sessionId: string | undefined,
): Promise<void> {
  const manager = await taking.client.openManager(taking.path);
  const take = (numbers: readonly bigint[]) => takeByNumber(taking, numbers, { manager, sessionId });
  await inBatches(taking, selected, take);
}

/** Returns false if one of the messages is not there, and nothing was done. */
async function takeByNumber(
  taking: Taking,
  numbers: readonly bigint[],
  { manager, sessionId }: { readonly manager: MessageManager; readonly sessionId: string | undefined },
): Promise<boolean> {
  const { accept, tally } = taking;
  const mode = accept === undefined ? 'receive-and-delete' : 'peek-lock';
  const messages = await manager.receiveDeferred(numbers, { mode, sessionId });
  if (messages === undefined) return false;
  if (accept === undefined) {
    tally.done += messages.length;
    return true;
  }
  const complete = (token: string) => manager.complete([token], sessionId).then(() => true);
  await allSettled(
    taking,
    messages.map((message) => settle(taking, message, () => complete(message.token))),
  );
  return true;
}

async function cancelAll(taking: Taking, selected: readonly SelectedMessage[]): Promise<void> {
  const { client, path, accept, tally } = taking;
  const manager = await client.openManager(path);
  await inBatches(taking, selected, async (numbers) => {
    if (accept === undefined) {
      const isDone = await manager.cancelScheduled(numbers);
      if (isDone) tally.done += numbers.length;
      return isDone;
    }
    const found = await scheduledOf(taking, numbers);
    tally.gone += numbers.length - found.length;
    // One that has become active meanwhile stays, and is in both places.
    await allSettled(
      taking,
      found.map(({ content, number }) =>
        settle(taking, { content, isScheduled: true }, () => manager.cancelScheduled([number])),
      ),
    );
    return true;
  });
}

type Numbered = { readonly content: Uint8Array; readonly number: bigint };

/** The contents of these messages, as far as they are still scheduled. */
async function scheduledOf(
  { client, path }: Taking,
  numbers: readonly bigint[],
): Promise<readonly Numbered[]> {
  const wanted = new Set(numbers);
  const [from = 1n] = numbers;
  const last = numbers.at(-1) ?? from;
  const found: Numbered[] = [];
  const browser = await client.openBrowser(path);
  for await (const content of browser.peek({ from, max: Infinity, numberOf: sequenceNumberOf })) {
    const number = sequenceNumberOf(content);
    if (number > last) break;
    if (wanted.has(number) && describeMessage(content, 'peeked').state === 'scheduled')
      found.push({ content, number });
  }
  return found;
}

/** Works on batches; one of which a message is missing is worked on message by message. */
async function inBatches(
  { interrupted, tally, onProgress }: Taking,
  selected: readonly SelectedMessage[],
  take: (numbers: readonly bigint[]) => Promise<boolean>,
): Promise<void> {
  for (let start = 0; start < selected.length && !interrupted.aborted; start += BATCH) {
    const numbers = selected.slice(start, start + BATCH).map(({ number }) => number);
    if (!(await take(numbers))) {
      for (const number of numbers) if (!(await take([number]))) tally.gone += 1;
    }
    onProgress();
  }
}

function bySession(selected: readonly SelectedMessage[]): ReadonlyMap<string, readonly SelectedMessage[]> {
  const sessions = new Map<string, SelectedMessage[]>();
  for (const one of selected) {
    const id = one.sessionId ?? '';
    const ofSession = sessions.get(id) ?? [];
    ofSession.push(one);
    sessions.set(id, ofSession);
  }
  return sessions;
}
