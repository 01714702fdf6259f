// Messages that people manage by hand: the actions, the selections, and what became of each message.

import type { MessageCondition } from './inspection.js';
import type { Instant } from './instant.js';
import type { MessageDetails, NewMessage } from './message-properties.js';
import type { ErrorReason } from './service-bus-error.js';

export type MessageAction =
  /** Also scheduled and locked messages. */
  | { readonly kind: 'delete' }
  | {
      readonly kind: 'dead-letter';
      readonly reason?: string | undefined;
      readonly description?: string | undefined;
    }
  /**
   * Sends dead letters back to the entity that they come from, as new messages. With `staysInEntity`, one that was forwarded from
   * another queue or topic stays.
   */
  | { readonly kind: 'resubmit'; readonly staysInEntity?: boolean }
  /** `destination` is the path of a queue or topic, which accepts each message as if it were sent. */
  | { readonly kind: 'move'; readonly destination: string }
  /** Scheduled and deferred messages become available now. */
  | { readonly kind: 'activate' }
  /** Ends the locks of messages as if they had expired. */
  | { readonly kind: 'end-lock' };

export type MessageSelection =
  | { readonly kind: 'numbers'; readonly sequenceNumbers: readonly number[] }
  /** The messages that are there when the work begins. */
  | {
      readonly kind: 'matching';
      /** Undefined: all conditions to which the action applies. */
      readonly conditions?: readonly MessageCondition[] | undefined;
      /** SQL, as in a rule; undefined: all messages. */
      readonly filter?: string | undefined;
      readonly fromSequenceNumber: number;
      /** Only messages that were enqueued before this time. */
      readonly enqueuedBefore?: Instant | undefined;
      /** The next number of each partition when the work began; undefined: it begins now. */
      readonly before?: readonly number[] | undefined;
    };

/** A message that was selected, or a number that was given, and that stays as it is. */
export type SkippedMessage = {
  readonly sequenceNumber: number;
  readonly code:
    | 'message-not-found'
    /** An open transaction settles or cancels it. */
    | 'in-use'
    /** The action does not apply to its condition. */
    | 'wrong-state'
    /** The destination has accepted a message with its id, and would drop it. */
    | 'duplicate'
    | 'filter-failed'
    | 'content-unreadable'
    | ErrorReason;
  /** A whole sentence. */
  readonly text: string;
};

/** A message as it is in another entity, of this emulator or of any other. */
export type ImportedMessage = {
  readonly message: NewMessage;
  /** Its number there. Messages come in the order of these numbers. */
  readonly sourceNumber: number;
  readonly state: 'active' | 'scheduled' | 'deferred';
  readonly deliveryCount: number;
  /** Details that follow a message, and who held it last. */
  readonly details: MessageDetails | undefined;
};

export type ImportedState = { readonly sessionId: string; readonly state: Uint8Array };

/** The work of one turn. */
export type ManagedMessages = {
  /** The messages to which the action was applied, under the numbers that they had before. */
  readonly sequenceNumbers: readonly number[];
  /** The numbers that moved and resubmitted messages have now, in the same order. */
  readonly newSequenceNumbers?: readonly number[];
  readonly skipped: readonly SkippedMessage[];
  /** The selection for the next turn; undefined: all is done. */
  readonly rest: MessageSelection | undefined;
};
