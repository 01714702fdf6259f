// The rows that a journal stores of a broker's events, in plain Maps; a delete of a missing row is a failure.

import type {
  Event,
  MessageIdRecord,
  MessageRecord,
  RuleRecord,
  SessionStateRecord,
  StoredEvent,
} from '../../src/broker/contract/event.js';
import { type SingleEvent, singly } from '../support/single-events.js';
import { check } from './simulation-failure.js';
import { type EntityPut, type Removal, type Stored, StoredEntities } from './stored-entities.js';

type Store = {
  readonly messages: Map<number, Stored<'message-put'>>;
  readonly noted: Map<number, MessageIdRecord>;
  readonly nextNumbers: Map<number, number>;
  readonly imports: Map<string, number>;
  readonly sessionStates: Map<string, SessionStateRecord>;
  /** Of a subscription, by name in small letters. */
  readonly rules: Map<string, RuleRecord>;
};

export class DurableRows {
  readonly contents = new Map<number, Uint8Array>();
  /** Of the events applied last: they may still be read. */
  readonly releasedContents = new Map<number, Uint8Array>();
  /** How many messages and session states name each content. */
  readonly #nameCounts = new Map<number, number>();
  readonly entities = new StoredEntities();
  readonly #stores = new Map<number, Store>();
  /** Stores that were emptied, by the id under which their rows now lie. */
  readonly #emptied = new Map<number, number>();
  /** The stores of which the journal knows that they were emptied. */
  readonly #movedStores = new Set<number>();
  /** What emptied stores held and is not removed yet, by the id of its rows. */
  readonly #discarded = new Map<number, Store>();

