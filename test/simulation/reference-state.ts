// What the reference model remembers: plain arrays that can be copied as a whole. Nothing here is clever.

import type { ReceiveMode } from '../../src/broker/command.js';
import type { QueueDescription } from '../../src/broker/entity/queue-description.js';
import type { PropertyValue } from '../../src/broker/message/message-properties.js';

/** Part of a queue: its main store or its dead-letter queue. */
export type Place = 'main' | 'dead';

export type ModelLock = { token: string; until: number };

export type ModelMessage = {
  place: Place;
  readonly number: number;
  readonly enqueuedTime: number;
  readonly content: Uint8Array;
  readonly hasInventedId: boolean;
  /** Learnt from the broker, which invents it. */
  inventedId: string | undefined;
  count: number;
  changes: Record<string, PropertyValue>;
  lock: ModelLock | undefined;
};

export type ModelQueue = {
  readonly name: string;
  readonly createdTime: number;
  description: QueueDescription;
  updatedTime: number;
  lastNumber: number;
  messages: ModelMessage[];
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
  /** What must be durable: one line per event, without regard to order. */
  durable: string[];
  effects: ExpectedEffect[];
};

export type ExpectedResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'entity'; readonly path: string; readonly maxMessageSizeBytes: number }
  | { readonly kind: 'sent'; readonly sequenceNumbers: readonly number[] }
  | { readonly kind: 'renewed'; readonly lockedUntil: readonly number[] };

export type ExpectedEffect =
  | { readonly kind: 'deliver'; readonly linkId: number; readonly message: ModelMessage }
  | { readonly kind: 'drained'; readonly linkId: number; readonly deliveredCount: number }
  | { readonly kind: 'detach'; readonly linkId: number; readonly reason: string };

export function copyState({ queues, links, credits }: ModelState): ModelState {
  return {
    queues: queues.map((queue) => ({ ...queue, messages: queue.messages.map(copyMessage) })),
    links: links.map((link) => ({ ...link })),
    credits: [...credits],
  };
}

function copyMessage(message: ModelMessage): ModelMessage {
  const lock = message.lock === undefined ? undefined : { ...message.lock };
  return { ...message, changes: { ...message.changes }, lock };
}
