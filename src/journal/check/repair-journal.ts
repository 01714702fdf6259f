// Writes everything that can be read of a journal into a new one. A message without its content becomes a dead letter with an empty
// body; what cannot be kept is left out and listed.

import assert from 'node:assert';
import { randomUUID } from 'node:crypto';
import type { MessageRecord, StoredEvent } from '../../broker/event.js';
import { NEVER } from '../../broker/instant.js';
import type { Journal, JournalEvent } from '../../engine/ports.js';
import { IdSet } from '../id-set.js';
import type { Store } from '../stores.js';
import type { CheckedJournal } from './check-journal.js';
import { isMessageRow, type LostRow, type MessageRow } from './survey.js';

const APPENDED_BYTES = 1024 * 1024;
const EVENT_BYTES = 200;
/** An AMQP message that is one empty data section. */
const EMPTY_CONTENT = Uint8Array.of(0x00, 0x53, 0x75, 0xa0, 0x00);

type MessagePut = Extract<StoredEvent, { kind: 'message-put' }>;

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
  const repair = new Repair(source, target);
  for (const row of source.survey.mainRows) await repair.add(row);
  for await (const row of source.rows()) if (isMessageRow(row)) await repair.write(row);
  return repair.finish();
}

class Repair {
  readonly #source: CheckedJournal;
  readonly #target: Journal;
  readonly #stored = new IdSet();
  readonly #leftOut: string[];
  #waiting: JournalEvent[] = [];
  #waitingBytes = 0;
  #nextContentId: number;
  #keptCount = 0;
  #deadLetteredCount = 0;

  constructor(source: CheckedJournal, target: Journal) {
    this.#source = source;
    this.#target = target;
    this.#leftOut = [...source.survey.contradictions];
    this.#nextContentId = source.nextContentId;
  }

  async add(event: JournalEvent, bytes = 0): Promise<void> {
    this.#waiting.push(event);
    this.#waitingBytes += EVENT_BYTES + bytes;
    if (this.#waitingBytes > APPENDED_BYTES) await this.#flush();
  }

  /** Leaves out the rows that were being removed. */
  async write(row: MessageRow): Promise<void> {
    const verdict = this.#source.survey.judge(row);
    if (verdict === 'removed') return;
    if (row.kind === 'message-id-noted') {
      // One that belongs to nothing any more protects from no duplicate.
      if (verdict === 'kept') await this.add(row);
    } else if (typeof verdict === 'object') this.#leftOut.push(verdict.problem);
    else if (verdict === 'kept') await this.#keep(row);
    else if (row.kind === 'message-put') await this.#writeDeadLetter(row);
    else {
      const { sessionId } = row.state;
      const entity = this.#source.survey.stores.pathOf(row.storeId);
      this.#leftOut.push(
        `the state of session ${JSON.stringify(sessionId)} of ${entity}: its content is lost`,
      );
    }
  }

  async finish(): Promise<Repaired> {
    await this.#flush();
    return { keptCount: this.#keptCount, deadLetteredCount: this.#deadLetteredCount, leftOut: this.#leftOut };
  }

  async #keep(row: LostRow): Promise<void> {
    await this.#storeContent(row.kind === 'message-put' ? row.message.contentId : row.state.contentId);
    await this.add(row);
    if (row.kind === 'message-put') this.#keptCount += 1;
  }

  /** Stores the content unless it is stored already, as one that copies share. */
  async #storeContent(contentId: number): Promise<void> {
    if (this.#stored.has(contentId)) return;
    const content = await this.#source.readContent(contentId);
    assert(content !== undefined, `content ${contentId} has changed since it was checked`);
    this.#stored.add(contentId);
    await this.add({ kind: 'content-stored', contentId, content }, content.length);
  }

  async #writeDeadLetter(row: MessagePut): Promise<void> {
    const { survey } = this.#source;
    const store = survey.stores.find(row.storeId) as Store;
    if (store.entity.type === 'topic' && (store.kind === 'main' || store.kind === 'fan-out')) {
      // Nobody can receive from the dead-letter queue of a topic.
      const { sequenceNumber } = row.message;
      this.#leftOut.push(`message ${sequenceNumber} of ${store.entity.path}: its content is lost`);
      return;
    }
    const contentId = this.#nextContentId++;
    await this.add({ kind: 'content-stored', contentId, content: EMPTY_CONTENT });
    const message = { ...asDeadLetter(row.message, survey.messageIdOf(row)), contentId };
    await this.add({ kind: 'message-put', storeId: survey.stores.deadLetterRowsId(store), message });
    this.#deadLetteredCount += 1;
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
