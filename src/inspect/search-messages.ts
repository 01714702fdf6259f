// Searches all messages for a text in their ids, subjects and application properties: one pass over all entities, without an index.

import type { InspectedEntity, InspectedMessage, MessageCondition } from '../broker/contract/inspection.js';
import { isoTime } from '../broker/contract/instant.js';
import { ServiceBusError } from '../broker/contract/service-bus-error.js';
import { MessageOnDemand } from '../content/message-on-demand.js';
import type { Engine } from '../engine/engine.js';
import { readMessages } from './read-messages.js';
import type { Searches } from './searches.js';

/** Messages of one turn. */
const PIECE = 100;
const MAX_VALUE = 200;
/** The characters before a match in a long text. */
const BEFORE_MATCH = 60;
const PROGRESS_MS = 250;

/** A message that was found. `field` says where: `sequenceNumber`, a property, or `prop.<name>`. */
export type SearchHit = {
  readonly path: string;
  readonly subQueue?: SubQueue | undefined;
  readonly state: MessageCondition;
  readonly sequenceNumber: number;
  readonly messageId?: string | undefined;
  readonly correlationId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly enqueuedTime: string;
  readonly field: string;
  /** The text that matched; at most 200 characters around the match. */
  readonly value: string;
};

type SubQueue = 'deadletter' | 'transferDeadLetter';
type Counts = { readonly scannedCount: number; readonly totalCount: number };

export type SearchEvent =
  | { readonly kind: 'hit'; readonly data: SearchHit }
  | { readonly kind: 'progress'; readonly data: Counts & { readonly path: string } }
  /** `isCut`: there may be more. */
  | { readonly kind: 'end'; readonly data: Counts & { readonly isCut: boolean } };

export type Search = {
  readonly text: string;
  /** The most hits. */
  readonly limit: number;
  /** Searches this queue, topic or subscription only. Undefined: all. */
  readonly entityPath: string | undefined;
  /** Waits for memory for so many bytes, which `giveBack` gives back. */
  readonly room: (bytes: number) => Promise<void> | undefined;
  readonly giveBack: (bytes: number) => void;
  /** Whether the client has gone, or may read no more. */
  readonly isOver: () => boolean;
};

type SearchedStore = {
  readonly path: string;
  readonly subQueue?: SubQueue;
  /** The path with its sub-queue. */
  readonly storePath: string;
  readonly count: number;
};

type SearchedEngine = Pick<Engine, 'ask' | 'submit' | 'readMessage'>;

/**
 * Finds messages in the order of entities, the newest first in each. A number also finds the messages with this sequence number, before all
 * others. Rejects with a ServiceBusError if the entity does not exist.
 */
export async function* searchMessages(
  engine: SearchedEngine,
  searches: Searches,
  search: Search,
): AsyncGenerator<SearchEvent, void> {
  const stores = await storesOf(engine, search.entityPath);
  const scan = new Scan(engine, stores, search);
  const totalCount = stores.reduce((sum, { count }) => sum + count, 0);
  let [hitCount, reportedAt] = [0, searches.now];
  let hits = await scan.byNumber();
  for (;;) {
    for (const data of hits.slice(0, search.limit - hitCount)) yield { kind: 'hit', data };
    hitCount += hits.length;
    const { scannedCount, path } = scan;
    if (path === undefined || hitCount >= search.limit || search.isOver()) {
      yield {
        kind: 'end',
        data: { scannedCount, totalCount, isCut: path !== undefined || hitCount > search.limit },
      };
      return;
    }
    if (searches.now - reportedAt >= PROGRESS_MS) {
      reportedAt = searches.now;
      yield { kind: 'progress', data: { scannedCount, totalCount, path } };
    }
    hits = await searches.slice((hasTime) => scan.slice(hasTime));
  }
}

class Scan {
  readonly #engine: SearchedEngine;
  readonly #stores: readonly SearchedStore[];
  readonly #search: Search;
  readonly #wanted: string;
  /** The store and the number of the next message. */
  #storeIndex = 0;
  #from = Number.MAX_SAFE_INTEGER;
  readonly #foundByNumber = new Set<SearchedStore>();
  scannedCount = 0;

  constructor(engine: SearchedEngine, stores: readonly SearchedStore[], search: Search) {
    this.#engine = engine;
    this.#stores = stores;
    this.#search = search;
    this.#wanted = search.text.toLowerCase();
  }

  /** The entity that is searched next; undefined when all were searched. */
  get path(): string | undefined {
    return this.#stores[this.#storeIndex]?.path;
  }

  /** The messages whose sequence number the text is. */
  async byNumber(): Promise<readonly SearchHit[]> {
    const number = this.#number;
    if (number === undefined) return [];
    const hits: SearchHit[] = [];
    for (const store of this.#stores) {
      const { found } = await this.#read(store, { fromSequenceNumber: number, maxCount: 1 });
      for (const { message, content } of found) {
        this.#search.giveBack(message.sizeBytes);
        if (message.properties.sequenceNumber !== number) continue;
        this.#foundByNumber.add(store);
        const match = { field: 'sequenceNumber', value: String(number) };
        hits.push(hitOf(store, message, new MessageOnDemand(message, content), match));
      }
    }
    return hits;
  }

