// What a journal keeps of a broker's events, in plain Maps, and watchful: nothing is deleted that is not there.

import type {
  Event,
  MessageIdRecord,
  MessageRecord,
  RuleRecord,
  SessionStateRecord,
  StoredEvent,
} from '../../src/broker/event.js';
import { check } from './check.js';
import { type EntityPut, isRemoval, type Removal, type Stored, StoredEntities } from './stored-entities.js';

type Store = {
  readonly messages: Map<number, Stored<'message-put'>>;
  readonly noted: Map<number, MessageIdRecord>;
  readonly nextNumbers: Map<number, number>;
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
  /** The events of a turn. */
  apply(events: readonly Event[]): void {
    this.releasedContents.clear();
    for (const event of events) this.#applyOne(event);
    for (const event of events) if (isRemoval(event)) this.#checkRemoved(event);
  }

  /** Queues first, as `Broker.restore` wants them. */
  stored(): StoredEvent[] {
    const stored: StoredEvent[] = [...this.entities.all()].map(({ event }) => event);
    for (const [storeId, { messages, noted, nextNumbers, sessionStates, rules }] of this.#stores) {
      for (const rule of rules.values()) stored.push({ kind: 'rule-put', storeId, rule });
      for (const [partitionId, nextSequenceNumber] of nextNumbers) {
        stored.push({ kind: 'sequence-put', storeId, partitionId, nextSequenceNumber });
      }
      for (const record of noted.values()) stored.push({ kind: 'message-id-noted', storeId, noted: record });
      for (const state of sessionStates.values()) stored.push({ kind: 'session-state-put', storeId, state });
      stored.push(...messages.values());
    }
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
    for (const { message } of this.messages()) yield message.contentId;
    for (const { state } of this.sessionStates()) yield state.contentId;
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

  #applyOne(event: Event): void {
    switch (event.kind) {
      case 'queue-put':
      case 'topic-put':
      case 'subscription-put':
        this.#putEntity(event);
        break;
      case 'queue-removed':
      case 'topic-removed':
      case 'subscription-removed':
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
      case 'message-put': {
        const { messages } = this.#store(event.storeId);
        this.#name(messages.get(event.message.sequenceNumber)?.message.contentId, -1);
        messages.set(event.message.sequenceNumber, event);
        this.#name(event.message.contentId, 1);
        break;
      }
      case 'message-removed': {
        const { messages } = this.#store(event.storeId);
        this.#name(messages.get(event.sequenceNumber)?.message.contentId, -1);
        check(messages.delete(event.sequenceNumber), 'a message is removed that is not there');
        break;
      }
      case 'sequence-put':
        this.#store(event.storeId).nextNumbers.set(event.partitionId, event.nextSequenceNumber);
        break;
      case 'message-id-noted':
        this.#store(event.storeId).noted.set(event.noted.sequenceNumber, event.noted);
        break;
      case 'message-id-forgotten': {
        const { noted } = this.#store(event.storeId);
        check(noted.delete(event.sequenceNumber), 'a message-id is forgotten that is not noted');
        break;
      }
      case 'session-state-put': {
        const { sessionStates } = this.#store(event.storeId);
        this.#name(sessionStates.get(event.state.sessionId)?.contentId, -1);
        sessionStates.set(event.state.sessionId, event.state);
        this.#name(event.state.contentId, 1);
        break;
      }
      case 'session-state-removed': {
        const { sessionStates } = this.#store(event.storeId);
        this.#name(sessionStates.get(event.sessionId)?.contentId, -1);
        check(sessionStates.delete(event.sessionId), 'a session state is removed that is not there');
        break;
      }
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

  #putEntity(event: EntityPut): void {
    const { storeId } = this.entities.put(event);
    for (const id of this.entities.storesOf(storeId)) {
      if (!this.#stores.has(id)) {
        this.#stores.set(id, {
          messages: new Map(),
          noted: new Map(),
          nextNumbers: new Map(),
          sessionStates: new Map(),
          rules: new Map(),
        });
      }
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

  /** Its messages, message-ids and session states have had events of their own; its counters go with it. */
  #checkRemoved({ storeId }: Removal): void {
    for (const id of this.entities.storesOf(storeId)) {
      const { messages, noted, sessionStates, rules } = this.#store(id);
      check(rules.size === 0, 'a removed subscription has left rules behind');
      check(sessionStates.size === 0, 'a removed queue has left session states behind');
      check(messages.size === 0, 'a removed queue has left messages behind');
      check(noted.size === 0, 'a removed queue has left message-ids behind');
      this.#stores.delete(id);
    }
  }
}
