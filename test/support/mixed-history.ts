// A random history of a journal with queues, a topic, sessions, dead letters and deletions, and the state behind each of its batches.

import { createHash } from 'node:crypto';
import type { Random } from '../../compat-tests/support/seeded-random.js';
import { describeQueue } from '../../src/broker/contract/entities/queue-description.js';
import { describeSubscription } from '../../src/broker/contract/entities/topic-description.js';
import type { MessageRecord } from '../../src/broker/contract/event.js';
import type { Journal, JournalEvent } from '../../src/engine/ports.js';
import { writeEvents } from '../../src/journal/table/rows/rows.js';
import {
  contentStored,
  counterPut,
  messageIdNoted,
  messagePut,
  messageRecord,
  messageRemoved,
  queuePut,
  SUBSCRIPTION_STORE_ID,
  sessionStatePut,
  subscriptionPut,
  topicPut,
  writerTo,
} from './journal-rows.js';

const QUEUE = 1;
const SESSIONS = 21;
const SUBSCRIPTIONS = [SUBSCRIPTION_STORE_ID, SUBSCRIPTION_STORE_ID + 2];
const DEAD_LETTERS = 1;
const MAX_CONTENT_BYTES = 3000;

export type HistoryBatch = { readonly events: readonly JournalEvent[]; readonly released: readonly number[] };

type Held = { readonly storeId: number; readonly message: MessageRecord };