  /** Searches on while there is time. */
  async slice(hasTime: () => boolean): Promise<readonly SearchHit[]> {
    const hits: SearchHit[] = [];
    do {
      const store = this.#stores[this.#storeIndex];
      if (store === undefined) break;
      const page = { fromSequenceNumber: this.#from, isNewestFirst: true, maxCount: PIECE };
      const { found, next } = await this.#read(store, page);
      for (const { message, content } of found) {
        this.#search.giveBack(message.sizeBytes);
        this.scannedCount += 1;
        if (this.#isFound(store, message)) continue;
        const onDemand = new MessageOnDemand(message, content);
        const match = matchIn(onDemand, this.#wanted);
        if (match !== undefined) hits.push(hitOf(store, message, onDemand, match));
      }
      this.#from = next ?? Number.MAX_SAFE_INTEGER;
      if (next === undefined) this.#storeIndex += 1;
    } while (hasTime());
    return hits;
  }

  /** An entity that was deleted meanwhile has no messages. */
  async #read(
    { storePath }: SearchedStore,
    page: {
      readonly fromSequenceNumber: number;
      readonly isNewestFirst?: boolean;
      readonly maxCount: number;
    },
  ) {
    const command = { kind: 'inspect-messages', entityPath: storePath, ...page } as const;
    try {
      return await readMessages(this.#engine, command, { room: this.#search.room });
    } catch (error) {
      if (error instanceof ServiceBusError && error.reason === 'entity-not-found') return NOTHING;
      throw error;
    }
  }

  get #number(): number | undefined {
    const number = /^\d{1,16}$/.test(this.#wanted) ? Number(this.#wanted) : Number.NaN;
    return Number.isSafeInteger(number) ? number : undefined;
  }

  #isFound(store: SearchedStore, { properties }: InspectedMessage): boolean {
    return properties.sequenceNumber === this.#number && this.#foundByNumber.has(store);
  }
}

const NOTHING = { found: [], next: undefined } as const;

/** The stores with messages. Throws a ServiceBusError. */
async function storesOf(engine: SearchedEngine, path: string | undefined): Promise<readonly SearchedStore[]> {
  const result = await engine.ask({ kind: 'inspect-namespace', path });
  if (result.kind === 'failed') throw result.error;
  if (result.kind !== 'inspected-entities') throw new Error(`an inspection answered '${result.kind}'`);
  return result.entities.flatMap((entity) =>
    entity.kind === 'topic' ? [entity, ...entity.subscriptions].flatMap(storesIn) : storesIn(entity),
  );
}

function storesIn({ path, counts }: InspectedEntity): readonly SearchedStore[] {
  const { active, locked, scheduled, deferred, deadLetter, transferDeadLetter } = counts;
  const stores: readonly SearchedStore[] = [
    { path, storePath: path, count: active + locked + scheduled + deferred },
    { path, subQueue: 'deadletter', storePath: `${path}/$DeadLetterQueue`, count: deadLetter },
    {
      path,
      subQueue: 'transferDeadLetter',
      storePath: `${path}/$Transfer/$DeadLetterQueue`,
      count: transferDeadLetter,
    },
  ];
  return stores.filter(({ count }) => count > 0);
}

type Match = Pick<SearchHit, 'field' | 'value'>;

const FIELDS = ['messageId', 'correlationId', 'sessionId', 'subject'] as const;

/** `wanted` is in lower case. */
function matchIn(message: MessageOnDemand, wanted: string): Match | undefined {
  for (const field of FIELDS) {
    const value = matchOf(message[field], wanted);
    if (value !== undefined) return { field, value };
  }
  const properties = message.applicationProperties;
  for (const name of Object.keys(properties)) {
    const found = properties[name]?.value;
    const value = typeof found === 'object' ? undefined : matchOf(String(found), wanted);
    if (value !== undefined) return { field: `prop.${cut(name, 0)}`, value };
  }
  return undefined;
}

function matchOf(text: string | undefined, wanted: string): string | undefined {
  const index = text?.toLowerCase().indexOf(wanted) ?? -1;
  return text === undefined || index < 0 ? undefined : cut(text, index);
}

/** At most 200 characters of a text, with those at the index. */
function cut(text: string, index: number): string {
  if (text.length <= MAX_VALUE) return text;
  const start = Math.max(0, Math.min(index - BEFORE_MATCH, text.length - MAX_VALUE + 1));
  const end = start + MAX_VALUE - (start > 0 ? 1 : 0);
  const shown = end < text.length ? `${text.slice(start, end - 1)}…` : text.slice(start);
  return start > 0 ? `…${shown}` : shown;
}

function hitOf(
  { path, subQueue }: SearchedStore,
  { condition, properties }: InspectedMessage,
  { messageId, correlationId, sessionId }: MessageOnDemand,
  match: Match,
): SearchHit {
  return {
    path,
    subQueue,
    state: condition,
    sequenceNumber: properties.sequenceNumber,
    messageId: messageId && cut(messageId, 0),
    correlationId: correlationId && cut(correlationId, 0),
    sessionId: sessionId && cut(sessionId, 0),
    enqueuedTime: isoTime(properties.enqueuedTime) ?? '',
    ...match,
  };
}
