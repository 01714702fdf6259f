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

type SubQueue = 'deadletter' | 'transfer' | 'transferDeadLetter';
type Counts = { readonly scannedCount: number; readonly totalCount: number };

export type SearchEvent =
  | { readonly kind: 'hit'; readonly data: SearchHit }
  | { readonly kind: 'progress'; readonly data: Counts & { readonly path: string } }
  /** `isCut`: there may be more, which a search from `next` finds. The counts are of this search alone. */
  | {
      readonly kind: 'end';
      readonly data: Counts & { readonly isCut: boolean; readonly next?: string | undefined };
    };

export type Search = {
  readonly text: string;
  readonly limit: number;
  /** The `next` of an earlier search for this text, which this one continues; `CURSOR` is its form. */
  readonly from?: string | undefined;
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
  readonly storePath: string;
  readonly count: number;
};

/** The sequence number and the store of the next message; without a number, the store is next in the look for the number in the text. */
export const CURSOR = /^(\d{0,16})@(.{1,400})$/;

/** A store in which something is looked for: the message with a number, or all messages with the text. */
type Part = SearchedStore & { readonly isByNumber: boolean };
type Found = { readonly hit: SearchHit; readonly cursor: string };

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
  let left: Found | undefined;
  for (;;) {
    const { scannedCount, path = '' } = scan;
    const next = left?.cursor ?? scan.cursor;
    if (next === undefined || hitCount >= search.limit || search.isOver()) {
      yield { kind: 'end', data: { scannedCount, totalCount, isCut: next !== undefined, next } };
      return;
    }
    if (searches.now - reportedAt >= PROGRESS_MS) {
      reportedAt = searches.now;
      yield { kind: 'progress', data: { scannedCount, totalCount, path } };
    }
    const found = await searches.slice((hasTime) => scan.slice(hasTime));
    const shown = found.slice(0, search.limit - hitCount);
    for (const { hit } of shown) yield { kind: 'hit', data: hit };
    hitCount += shown.length;
    left = found[shown.length];
  }
}

class Scan {
  readonly #engine: SearchedEngine;
  readonly #search: Search;
  readonly #wanted: string;
  readonly #number: number | undefined;
  readonly #parts: readonly Part[];
  /** The part and the number of the next message. */
  #partIndex = 0;
  #from = Number.MAX_SAFE_INTEGER;
  scannedCount = 0;

  constructor(engine: SearchedEngine, stores: readonly SearchedStore[], search: Search) {
    this.#engine = engine;
    this.#search = search;
    this.#wanted = search.text.toLowerCase();
    this.#number = numberIn(this.#wanted);
    const byNumber =
      this.#number === undefined ? [] : stores.map((store) => ({ ...store, isByNumber: true }));
    const all = [...byNumber, ...stores.map((store) => ({ ...store, isByNumber: false }))];
    const [, from = '', storePath] = CURSOR.exec(search.from ?? '') ?? [];
    const left = storePath === undefined ? all : partsFrom(all, storePath, from === '');
    this.#parts = left.filter(({ count }) => count > 0);
    if (from !== '' && this.#parts[0]?.storePath === storePath) this.#from = Number(from);
  }

  /** The entity that is searched next; undefined when all were searched. */
  get path(): string | undefined {
    return this.#parts[this.#partIndex]?.path;
  }

  /** Where the search goes on; undefined when all was searched. */
  get cursor(): string | undefined {
    const part = this.#parts[this.#partIndex];
    return part && cursorOf(part, this.#from);
  }

  async slice(hasTime: () => boolean): Promise<readonly Found[]> {
    const found: Found[] = [];
    do {
      const part = this.#parts[this.#partIndex];
      if (part === undefined) break;
      if (part.isByNumber) await this.#findNumber(part, found);
      else await this.#findText(part, found);
    } while (hasTime());
    return found;
  }

  async #findNumber(part: Part, all: Found[]): Promise<void> {
    const number = this.#number ?? 0;
    const { found } = await this.#read(part, { fromSequenceNumber: number, maxCount: 1 });
    for (const { message, content } of found) {
      this.#search.giveBack(message.sizeBytes);
      if (message.properties.sequenceNumber !== number) continue;
      const match = { field: 'sequenceNumber', value: String(number) };
      const hit = hitOf(part, message, new MessageOnDemand(message, content), match);
      all.push({ hit, cursor: cursorOf(part, number) });
    }
    this.#partIndex += 1;
  }

  async #findText(part: Part, all: Found[]): Promise<void> {
    const page = { fromSequenceNumber: this.#from, isNewestFirst: true, maxCount: PIECE };
    const { found, next } = await this.#read(part, page);
    for (const { message, content } of found) {
      this.#search.giveBack(message.sizeBytes);
      this.scannedCount += 1;
      const { sequenceNumber } = message.properties;
      if (sequenceNumber === this.#number) continue; // it was found by its number
      const onDemand = new MessageOnDemand(message, content);
      const match = matchIn(onDemand, this.#wanted);
      if (match === undefined) continue;
      const hit = hitOf(part, message, onDemand, match);
      all.push({ hit, cursor: cursorOf(part, sequenceNumber) });
    }
    this.#from = next ?? Number.MAX_SAFE_INTEGER;
    if (next === undefined) this.#partIndex += 1;
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
}

function numberIn(text: string): number | undefined {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

function cursorOf({ storePath, isByNumber }: Part, sequenceNumber: number): string {
  return `${isByNumber ? '' : sequenceNumber}@${storePath}`;
}

/** The parts from a store on. If its entity was deleted meanwhile, they begin with the entity that follows. */
function partsFrom(parts: readonly Part[], storePath: string, isByNumber: boolean): readonly Part[] {
  const [path = ''] = storePath.split('/$', 1);
  const index = parts.findIndex((part) =>
    part.isByNumber === isByNumber
      ? part.storePath === storePath || orderOf(part.path) > orderOf(path)
      : isByNumber,
  );
  return index < 0 ? [] : parts.slice(index);
}

/** Texts in the order of entities: a topic, its subscriptions, and then the entity that follows. */
function orderOf(path: string): string {
  return path.toLowerCase().replace('/subscriptions/', '\0');
}

const NOTHING = { found: [], next: undefined } as const;

/** All stores in the order of entities. Throws a ServiceBusError. */
async function storesOf(engine: SearchedEngine, path: string | undefined): Promise<readonly SearchedStore[]> {
  const result = await engine.ask({ kind: 'inspect-namespace', path });
  if (result.kind === 'failed') throw result.error;
  if (result.kind !== 'inspected-entities') throw new Error(`an inspection answered '${result.kind}'`);
  return result.entities.flatMap((entity) =>
    entity.kind === 'topic' ? [entity, ...entity.subscriptions].flatMap(storesIn) : storesIn(entity),
  );
}

function storesIn({ path, counts }: InspectedEntity): readonly SearchedStore[] {
  const { active, locked, scheduled, deferred, deadLetter, transfer, transferDeadLetter } = counts;
  return [
    { path, storePath: path, count: active + locked + scheduled + deferred },
    { path, subQueue: 'deadletter', storePath: `${path}/$DeadLetterQueue`, count: deadLetter },
    { path, subQueue: 'transfer', storePath: `${path}/$Transfer`, count: transfer },
    {
      path,
      subQueue: 'transferDeadLetter',
      storePath: `${path}/$Transfer/$DeadLetterQueue`,
      count: transferDeadLetter,
    },
  ];
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