/** Draws batches; keeps what a journal has to have behind the last one. */
export class MixedHistory {
  /** The text of each row, by key. */
  readonly rows = new Map<string, string>();
  /** The contents that are needed behind the last batch. */
  readonly contents = new Map<number, Uint8Array>();
  /** All contents that were ever stored. */
  readonly stored = new Map<number, Uint8Array>();
  /** Each row that was ever written, key and text. */
  readonly written = new Set<string>();
  /** A digest of the rows behind each batch, the empty journal first. */
  readonly digests: string[] = [digestOf(new Map())];
  readonly #random: Random;
  readonly #held = new Map<string, Held>();
  readonly #references = new Map<number, number>();
  readonly #nextNumbers = new Map<number, number>();
  #states = new Map<string, number>();
  #nextContentId = 1;
  #events: JournalEvent[] = [];
  #released: number[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** The entities. */
  begin(): HistoryBatch {
    const [first = 0, second = 0] = SUBSCRIPTIONS;
    this.#events.push(
      queuePut({ description: describeQueue('orders', { requiresDuplicateDetection: true }) }),
      queuePut({
        description: describeQueue('parcels', { requiresSession: true }),
        storeId: SESSIONS,
        deadLetterStoreId: SESSIONS + 1,
      }),
      topicPut(),
      subscriptionPut({ storeId: first }),
      subscriptionPut({ storeId: second, description: describeSubscription('yours') }),
    );
    return this.#finish();
  }

  /** A few messages, states, moves and removals. `removal` is the share of removals. */
  next(removal = 0.4): HistoryBatch {
    for (let count = this.#random.integer(1, 6); count > 0; count--) {
      if (this.#random.chance(removal)) this.#settle();
      else this.#send();
    }
    this.#events.push({ kind: 'time-put', now: this.digests.length * 1000 });
    return this.#finish();
  }

  #send(): void {
    const contentId = this.#store();
    const dice = this.#random.integer(1, 10);
    if (dice <= 6) {
      const number = this.#put(QUEUE, contentId, {});
      this.#events.push(messageIdNoted(number, { duplicateKey: `id-${number}` }));
    } else if (dice <= 8) {
      for (const storeId of SUBSCRIPTIONS) this.#put(storeId, contentId, { isShared: true });
    } else if (dice === 9) {
      this.#put(SESSIONS, contentId, { sessionId: `s${this.#random.integer(1, 3)}` });
    } else {
      const sessionId = `s${this.#random.integer(1, 3)}`;
      this.#release(this.#states.get(sessionId));
      this.#states.set(sessionId, contentId);
      this.#refer(contentId);
      this.#events.push(sessionStatePut(sessionId, { contentId }, SESSIONS));
    }
  }

  #put(storeId: number, contentId: number, given: Partial<MessageRecord>): number {
    const number = this.#nextNumbers.get(storeId) ?? 1;
    this.#nextNumbers.set(storeId, number + 1);
    this.#hold({ storeId, message: messageRecord(number, { contentId, ...given }) });
    this.#events.push(counterPut(number + 1, { storeId }));
    return number;
  }

  #hold(held: Held): void {
    const { storeId, message } = held;
    this.#held.set(`${storeId}/${message.sequenceNumber}`, held);
    this.#refer(message.contentId);
    this.#events.push(messagePut(message, storeId));
  }

  /** Completes, dead-letters or counts a delivery of any message. */
  #settle(): void {
    const names = [...this.#held.keys()];
    const name = names[this.#random.integer(0, names.length - 1)];
    const held = name === undefined ? undefined : this.#held.get(name);
    if (name === undefined || held === undefined) return;
    const { storeId, message } = held;
    const isDead = storeId % 2 === 0;
    this.#held.delete(name);
    if (!isDead && this.#random.chance(0.2)) {
      this.#hold({ storeId, message: { ...message, deliveryCount: message.deliveryCount + 1 } });
    } else {
      this.#events.push(messageRemoved(message.sequenceNumber, storeId));
      const dead = { ...message, sessionId: undefined };
      if (!isDead && this.#random.chance(0.2)) this.#hold({ storeId: storeId + DEAD_LETTERS, message: dead });
    }
    this.#release(message.contentId);
  }

  #store(): number {
    const contentId = this.#nextContentId++;
    const size = this.#random.chance(0.1) ? 0 : this.#random.integer(1, MAX_CONTENT_BYTES);
    const content = Uint8Array.from({ length: size }, () => this.#random.integer(0, 255));
    this.contents.set(contentId, content);
    this.stored.set(contentId, content);
    this.#events.push(contentStored(contentId, content));
    return contentId;
  }

  #refer(contentId: number): void {
    this.#references.set(contentId, (this.#references.get(contentId) ?? 0) + 1);
  }

  #release(contentId: number | undefined): void {
    if (contentId === undefined) return;
    const count = (this.#references.get(contentId) ?? 0) - 1;
    this.#references.set(contentId, count);
    if (count > 0) return;
    this.#released.push(contentId);
    this.contents.delete(contentId);
  }

  #finish(): HistoryBatch {
    const batch = { events: this.#events, released: this.#released };
    this.#events = [];
    this.#released = [];
    writeEvents(writerTo(this.rows), batch.events);
    for (const [key, text] of this.rows) this.written.add(`${key} ${text}`);
    this.digests.push(digestOf(this.rows));
    return batch;
  }
}

export async function append(journal: Journal, { events, released }: HistoryBatch): Promise<void> {
  await journal.append(events);
  for (const contentId of released) journal.deleteContent(contentId);
}

/** The rows that a journal has at its start. */
export async function recoverRows(journal: Journal): Promise<ReadonlyMap<string, string>> {
  const rows = new Map<string, string>();
  const { lastTime } = await journal.recover((stored) => writeEvents(writerTo(rows), stored));
  if (lastTime > 0) writeEvents(writerTo(rows), [{ kind: 'time-put', now: lastTime }]);
  return rows;
}

export function digestOf(rows: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256');
  for (const [key, text] of [...rows].sort(([a], [b]) => (a < b ? -1 : 1))) hash.update(`${key} ${text}\n`);
  return hash.digest('hex');
}

/** The contents that rows of messages and session states name. */
export function contentIdsIn(rows: ReadonlyMap<string, string>): number[] {
  return [...rows].flatMap(([key, text]) => {
    if (!/^[ms]/.test(key)) return [];
    const found = /"contentId":(\d+)/.exec(text)?.[1] ?? text.split(',')[1];
    return [Number(found)];
  });
}