  /**
   * Applies the events of a turn. Returns them with the ids of stores in place of those of rows, and without the removals of
   * discarded rows: `rows-discarded` has told that all of them are gone.
   */
  apply(events: readonly Event[]): Event[] {
    this.releasedContents.clear();
    const told = singly(events).flatMap((event) => this.#applyTo(event));
    for (const event of events) if (event.kind === 'entity-removed') this.#checkRemoved(event);
    return told;
  }

  #applyTo(event: SingleEvent): Event[] {
    if ('rowsId' in event) return this.#applyToRows(event);
    if (event.kind === 'store-closed') {
      check(this.#movedStores.delete(event.storeId), 'a store is closed that was never emptied');
      for (const [rowsId, storeId] of this.#emptied)
        if (storeId === event.storeId) this.#emptied.delete(rowsId);
      return [];
    }
    if (!hasRowsId(event)) {
      this.#applyOne(event);
      return [event];
    }
    const discarded = this.#discarded.get(event.storeId);
    if (discarded !== undefined) {
      this.#applyInStore(event, discarded);
      return [];
    }
    const told = { ...event, storeId: this.#emptied.get(event.storeId) ?? event.storeId };
    this.#applyInStore(told, this.#store(told.storeId));
    return [told];
  }

  #applyToRows(event: Extract<Event, { readonly rowsId: number }>): Event[] {
    const { kind, rowsId } = event;
    if (kind === 'store-emptied') {
      check(this.#stores.has(event.storeId), 'a store is emptied that is not there');
      this.#emptied.set(rowsId, event.storeId);
      this.#movedStores.add(event.storeId);
      return [];
    }
    if (kind === 'rows-removed') {
      const left = this.#discarded.get(rowsId);
      check(left !== undefined && isEmpty(left), 'rows are left that are said to be removed');
      this.#discarded.delete(rowsId);
      return [];
    }
    const storeId = this.#emptied.get(rowsId) ?? rowsId;
    this.#emptied.delete(rowsId);
    // After a restart the store may be gone, or may have rows under another id.
    const { messages, noted, sessionStates, ...kept } = this.#stores.get(storeId) ?? emptyStore();
    this.#discarded.set(rowsId, { ...emptyStore(), messages, noted, sessionStates });
    if (this.#stores.has(storeId)) this.#stores.set(storeId, { ...emptyStore(), ...kept });
    return [{ kind, rowsId: storeId }];
  }

  /** Queues first, as `Broker.restore` wants them. */
  stored(): StoredEvent[] {
    const stored: StoredEvent[] = [...this.entities.all()].map(({ path: _, ...entity }) => ({
      kind: 'entity-put',
      entity,
    }));
    for (const [rowsId, storeId] of this.#emptied) stored.push({ kind: 'store-emptied', storeId, rowsId });
    for (const rowsId of this.#discarded.keys()) stored.push({ kind: 'rows-discarded', rowsId });
    const rowsIds = new Map([...this.#emptied].map(([rowsId, storeId]) => [storeId, rowsId]));
    for (const [storeId, store] of this.#stores) {
      for (const rule of store.rules.values()) stored.push({ kind: 'rule-put', storeId, rule });
      for (const [partitionId, nextSequenceNumber] of store.nextNumbers) {
        stored.push({ kind: 'sequence-put', storeId, partitionId, nextSequenceNumber });
      }
      for (const [importId, sourceNumber] of store.imports) {
        stored.push({ kind: 'import-marked', storeId, importId, sourceNumber });
      }
      stored.push(...rowsUnder(rowsIds.get(storeId) ?? storeId, store));
    }
    for (const [rowsId, store] of this.#discarded) stored.push(...rowsUnder(rowsId, store));
    return stored;
  }

  copy(): DurableRows {
    const copy = new DurableRows();
    copy.apply(this.stored());
    for (const [contentId, content] of this.contents) copy.contents.set(contentId, content);
    return copy;
  }

  *messages(): Iterable<Stored<'message-put'>> {
    for (const { messages } of this.#stores.values()) yield* messages.values();
  }

  messagesOf(storeId: number): Iterable<Stored<'message-put'>> {
    return this.#stores.get(storeId)?.messages.values() ?? [];
  }

  get messageCount(): number {
    let count = 0;
    for (const { messages } of this.#stores.values()) count += messages.size;
    return count;
  }

  *sessionStates(): Iterable<{ readonly storeId: number; readonly state: SessionStateRecord }> {
    for (const [storeId, { sessionStates }] of this.#stores) {
      for (const state of sessionStates.values()) yield { storeId, state };
    }
  }

  get sessionStateCount(): number {
    let count = 0;
    for (const { sessionStates } of this.#stores.values()) count += sessionStates.size;
    return count;
  }

  /** Of messages and of session states. */
  *neededContentIds(): Iterable<number> {
    yield* this.#nameCounts.keys();
  }

  findSessionState(storeId: number, sessionId: string): SessionStateRecord | undefined {
    return this.#stores.get(storeId)?.sessionStates.get(sessionId);
  }

  findMessage(storeId: number, sequenceNumber: number): MessageRecord | undefined {
    return this.#stores.get(storeId)?.messages.get(sequenceNumber)?.message;
  }

  findNoted(storeId: number, sequenceNumber: number): MessageIdRecord | undefined {
    return this.#stores.get(storeId)?.noted.get(sequenceNumber);
  }

  findRule(storeId: number, name: string): RuleRecord | undefined {
    return this.#stores.get(storeId)?.rules.get(name.toLowerCase());
  }

  get ruleCount(): number {
    let count = 0;
    for (const { rules } of this.#stores.values()) count += rules.size;
    return count;
  }

  /** The number the next message of this partition gets; undefined before the first. */
  nextNumber(storeId: number, partitionId: number): number | undefined {
    return this.#stores.get(storeId)?.nextNumbers.get(partitionId);
  }

  #applyOne(
    event: Exclude<
      SingleEvent,
      EventOfRows | { readonly rowsId: number } | { readonly kind: 'store-closed' }
    >,
  ): void {
    switch (event.kind) {
      case 'entity-put':
        this.#putEntity(event);
        break;
      case 'entity-removed':
        this.entities.remove(event);
        break;
      case 'rule-put':
        this.#store(event.storeId).rules.set(event.rule.description.name.toLowerCase(), event.rule);
        break;
      case 'rule-removed': {
        const { rules } = this.#store(event.storeId);
        check(rules.delete(event.name.toLowerCase()), 'a rule is removed that is not there');
        break;
      }
      case 'sequence-put':
        this.#store(event.storeId).nextNumbers.set(event.partitionId, event.nextSequenceNumber);
        break;
      case 'import-marked':
        this.#store(event.storeId).imports.set(event.importId, event.sourceNumber);
        break;
      case 'import-ended':
        this.#store(event.storeId).imports.delete(event.importId);
        break;
      case 'content-stored':
        check(!this.contents.has(event.contentId), 'a content is stored twice');
        this.contents.set(event.contentId, event.content);
        break;
      case 'content-released':
        this.#releaseContent(event.contentId);
        break;
      case 'time-put':
        break;
      default:
        event satisfies never;
    }
  }

  #applyInStore(event: EventOfRows, { messages, noted, sessionStates }: Store): void {
    switch (event.kind) {
      case 'message-put': {
        this.#name(messages.get(event.message.sequenceNumber)?.message.contentId, -1);
        messages.set(event.message.sequenceNumber, event);
        this.#name(event.message.contentId, 1);
        break;
      }
      case 'message-removed': {
        this.#name(messages.get(event.sequenceNumber)?.message.contentId, -1);
        check(messages.delete(event.sequenceNumber), 'a message is removed that is not there');
        break;
      }
      case 'message-id-noted':
        noted.set(event.noted.sequenceNumber, event.noted);
        break;
      case 'message-id-forgotten': {
        check(noted.delete(event.sequenceNumber), 'a message-id is forgotten that is not noted');
        break;
      }
      case 'session-state-put': {
        this.#name(sessionStates.get(event.state.sessionId)?.contentId, -1);
        sessionStates.set(event.state.sessionId, event.state);
        this.#name(event.state.contentId, 1);
        break;
      }
      case 'session-state-removed': {
        this.#name(sessionStates.get(event.sessionId)?.contentId, -1);
        check(sessionStates.delete(event.sessionId), 'a session state is removed that is not there');
        break;
      }
      default:
        event satisfies never;
    }
  }

  #putEntity(event: EntityPut): void {
    const { storeId } = this.entities.put(event);
    for (const id of this.entities.storesOf(storeId)) {
      if (!this.#stores.has(id)) this.#stores.set(id, emptyStore());
    }
  }

  /** Of a message, wherever it is in its entity: it keeps its number in the dead-letter queue (SEQ-10). */
  keyOf(storeId: number, sequenceNumber: number): string {
    return `${this.entities.mainStoreOf(storeId)} ${sequenceNumber}`;
  }

  /** How many messages and session states name it. */
  nameCount(contentId: number): number {
    return this.#nameCounts.get(contentId) ?? 0;
  }

  get namedContentCount(): number {
    return this.#nameCounts.size;
  }

  #name(contentId: number | undefined, change: 1 | -1): void {
    if (contentId === undefined) return;
    const count = this.nameCount(contentId) + change;
    if (count === 0) this.#nameCounts.delete(contentId);
    else this.#nameCounts.set(contentId, count);
  }

  #store(storeId: number): Store {
    const store = this.#stores.get(storeId);
    check(store !== undefined, `store ${storeId} belongs to no queue`);
    return store;
  }

  #releaseContent(contentId: number): void {
    const content = this.contents.get(contentId);
    check(content !== undefined, 'a content is released that is not there');
    this.contents.delete(contentId);
    this.releasedContents.set(contentId, content);
  }

  /** Its messages, message-ids and session states were discarded; its counters go with it. */
  #checkRemoved({ storeId }: Removal): void {
    for (const id of this.entities.storesOf(storeId)) {
      const { messages, noted, sessionStates, rules } = this.#store(id);
      check(rules.size === 0, 'a removed subscription has left rules behind');
      check(sessionStates.size === 0, 'a removed queue has left session states behind');
      check(messages.size === 0, 'a removed queue has left messages behind');
      check(noted.size === 0, 'a removed queue has left message-ids behind');
      check(!this.#movedStores.has(id), 'a removed queue has left the place of its rows behind');
      this.#stores.delete(id);
    }
  }
}

function emptyStore(): Store {
  return {
    messages: new Map(),
    noted: new Map(),
    nextNumbers: new Map(),
    imports: new Map(),
    sessionStates: new Map(),
    rules: new Map(),
  };
}

function isEmpty({ messages, noted, sessionStates }: Store): boolean {
  return messages.size + noted.size + sessionStates.size === 0;
}

/** The events of what lies under an id of rows. */
type EventOfRows = Extract<
  Event,
  {
    readonly kind:
      | `message-${'put' | 'removed'}`
      | `message-id-${'noted' | 'forgotten'}`
      | `session-state-${'put' | 'removed'}`;
  }
>;

const OF_ROWS: ReadonlySet<Event['kind']> = new Set<EventOfRows['kind']>([
  'message-put',
  'message-removed',
  'message-id-noted',
  'message-id-forgotten',
  'session-state-put',
  'session-state-removed',
]);

function hasRowsId(event: SingleEvent): event is EventOfRows {
  return OF_ROWS.has(event.kind);
}

function* rowsUnder(storeId: number, { messages, noted, sessionStates }: Store): Generator<StoredEvent> {
  for (const record of noted.values()) yield { kind: 'message-id-noted', storeId, noted: record };
  for (const state of sessionStates.values()) yield { kind: 'session-state-put', storeId, state };
  for (const { message } of messages.values()) yield { kind: 'message-put', storeId, message };
}
