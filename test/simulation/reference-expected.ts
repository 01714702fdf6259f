// What the reference model expects of a turn.

import type { RuleRecord } from '../../src/broker/event.js';
import type { MessageCounts } from '../../src/broker/result.js';
import type { ModelLock, ModelMessage, ModelNote, ModelQueue } from './reference-state.js';

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
  /** The rows of session states that must be written or deleted, in order: `put orders "a"`. */
  sessionStates: string[];
  /** Queues that gave numbers. */
  numbered: Set<ModelQueue>;
  /** The rows of rules that must be written or deleted, in any order: `put news/Subscriptions/all reds`. */
  rules: string[];
  /** Of queues, topics and subscriptions. */
  queuesPut: string[];
  queuesRemoved: string[];
  /** The transitions of semantics D.3 that happened, and other things worth counting. */
  happened: string[];
};

/** A message as it is shown or handed out, with the lock it then had. */
export type ExpectedMessage = {
  readonly message: ModelMessage;
  /** As it was then: the same turn may have gone on with it. */
  readonly shown: ModelMessage;
  readonly lock: ModelLock | undefined;
  /** Of the lock, then. */
  readonly lockedUntil: number | undefined;
};

/** An entity as it is shown. */
export type LookedAt = {
  readonly queue: ModelQueue;
  readonly counts: MessageCounts;
  readonly sizeBytes: number;
  /** Of a topic; none of all else. */
  readonly subscriptionCount: number;
  readonly now: number;
};

export type ExpectedResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'declared'; readonly transactionId: number }
  | { readonly kind: 'enlisted' }
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
  | ({ readonly kind: 'queue-info' | 'topic-info' | 'subscription-info' } & LookedAt)
  | { readonly kind: 'queues' | 'topics' | 'subscriptions'; readonly entities: readonly LookedAt[] }
  | { readonly kind: 'rules'; readonly rules: readonly RuleRecord[] }
  | { readonly kind: 'renewed'; readonly lockedUntil: readonly number[] }
  | { readonly kind: 'session-state'; readonly content: Uint8Array | undefined }
  | { readonly kind: 'sessions'; readonly sessionIds: readonly string[] }
  | { readonly kind: 'step'; readonly results: readonly ExpectedResult[] };

export type ExpectedEffect =
  | {
      readonly kind: 'session-accepted';
      readonly linkId: number;
      readonly sessionId: string;
      readonly lockedUntil: number;
    }
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
    sessionStates: [],
    numbered: new Set(),
    rules: [],
    queuesPut: [],
    queuesRemoved: [],
    happened: [],
  };
}
