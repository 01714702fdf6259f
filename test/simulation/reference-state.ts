// What the reference model remembers, and what it expects of a turn: plain lists that can be copied as a whole.

import type { ReceiveMode } from '../../src/broker/command.js';
import type { QueueDescription } from '../../src/broker/entity/queue-description.js';
import type { Schedule } from '../../src/broker/event.js';
import type { MessageState, PropertyValue } from '../../src/broker/message/message-properties.js';
import type { MessageCounts } from '../../src/broker/result.js';

/** Part of a queue: its main store or its dead-letter queue. */
export type Place = 'main' | 'dead';

/** A queue and one of its two stores, as an entity path names them. */
export type Target = { readonly queue: ModelQueue; readonly place: Place };

/** `linkId` is undefined when the lock was taken by number. */
export type ModelLock = { token: string; until: number; readonly linkId: number | undefined };

export type ModelMessage = {
  place: Place;
  number: number;
  /** Undefined in a queue without partitions. */
  readonly partitionId: number | undefined;
  state: MessageState;
  enqueuedTime: number;
  expiresAt: number;
  schedule: Schedule | undefined;
  readonly content: Uint8Array;
  readonly hasInventedId: boolean;
  /** Learnt from the broker, which invents it. */
  inventedId: string | undefined;
  count: number;
  changes: Record<string, PropertyValue>;
  lock: ModelLock | undefined;
  isGone: boolean;
};

export type ModelNote = { readonly key: string; readonly number: number; readonly acceptedAt: number };

export type ModelQueue = {
  readonly name: string;
  readonly createdTime: number;
  description: QueueDescription;
  updatedTime: number;
  /** The numbers given so far, by partition; of a queue without partitions in the first place alone. */
  counters: number[];
  /** Of messages without a key. */
  nextPartition: number;
  /** The partition of each store that is asked first for a message. */
  turns: Record<Place, number>;
  messages: ModelMessage[];
  noted: ModelNote[];
  /** Undefined between a restart and the first command after it. */
  activeAt: number | undefined;
  /** The last time a message was certainly sent, received, settled or looked at. */
  accessedAt: number;
  isGone: boolean;
};

export type ModelLink = {
  readonly id: number;
  readonly role: 'sender' | 'receiver';
  readonly queueName: string;
  readonly place: Place;
  readonly mode: ReceiveMode;
  /** Deliveries made, and credit given up. */
  used: number;
};

export type ModelState = {
  queues: ModelQueue[];
  links: ModelLink[];
  /** The link ids of all outstanding credit, one entry per credit, in order of arrival. */
  credits: number[];
};

/** What the model expects of a turn. */
export type Expected = {
  result: ExpectedResult;
  effects: ExpectedEffect[];
  /** The message rows that must be written or deleted. */
  keys: Set<string>;
  /** Those that may be written, though nothing in them has changed. */
  optionalKeys: Set<string>;
  /** Whose rows must now be what the model has; some may be gone. */
  touched: { readonly queue: ModelQueue; readonly message: ModelMessage }[];
  noted: { readonly queue: ModelQueue; readonly note: ModelNote }[];
  /** Queues that gave numbers. */
  numbered: Set<ModelQueue>;
  queuesPut: string[];
  queuesRemoved: string[];
  /** The transitions of semantics D.3 that happened, and other things worth counting. */
  happened: string[];
};

/** A message as it is shown or handed out, with the lock it then had. */
export type ExpectedMessage = { readonly message: ModelMessage; readonly lock: ModelLock | undefined };

export type ExpectedResult =
  | { readonly kind: 'done' }
  /** For one of these reasons: which of several mistakes is named is the broker's choice. */
  | { readonly kind: 'failed'; readonly reasons: readonly string[] }
  | {
      readonly kind: 'entity';
      readonly path: string;
      readonly maxMessageSizeBytes: number;
      readonly maxBatchSizeBytes: number;
    }
  | { readonly kind: 'sent'; readonly sequenceNumbers: readonly number[] }
  /** At least so many of these, from the first on. */
  | {
      readonly kind: 'messages';
      readonly messages: readonly ExpectedMessage[];
      readonly leastCount: number;
    }
  | { readonly kind: 'deleted'; readonly count: number }
  | {
      readonly kind: 'queue-info';
      readonly queue: ModelQueue;
      readonly counts: MessageCounts;
      readonly sizeBytes: number;
      readonly now: number;
    }
  | { readonly kind: 'renewed'; readonly lockedUntil: readonly number[] };

export type ExpectedEffect =
  | ({ readonly kind: 'deliver'; readonly linkId: number } & ExpectedMessage)
  | { readonly kind: 'drained'; readonly linkId: number; readonly deliveredCount: number }
  | { readonly kind: 'detach'; readonly linkId: number; readonly reason: string };

export const DONE: ExpectedResult = { kind: 'done' };

export function failed(...reasons: string[]): ExpectedResult {
  return { kind: 'failed', reasons };
}

export function nothingExpected(): Expected {
  return {
    result: DONE,
    effects: [],
    keys: new Set(),
    optionalKeys: new Set(),
    touched: [],
    noted: [],
    numbered: new Set(),
    queuesPut: [],
    queuesRemoved: [],
    happened: [],
  };
}

export function copyState({ queues, links, credits }: ModelState): ModelState {
  return {
    queues: queues.map((queue) => ({
      ...queue,
      counters: [...queue.counters],
      turns: { ...queue.turns },
      messages: queue.messages.map(copyMessage),
      noted: [...queue.noted],
    })),
    links: links.map((link) => ({ ...link })),
    credits: [...credits],
  };
}

function copyMessage(message: ModelMessage): ModelMessage {
  const lock = message.lock === undefined ? undefined : { ...message.lock };
  return { ...message, changes: { ...message.changes }, lock };
}

export function findTarget({ queues }: ModelState, path: string): Target | undefined {
  const lower = path.toLowerCase();
  for (const queue of queues) {
    const name = queue.name.toLowerCase();
    if (lower === name) return { queue, place: 'main' };
    if (lower === `${name}/$deadletterqueue`) return { queue, place: 'dead' };
  }
  return undefined;
}

export function pathOf({ queue, place }: Target): string {
  return place === 'main' ? queue.name : `${queue.name}/$DeadLetterQueue`;
}
