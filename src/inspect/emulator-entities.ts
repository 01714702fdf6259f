// The handles with which tests look at entities, and their parameters and results.

import type { GivenMessage } from '../config/given-message.js';
import type { SentMessageView } from '../content/shown-message.js';
import type { EmulatorMessage, EmulatorMessageState } from './emulator-message.js';

/**
 * Numbers of messages. The first four count the messages of the entity itself by state, each message once. The others count messages in
 * any state.
 */
export type EmulatorCounts = {
  /** Messages that a receiver could get now. */
  readonly active: number;
  readonly locked: number;
  readonly scheduled: number;
  readonly deferred: number;
  readonly deadLetter: number;
  /** Messages that were sent through this entity and wait for another one. */
  readonly transfer: number;
  readonly transferDeadLetter: number;
};

export type MessageQuery = {
  /** One state or several. Default: all four. */
  readonly state?: EmulatorMessageState | readonly EmulatorMessageState[];
  /** The lowest sequence number. Default: 0. */
  readonly from?: number;
  /** The most messages to return. Default: no limit. */
  readonly max?: number;
};

export type WaitOptions = {
  /** One state or several, to count only messages in these. Default: all four, as with `messages()`. */
  readonly state?: EmulatorMessageState | readonly EmulatorMessageState[];
  /** Milliseconds of real time. Default: 5000. */
  readonly timeoutMs?: number;
  /** Ends the wait, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
};

/** The messages of an entity or of its dead-letter queue. */
export interface EmulatorMessages {
  readonly path: string;
  /**
   * Resolves with the messages in the order of their sequence numbers. They are read 250 at a time, so a longer list may include changes
   * that were made meanwhile.
   *
   * Rejects with a JitneyError (`entity-not-found`, `other-entity`, `not-running`), or with a RangeError or TypeError for a wrong
   * query.
   */
  messages(query?: MessageQuery): Promise<EmulatorMessage[]>;
  /**
   * Waits until there are this many messages, or one for which the function returns true. Resolves with all messages that are there at
   * that moment, or all for which it returns true. It looks again when something happens to a message of the entity, but does not see a
   * message that came and went between two looks. It also waits for an entity that does not exist yet.
   *
   * Rejects like `messages`. Rejects with a JitneyError after the timeout: of the kind `not-there`, which says what was there, or
   * `entity-not-found` if the entity never existed. Rejects at once if the entity is deleted, with the reason of the signal, and with the
   * error of the function if it throws.
   */
  waitFor(
    wanted: number | ((message: EmulatorMessage) => boolean),
    options?: WaitOptions,
  ): Promise<EmulatorMessage[]>;
  /**
   * Removes all messages in every state; from a queue or subscription itself, also the states of sessions and the history of duplicate
   * detection. A topic is purged together with its subscriptions, but not their dead-letter queues. Receivers stay attached but lose their
   * locks, and sequence numbers go on. Resolves with the number of removed messages.
   *
   * Rejects with a JitneyError (`entity-not-found`, `other-entity`, `not-running`).
   */
  purge(): Promise<number>;
}

/** A message to be sent to an entity, such as `{ body: { id: 7 }, subject: 'placed' }`; a Uint8Array as `body` is sent as it is. */
export type GivenForEntity = Omit<GivenMessage, 'entity'>;

/** A message that `receive` has removed from its entity, with what its sender has set and its sequence number. */
export type ReceivedEmulatorMessage = SentMessageView;

type Sends = {
  /**
   * Sends a message, or several as one step, without a client. Resolves with their sequence numbers. Rejects with a TypeError for a
   * message that cannot be sent, and with a JitneyError (`entity-not-found`, `not-running`).
   *
   * @example
   * await emulator.queue('orders').send({ body: { id: 7 }, subject: 'placed' });
   */
  send(messages: GivenForEntity | readonly GivenForEntity[]): Promise<readonly number[]>;
};

/** A queue, or a subscription, which has the same methods. It need not exist before a method is called; `waitFor` also waits for it. */
export interface EmulatorQueue extends EmulatorMessages, Sends {
  /**
   * Receives the next message and deletes it, without a client. Resolves with undefined if there is none within `timeoutMs`, by default
   * at once. An entity that requires sessions refuses it. Rejects like `send`.
   */
  receive(options?: { readonly timeoutMs?: number }): Promise<ReceivedEmulatorMessage | undefined>;
  readonly deadLetterQueue: EmulatorMessages;
  /** Rejects with a JitneyError (`entity-not-found`, `other-entity`, `not-running`). */
  counts(): Promise<EmulatorCounts>;
  /** The messages of the dead-letter queue; each says why it is there. Rejects like `messages`. */
  deadLetters(query?: MessageQuery): Promise<EmulatorMessage[]>;
}

export type EmulatorSubscription = EmulatorQueue;

/** A topic. Only scheduled messages are in the topic itself; all others are in its subscriptions. It need not exist before a method is called. */
export interface EmulatorTopic extends EmulatorMessages, Sends {
  /** The counts of the topic itself, without its subscriptions. Rejects with a JitneyError, like `counts` of a queue. */
  counts(): Promise<EmulatorCounts>;
  subscription(name: string): EmulatorSubscription;
}
