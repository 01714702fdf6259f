// Writes everything that can be read of a journal into a new one. A message without its content becomes a dead letter with an empty
// body; what cannot be kept is left out and listed.

import { randomUUID } from 'node:crypto';
import type { MessageRecord, StoredEvent } from '../../broker/event.js';
import { NEVER } from '../../broker/instant.js';
import type { Journal, JournalEvent } from '../../engine/ports.js';
import { Consistency } from '../consistency.js';
import { IdSet } from '../id-set.js';
import type { CheckedJournal } from './check-journal.js';
import type { JournalRow } from './journal-account.js';
import { type MainRows, mainRows } from './main-rows.js';

const APPENDED_BYTES = 1024 * 1024;
const EVENT_BYTES = 200;
/** An AMQP message that is one empty data section. */
const EMPTY_CONTENT = Uint8Array.of(0x00, 0x53, 0x75, 0xa0, 0x00);

type MessagePut = Extract<StoredEvent, { kind: 'message-put' }>;
type StatePut = Extract<StoredEvent, { kind: 'session-state-put' }>;

/** The result: which messages came into the new journal, and how. */
export type Repaired = {
  readonly keptCount: number;
  /** Messages that are dead letters now. */
  readonly deadLetteredCount: number;
  /** One sentence for each message, session state or entity that is not in the new journal. */
  readonly leftOut: readonly string[];
};

/** Appends to an empty journal that has been recovered. */
export async function repairJournal(source: CheckedJournal, target: Journal): Promise<Repaired> {
  const main = await mainRows(source.rows());
  const repair = new Repair(source, target, main);
  await repair.writeMainRows();
  for await (const rows of source.rows()) for (const row of rows) await repair.write(row);
  return repair.finish();
}

class Repair {
  readonly #source: CheckedJournal;
  readonly #target: Journal;
  readonly #main: MainRows;
  readonly #messageIds: ReadonlyMap<string, string>;
  readonly #consistency = new Consistency();
  readonly #stored = new IdSet();
  readonly #leftOut: string[] = [];
  #waiting: JournalEvent[] = [];
  #waitingBytes = 0;
  #nextContentId: number;
  #keptCount = 0;
  #deadLetteredCount = 0;

  constructor(source: CheckedJournal, target: Journal, main: MainRows) {
    this.#source = source;
    this.#target = target;
    this.#main = main;
    this.#nextContentId = source.nextContentId;
    const named = source.report.lost.filter(({ messageId }) => messageId !== undefined);
    this.#messageIds = new Map(
      named.map((lost) => [`${lost.entity}/${lost.sequenceNumber}`, lost.messageId ?? '']),
    );
  }

  async writeMainRows(): Promise<void> {
    for (const row of this.#main.rows) {
      const problem = row.kind === 'time-put' ? undefined : this.#consistency.note(row);
      if (problem === undefined) await this.#add(row);
      else this.#leftOut.push(problem);
    }
  }

  /** Leaves out the rows that are written already, and those that were being removed. */
  async write(row: JournalRow): Promise<void> {
    if (row.kind === 'message-put') await this.#writeMessage(row);
    else if (row.kind === 'session-state-put') await this.#writeState(row);
    else if (row.kind === 'message-id-noted' && !this.#main.names.isDiscarded(row.storeId)) {
      // A message id that nothing has any more only protects from duplicates.
      if (this.#consistency.note(row) === undefined) await this.#add(row);
    }
  }

  async finish(): Promise<Repaired> {
    await this.#flush();
    return { keptCount: this.#keptCount, deadLetteredCount: this.#deadLetteredCount, leftOut: this.#leftOut };
  }

  async #writeMessage(row: MessagePut): Promise<void> {
    if (this.#main.names.isDiscarded(row.storeId)) return;
    const problem = this.#consistency.note(row);
    if (problem !== undefined) {
      this.#leftOut.push(problem);
      return;
    }
    if (await this.#hasContent(row.message.contentId)) {
      this.#keptCount += 1;
      await this.#add(row);
    } else {
      await this.#writeDeadLetter(row);
    }
  }

  async #writeState(row: StatePut): Promise<void> {
    const { storeId, state } = row;
    if (this.#main.names.isDiscarded(storeId)) return;
    const problem = this.#consistency.note(row);
    if (problem === undefined && (await this.#hasContent(state.contentId))) return this.#add(row);
    const name = `the state of session ${JSON.stringify(state.sessionId)} of ${this.#main.names.pathOf(storeId)}`;
    this.#leftOut.push(problem ?? `${name}: its content is lost`);
  }

  async #writeDeadLetter({ storeId, message }: MessagePut): Promise<void> {
    const { names } = this.#main;
    const store = names.find(storeId);
    const entity = names.pathOf(storeId);
    if (store === undefined || (store.isOfTopic && (store.kind === 'main' || store.kind === 'fan-out'))) {
      // Nobody can receive from the dead-letter queue of a topic.
      this.#leftOut.push(`message ${message.sequenceNumber} of ${entity}: its content is lost`);
      return;
    }
    const contentId = this.#nextContentId++;
    await this.#add({ kind: 'content-stored', contentId, content: EMPTY_CONTENT });
    const messageId = this.#messageIds.get(`${entity}/${message.sequenceNumber}`);
    const dead = { ...asDeadLetter(message, messageId), contentId };
    const isDeadLetter = store.kind === 'dead-letter' || store.kind === 'transfer-dead-letter';
    const deadStoreId = isDeadLetter ? storeId : names.rowsIdOf(store.deadLetterStoreId);
    await this.#add({ kind: 'message-put', storeId: deadStoreId, message: dead });
    this.#deadLetteredCount += 1;
  }

  /** Stores the content unless it is stored already, as one that copies share. */
  async #hasContent(contentId: number): Promise<boolean> {
    if (this.#stored.has(contentId)) return true;
    const content = await this.#source.readContent(contentId);
    if (content === undefined) return false;
    this.#stored.add(contentId);
    await this.#add({ kind: 'content-stored', contentId, content }, content.length);
    return true;
  }

  async #add(event: JournalEvent, bytes = 0): Promise<void> {
    this.#waiting.push(event);
    this.#waitingBytes += EVENT_BYTES + bytes;
    if (this.#waitingBytes > APPENDED_BYTES) await this.#flush();
  }

  async #flush(): Promise<void> {
    const events = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    if (events.length > 0) await this.#target.append(events);
  }
}

/** DLQ-05, DLQ-06: number, enqueued time and delivery count stay. */
function asDeadLetter(message: MessageRecord, messageId: string | undefined): MessageRecord {
  const { sessionId, systemChanges, propertyChanges = [], generatedMessageId } = message;
  return {
    ...message,
    state: 0,
    schedule: undefined,
    expiresAt: NEVER,
    wasScheduled: false,
    sessionId: undefined,
    destination: undefined,
    isShared: false,
    sizeBytes: EMPTY_CONTENT.length,
    generatedMessageId: generatedMessageId ?? messageId ?? randomUUID().replaceAll('-', ''),
    systemChanges: sessionId === undefined ? systemChanges : { sessionId, ...systemChanges },
    propertyChanges: [
      ...propertyChanges.filter(({ name }) => !name.startsWith('DeadLetter')),
      { name: 'DeadLetterReason', value: 'ContentUnreadable' },
      {
        name: 'DeadLetterErrorDescription',
        value: 'The content of the message was lost, and the journal repaired.',
      },
    ],
  };
}
