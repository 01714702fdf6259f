// The activities of a turn, for people who look: one record for each thing that a person may want to know. The broker makes none
// while nothing listens. The client is known to the front ends, which add its connection and link.

import type { EntityType } from './entities/entity.js';
import type { Instant } from './instant.js';
import type { ErrorReason } from './service-bus-error.js';

/** A message in a store. */
type OfMessage = {
  /** The path of the store, with the suffix of a dead-letter queue. */
  readonly path: string;
  readonly sequenceNumber: number;
};

/** The end of a delivery. */
type EndOfLock = OfMessage & {
  /** The link that got the delivery; undefined for a deferred message, received by its number. */
  readonly linkId: number | undefined;
  /** The time since the lock began, renewals included. */
  readonly heldMs: number;
};

type NewlyStored = OfMessage & {
  /** As the sender set it, or the one that the broker generated. */
  readonly messageId: string | undefined;
  readonly correlationId: string | undefined;
  readonly sessionId: string | undefined;
  readonly sizeBytes: number;
  /** The message itself, for a listener that looks into it at once. No record holds it. */
  readonly content: Uint8Array;
};

export type Activity =
  /** A topic accepted a message; `routed` or `unmatched` follow. */
  | ({ readonly kind: 'accepted' } & NewlyStored)
  | ({ readonly kind: 'enqueued' } & NewlyStored)
  | ({ readonly kind: 'scheduled'; readonly enqueueAt: Instant } & NewlyStored)
  /** The number of the message that it repeats. */
  | ({
      readonly kind: 'duplicate';
      readonly messageId: string | undefined;
      readonly correlationId: string | undefined;
    } & OfMessage)
  /** A subscription got a copy. `acceptedNumber` is the number at the topic; `rule` is the first one that matched. */
  | ({ readonly kind: 'routed'; readonly rule: string; readonly acceptedNumber: number } & OfMessage)
  | ({ readonly kind: 'unmatched' } & OfMessage)
  /** A scheduled message became active under a new number, or by hand a deferred one, under its own. */
  | ({ readonly kind: 'activated'; readonly scheduledNumber: number } & OfMessage)
  | ({
      readonly kind: 'locked';
      readonly linkId: number | undefined;
      readonly lockToken: string;
      readonly lockedUntil: Instant;
      /** Deliveries before this one. */
      readonly deliveryCount: number;
    } & OfMessage)
  /** Delivered and removed in receive-and-delete mode. */
  | ({ readonly kind: 'consumed'; readonly linkId: number | undefined } & OfMessage)
  | ({
      readonly kind: 'renewed';
      readonly lockToken: string;
      readonly lockedUntil: Instant;
      /** Set only in the history of a message, where several renewals of a lock are one record. */
      readonly renewalCount?: number;
    } & OfMessage)
  | ({ readonly kind: 'completed' } & EndOfLock)
  | ({
      readonly kind: 'abandoned' | 'lock-expired';
      /** Counts this delivery. */
      readonly deliveryCount: number;
      readonly maxDeliveryCount: number;
    } & EndOfLock)
  /** The message is available again and the delivery does not count. */
  | ({ readonly kind: 'released' } & EndOfLock)
  | ({ readonly kind: 'deferred' } & EndOfLock)
  /** Comes after the end of the delivery that led to it, if there was one. */
  | ({
      readonly kind: 'dead-lettered';
      readonly reason: string | undefined;
      readonly description: string | undefined;
      /** Set if its receiver chose it. */
      readonly outcome?: 'dead-letter';
    } & OfMessage)
  /** Followed by `dead-lettered` if the entity keeps expired messages. */
  | ({ readonly kind: 'expired' } & OfMessage)
  | ({ readonly kind: 'forwarded'; readonly destination: string } & OfMessage)
  /** By hand: the destination has accepted it under this number. */
  | ({
      readonly kind: 'moved' | 'resubmitted';
      readonly destination: string;
      readonly newNumber: number;
    } & OfMessage)
  /** It waits in the entity it was sent through, until the destination takes it. */
  | ({ readonly kind: 'transfer-waiting'; readonly destination: string } & OfMessage)
  /** A scheduled message was cancelled. */
  | ({ readonly kind: 'cancelled' } & OfMessage)
  /** Deleted without a delivery. */
  | ({ readonly kind: 'deleted' } & OfMessage)
  /** All messages of a store were removed at once. */
  | { readonly kind: 'purged'; readonly path: string; readonly messageCount: number }
  | {
      readonly kind: 'session-accepted' | 'session-renewed';
      readonly path: string;
      readonly sessionId: string;
      readonly linkId: number;
      readonly lockedUntil: Instant;
    }
  /** Lost: the lock has expired and the link is detached. Released: the receiver's link has ended. */
  | {
      readonly kind: 'session-lost' | 'session-released';
      readonly path: string;
      readonly sessionId: string;
      readonly linkId: number;
    }
  | { readonly kind: 'session-state-set'; readonly path: string; readonly sessionId: string }
  | { readonly kind: 'transaction-declared'; readonly transactionId: number }
  | {
      readonly kind: 'transaction-committed';
      readonly transactionId: number;
      readonly operationCount: number;
    }
  /** `cause` is undefined if the client asked for it. */
  | {
      readonly kind: 'transaction-rolled-back';
      readonly transactionId: number;
      readonly operationCount: number;
      readonly cause: string | undefined;
    }
  | {
      readonly kind: 'entity-created' | 'entity-updated' | 'entity-deleted';
      readonly entity: EntityType | 'rule';
      /** A rule's path is the path of its subscription, `/Rules/` and its name. */
      readonly path: string;
    }
  /** A command was refused; `path` is undefined if it names no entity. */
  | {
      readonly kind: 'refused';
      /** The kind of the command. A text, because this type is public and commands are not. */
      readonly command: string;
      readonly path: string | undefined;
      readonly reason: ErrorReason;
      readonly text: string;
    };

/** The activities of a turn in their order. */
export type Activities = {
  readonly all: readonly Activity[];
  /** The activities from here to `commandEnd` were done by the command. Before it is due work, after it deliveries and forwarding. */
  readonly commandStart: number;
  readonly commandEnd: number;
};
