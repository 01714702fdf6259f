// Writes everything that can be read from a journal into a new one. A message without its content becomes a dead letter with an empty
// body. Everything that cannot be kept is left out and listed.

import assert from 'node:assert';
import { randomUUID } from 'node:crypto';
import type { MessageRecord } from '../../broker/contract/event.js';
import { NEVER } from '../../broker/contract/instant.js';
import type { Journal, JournalEvent } from '../../engine/ports.js';
import { IdSet } from '../id-set.js';
import type { Store } from '../stores.js';
import type { CheckedJournal } from './check-journal.js';
import type { ContentRow } from './survey.js';

const APPENDED_BYTES = 1024 * 1024;
const EVENT_BYTES = 200;
/** An AMQP message that is one empty data section. */
const EMPTY_CONTENT = Uint8Array.of(0x00, 0x53, 0x75, 0xa0, 0x00);

/** The result: which messages came into the new journal, and how. */
export type Repaired = {
  readonly keptCount: number;
  /** The number of messages that became dead letters. */
  readonly deadLetteredCount: number;
  /** One sentence for each message, session state or entity that is not in the new journal. */
  readonly leftOut: readonly string[];
};

/** Appends to an empty journal that has been recovered. */
export async function repairJournal(source: CheckedJournal, target: Journal): Promise<Repaired> {
  const repair = new Repair(source, target);
  const { mainRows, messageIds, kept, lost } = source.survey;
  for (const row of mainRows) await repair.add(row);
  for (const row of messageIds) await repair.add(row);
  for (const row of kept) await repair.keep(row);
  for (const row of lost) await repair.replace(row);
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

  /** Adds a message or session state with its content. A content that copies share is added only once. */
  async keep(row: ContentRow): Promise<void> {
    const { contentId } = row.kind === 'message-put' ? row.message : row.state;
    if (!this.#stored.has(contentId)) {
      const content = await this.#source.readContent(contentId);
      assert(content !== undefined, `content ${contentId} has changed since it was checked`);
      this.#stored.add(contentId);
      await this.add({ kind: 'content-stored', contentId, content }, content.length);
    }
    await this.add(row);
    if (row.kind === 'message-put') this.#keptCount += 1;
  }

  /** Adds a dead letter with an empty body in place of a message without its content. */
  async replace(row: ContentRow): Promise<void> {
    const { stores } = this.#source.survey;
    const store = stores.find(row.storeId) as Store;
    const ofTopic = store.entity.type === 'topic' && (store.kind === 'main' || store.kind === 'fan-out');
    if (row.kind === 'session-state-put') {
      const name = JSON.stringify(row.state.sessionId);
      this.#leftOut.push(`the state of session ${name} of ${store.entity.path}: its content is lost`);
    } else if (ofTopic) {
      // No client can receive from the dead-letter queue of a topic.
      const { sequenceNumber } = row.message;
      this.#leftOut.push(`message ${sequenceNumber} of ${store.entity.path}: its content is lost`);
    } else {
      const contentId = this.#nextContentId++;
      await this.add({ kind: 'content-stored', contentId, content: EMPTY_CONTENT });
      const message = { ...asDeadLetter(row.message, this.#source.survey.messageIdOf(row)), contentId };
      await this.add({ kind: 'message-put', storeId: stores.deadLetterRowsId(store), message });
      this.#deadLetteredCount += 1;
    }
  }

  async finish(): Promise<Repaired> {
    await this.#flush();
    return { keptCount: this.#keptCount, deadLetteredCount: this.#deadLetteredCount, leftOut: this.#leftOut };
  }

  async #flush(): Promise<void> {
    const events = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    if (events.length > 0) await this.#target.append(events);
  }
}

/** The message as a dead letter. Number, enqueued time and delivery count stay (DLQ-05, DLQ-06). */
function asDeadLetter(message: MessageRecord, messageId: string | undefined): MessageRecord {
  const { sessionId, details } = message;
  const { schedule: _, destination: __, systemChanges, propertyChanges = [], ...kept } = details ?? {};
  const changes = sessionId === undefined ? systemChanges : { sessionId, ...systemChanges };
  return {
    ...message,
    state: 0,
    expiresAt: NEVER,
    wasScheduled: false,
    sessionId: undefined,
    isShared: false,
    sizeBytes: EMPTY_CONTENT.length,
    details: {
      generatedMessageId: messageId ?? randomUUID().replaceAll('-', ''),
      ...kept,
      ...(changes && { systemChanges: changes }),
      propertyChanges: [
        ...propertyChanges.filter(({ name }) => !name.startsWith('DeadLetter')),
        { name: 'DeadLetterReason', value: 'ContentUnreadable' },
        {
          name: 'DeadLetterErrorDescription',
          value: 'The content of the message was lost, and the journal repaired.',
        },
      ],
    },
  };
}
