// All commands of the broker. A command is plain data, executed in one synchronous turn.

import type { UnreadableContent } from './content-unreadable.js';
import type { DescribedEntity } from './entities/entity.js';
import type { EntityPage } from './entities/entity-page.js';
import type { SubscriberIdentity } from './entities/subscriber.js';
import type { MessageRecord } from './event.js';
import type { MessageCondition } from './inspection.js';
import type { Instant } from './instant.js';
import type { ImportedMessage, ImportedState, MessageAction, MessageSelection } from './management.js';
import type { NewMessage, PropertyChange } from './message-properties.js';
import type { RuleDescription } from './rule-description.js';
import type { Snapshot } from './snapshot.js';

export type ReceiveMode = 'peek-lock' | 'receive-and-delete';

/** How a locked delivery ends. */
export type Outcome =
  | { readonly kind: 'complete' }
  | { readonly kind: 'abandon'; readonly changes: readonly PropertyChange[] }
  /** The message becomes available at once, its delivery count unchanged (SET-10). */
  | { readonly kind: 'release' }
  | { readonly kind: 'defer'; readonly changes: readonly PropertyChange[] }
  /** Reason and description are the changes DeadLetterReason and DeadLetterErrorDescription (DLQ-05). */
  | { readonly kind: 'dead-letter'; readonly changes: readonly PropertyChange[] };

/** How the locks of a receiver end with its link: uncounted, or counted as abandoned. */
export type UnsettledEnd = 'release' | 'abandon';

/** The session that a client claims to hold, and the connection of its request. */
export type SessionClaim = { readonly sessionId: string; readonly connectionId: number };

/** The subscription that a consumer asks for. */
export type WantedSubscriber = {
  /** Undefined: a name that no other consumer has, for one that is neither durable nor shared. */
  readonly name: string | undefined;
  readonly clientId: string;
  readonly isDurable: boolean;
  readonly isShared: boolean;
  readonly selector?: string | undefined;
};

type DurableIdentity = Omit<SubscriberIdentity, 'isDurable'>;

/** Whether a put must find the entity: `absent` creates it, `present` updates it, undefined does either. */
export type Expected = 'absent' | 'present' | undefined;

/** All queues, all topics, or the subscriptions of a topic. */
export type EntityList =
  | { readonly type: 'queue' | 'topic' }
  | { readonly type: 'subscription'; readonly topicName: string };

/** A queue or topic that a JMS client uses. One that is there stays as it is, and one of the other type is refused (JMS-12). */
export type UsedEntity = {
  readonly type: 'queue' | 'topic';
  readonly name: string;
  readonly autoDeleteOnIdleMs: number;
  /** If not, a missing one is refused, because the client may not make it (JMS-11). */
  readonly mayCreate: boolean;
};

export type Command =
  /** Creates the entity, or applies the description to the existing one, which keeps its messages and rules (ENT-09). */
  | ({
      readonly kind: 'put-entity';
      readonly expected?: Expected;
      /** The rules of a new subscription, by default `$Default` (TOP-02). */
      readonly rules?: readonly RuleDescription[] | undefined;
    } & DescribedEntity)
  /** Deletes its messages as well, detaches its links, and deletes the subscriptions of a topic (ENT-04, ENT-05). */
  | { readonly kind: 'delete-entity'; readonly entityPath: string }
  | { readonly kind: 'get-entity'; readonly entityPath: string }
  | ({ readonly kind: 'list-entities' } & EntityList & EntityPage)
  /** `entityPath` of the rule commands is the subscription's. TOP-11: adding an existing or removing a missing name is an error. */
  | { readonly kind: 'add-rule'; readonly entityPath: string; readonly rule: RuleDescription }
  /** Replaces the rule of the same name, which must exist. */
  | { readonly kind: 'update-rule'; readonly entityPath: string; readonly rule: RuleDescription }
  | { readonly kind: 'remove-rule'; readonly entityPath: string; readonly name: string }
  /** Replaces all rules of the subscription. */
  | { readonly kind: 'set-rules'; readonly entityPath: string; readonly rules: readonly RuleDescription[] }
  | { readonly kind: 'get-rule'; readonly entityPath: string; readonly name: string }
  | ({ readonly kind: 'list-rules'; readonly entityPath: string } & EntityPage)
  | { readonly kind: 'find-entity'; readonly entityPath: string }
  /** The engine chooses link ids, unique among senders and receivers. */
  | { readonly kind: 'attach-sender'; readonly linkId: number; readonly entityPath: string }
  | {
      readonly kind: 'attach-receiver';
      readonly linkId: number;
      readonly entityPath: string;
      readonly receiveMode: ReceiveMode;
      /** Its locks outlive it even with `releaseLocksOnDetach` (LNK-04), because it is attached for a single call. */
      readonly keepsLocks?: boolean;
      /** The client, for people: its dead letters say who had them last. So below. */
      readonly client?: string | undefined;
      /** A JMS message selector: it gets only messages that this takes (JMS-81). So below. */
      readonly selector?: string | undefined;
    }
  /** Makes a temporary queue or topic, and attaches the link with which it goes (JMS-40, JMS-43). */
  | {
      readonly kind: 'attach-temporary';
      readonly linkId: number;
      readonly role: 'sender' | 'receiver';
      readonly type: 'queue' | 'topic';
      readonly name: string;
      readonly receiveMode: ReceiveMode;
      readonly client?: string | undefined;
      readonly selector?: string | undefined;
    }
  /**
   * Attaches a consumer of a topic to its subscription, which is made if it is missing (JMS-50). One that another consumer uses in a way
   * that excludes this one is refused (JMS-52, JMS-55); one with another topic or selector that nobody uses is made anew (JMS-56).
   */
  | {
      readonly kind: 'attach-subscriber';
      readonly linkId: number;
      readonly topicName: string;
      readonly subscriber: WantedSubscriber;
      readonly receiveMode: ReceiveMode;
      readonly autoDeleteOnIdleMs: number;
      /** As in `UsedEntity`. */
      readonly mayCreate: boolean;
      readonly client?: string | undefined;
    }
  /** Finds a durable subscription that may be deleted now (JMS-59, JMS-60). */
  | ({ readonly kind: 'find-subscriber' } & DurableIdentity)
  /** Deletes it. */
  | ({ readonly kind: 'unsubscribe' } & DurableIdentity)
  /** Attaches a receiver that sees each available message once and locks or removes none (PEEK-12). */
  | {
      readonly kind: 'attach-browser';
      readonly linkId: number;
      readonly entityPath: string;
      readonly selector?: string | undefined;
    }
  /**
   * Attaches a receiver that holds a session or waits for one. The effect `session-accepted` follows in the same turn or a
   * later one. `detach` ends the wait.
   */
  | {
      readonly kind: 'accept-session';
      readonly linkId: number;
      /** Chosen by the engine. Requests on the connection of the link that accepted a session come from its holder. */
      readonly connectionId: number;
      readonly entityPath: string;
      readonly receiveMode: ReceiveMode;
      /** Undefined: the next available session (SES-07). */
      readonly sessionId: string | undefined;
      readonly client?: string | undefined;
    }
  /**
   * The locks of a receiver continue (LNK-01) unless `releaseLocksOnDetach` is set (LNK-04), or `unsettled` says how they end (JMS-32,
   * JMS-33). A session is released (SES-14). What is volatile goes with the last link that keeps it.
   */
  | { readonly kind: 'detach'; readonly linkId: number; readonly unsettled?: UnsettledEnd | undefined }
  /**
   * Allows the receiver `deliveryLimit` deliveries in total since it attached (AMQP 2.6.7: its delivery-count plus its
   * link-credit). With `drain`, unused credit is discarded (CRD-02) and counts towards later limits as if it had been used.
   */
  | {
      readonly kind: 'set-credit';
      readonly linkId: number;
      readonly deliveryLimit: number;
      readonly drain: boolean;
    }
  /** Stores all messages or none (SND-11). A message whose scheduled time is in the future waits for it (SCH-01). */
  | {
      readonly kind: 'send';
      readonly entityPath: string;
      readonly messages: readonly NewMessage[];
      /** Whether a client sent them as one batch, which needs one key in a partitioned entity (PRT-06). */
      readonly isBatch?: boolean;
      /** When enlisted, returns its sequence numbers at once and reserves them (SCH-04). */
      readonly reservesNumbers?: boolean;
      /** The numbers reserved when it was enlisted; undefined for a message that was a duplicate at that time. */
      readonly numbers?: readonly (number | undefined)[];
    }
  | {
      readonly kind: 'settle';
      readonly entityPath: string;
      readonly lockToken: string;
      readonly outcome: Outcome;
    }
  /** Settles all tokens or none. */
  | {
      readonly kind: 'settle-many';
      readonly entityPath: string;
      readonly lockTokens: readonly string[];
      readonly outcome: Outcome;
      /** The session of the messages, in an entity that requires sessions (SET-09). */
      readonly session?: SessionClaim | undefined;
    }
  /** Renews all locks or none (RCV-08). */
  | { readonly kind: 'renew-lock'; readonly entityPath: string; readonly lockTokens: readonly string[] }
  /** Returns up to `maxCount` messages from this number on, fewer if they are large. Changes nothing (PEEK-04). */
  | {
      readonly kind: 'peek';
      readonly entityPath: string;
      readonly fromSequenceNumber: number;
      readonly maxCount: number;
      /** Limits the messages to one session; undefined: all messages (PEEK-08). */
      readonly sessionId?: string | undefined;
    }
  /** Receives all numbers or none (DEF-03). */
  | {
      readonly kind: 'receive-deferred';
      readonly entityPath: string;
      readonly sequenceNumbers: readonly number[];
      readonly receiveMode: ReceiveMode;
      /** Required in an entity that requires sessions (DEF-07). */
      readonly session?: SessionClaim | undefined;
    }
  /** Cancels all numbers or none (SCH-06). */
  | {
      readonly kind: 'cancel-scheduled';
      readonly entityPath: string;
      readonly sequenceNumbers: readonly number[];
    }
  /** Deletes up to `maxCount` messages enqueued before this time, oldest first, except locked and scheduled ones (DEL-01). */
  | {
      readonly kind: 'delete-messages';
      readonly entityPath: string;
      readonly maxCount: number;
      readonly enqueuedBefore: Instant;
      /** Limits the messages to one session; undefined: all messages except those of held sessions. */
      readonly session?: SessionClaim | undefined;
    }
  | { readonly kind: 'renew-session-lock'; readonly entityPath: string; readonly session: SessionClaim }
  | { readonly kind: 'get-session-state'; readonly entityPath: string; readonly session: SessionClaim }
  | {
      readonly kind: 'set-session-state';
      readonly entityPath: string;
      readonly session: SessionClaim;
      /** The bytes must not be modified afterwards; undefined clears the state. */
      readonly state: Uint8Array | undefined;
    }
  /** Lists sessions in the order of their ids: skips the first `skip`, returns up to `maxCount` (SES-17). */
  | {
      readonly kind: 'list-sessions';
      readonly entityPath: string;
      /** Sessions whose state was set after this time; undefined: sessions with active messages or state. */
      readonly stateSetAfter: Instant | undefined;
      readonly skip: number;
      readonly maxCount: number;
    }
  /**
   * Sends messages to the destination through the entity at `entityPath`, which holds those that the destination cannot take
   * at once (TXN-10, TXN-11). They and their failures are counted separately from the destination's own messages.
   */
  | {
      readonly kind: 'transfer';
      readonly entityPath: string;
      /** The path of a queue or topic. */
      readonly destination: string;
      readonly messages: readonly NewMessage[];
      /** As for a send. */
      readonly isBatch?: boolean;
      /** Whether the destination was checked when this was enlisted. It may have been deleted since. */
      readonly isChecked?: boolean;
    }
  /** Begins a transaction of this connection. Its timeout starts with its first operation (TXN-08). */
  | { readonly kind: 'declare-transaction'; readonly connectionId: number }
  /** Checks a command now and applies it at the discharge. Lock renewals and reads take effect at once. */
  | {
      readonly kind: 'enlist';
      readonly transactionId: number;
      readonly connectionId: number;
      readonly command: SingleCommand;
      /** The path of the entity that transfers sends to all other entities, for a link in cross-entity form (TXN-10). */
      readonly via?: string | undefined;
      /** Whether the transaction may be about several entities (JMS-70). */
      readonly spansEntities?: boolean;
      /** Whether the client has forgotten the deliveries it settles, and expects the messages again after a rollback. */
      readonly isForgotten?: boolean;
    }
  /** Applies all enlisted commands, or none if `isFailed` or if one is refused (TXN-04). */
  | {
      readonly kind: 'discharge';
      readonly transactionId: number;
      readonly connectionId: number;
      readonly isFailed: boolean;
    }
  /** Shows all entities, or one. Like all that inspects, it changes nothing and does not count as use (IDL-03). */
  | { readonly kind: 'inspect-namespace'; readonly path?: string | undefined }
  /**
   * Shows messages of a store by number, in any condition or in these, from a number on, or with `isNewestFirst` from it downwards.
   * The path of waiting transfers ends with `/$Transfer`. Stops early after many bytes, or many messages of other conditions.
   */
  | {
      readonly kind: 'inspect-messages';
      readonly entityPath: string;
      readonly conditions?: readonly MessageCondition[] | undefined;
      readonly fromSequenceNumber: number;
      readonly isNewestFirst?: boolean | undefined;
      readonly maxCount: number;
    }
  /** Shows the locked messages of a store by number. */
  | {
      readonly kind: 'inspect-locks';
      readonly entityPath: string;
      readonly fromSequenceNumber: number;
      readonly maxCount: number;
    }
  /** Shows the sessions of a store in the order of their ids, from this one on. */
  | {
      readonly kind: 'inspect-sessions';
      readonly entityPath: string;
      readonly fromSessionId: string;
      readonly maxCount: number;
    }
  /** Shows what needs somebody's attention. The first ones count the dead letters in pieces; from then on their groups are kept up to date. */
  | { readonly kind: 'inspect-causes' }
  /** Shows all work in progress. */
  | { readonly kind: 'inspect-work' }
  /** Tries a message on every rule of a topic, and stores nothing. */
  | {
      readonly kind: 'test-rules';
      readonly topicName: string;
      readonly message: NewMessage;
      /** A rule of one's own, which is tried as well. */
      readonly rule?: RuleDescription | undefined;
    }
  /**
   * Empties a store: messages of any state, session states, and from a main store the history of duplicate detection. With a topic
   * its subscriptions are emptied, too. Receivers stay attached, their locks are lost, and they keep their sessions. Counts as use
   * (IDL-03).
   */
  | { readonly kind: 'purge'; readonly entityPath: string }
  /** Purges all stores, and rolls back all transactions. */
  | { readonly kind: 'reset' }
  /** Copies all that is stored. Changes nothing, and is refused while copies of a topic's message are being made (TOP-15). */
  | { readonly kind: 'take-snapshot' }
  /**
   * A reset, then everything of the snapshot is put back, and its entities are all there are. Messages are unlocked and keep their
   * numbers and delivery counts; times move by the time since the snapshot; no counter goes back (SEQ-11). An entity that the broker has
   * keeps its links, unless a fixed property differs.
   */
  | {
      readonly kind: 'restore-snapshot';
      readonly snapshot: Snapshot;
      /** By the ids that the snapshot has. The bytes must not be modified afterwards. */
      readonly contents: ReadonlyMap<number, Uint8Array>;
    }
  /**
   * Does something to selected messages by hand, whoever holds them. Examines a bounded number of them; the answer has the rest of
   * the selection. A message that an open transaction settles is left alone.
   */
  | {
      readonly kind: 'manage-messages';
      readonly entityPath: string;
      readonly action: MessageAction;
      readonly selection: MessageSelection;
      /** Changes nothing, and answers with the messages that would be changed, as far as that is known before. */
      readonly isDryRun?: boolean | undefined;
    }
  /**
   * Stores all messages, or none, as they were in another entity. With an `importId`, those that an earlier command with the same id has
   * brought into this store are left out; each store keeps how far it is until the command with `isLast`, which ends the copy everywhere.
   */
  | {
      readonly kind: 'import-messages';
      /** The path of a queue, a topic, a subscription or a dead-letter queue. */
      readonly entityPath: string;
      readonly messages: readonly ImportedMessage[];
      readonly sessionStates?: readonly ImportedState[];
      /** 64 hexadecimal digits. */
      readonly importId?: string | undefined;
      readonly isLast?: boolean;
    }
  /** Ends the lock of a session as if it had expired. */
  | { readonly kind: 'end-session'; readonly entityPath: string; readonly sessionId: string }
  /**
   * The content of this message cannot be read. The message becomes a dead letter with an empty body
   * (`namespace/unreadable-contents.ts`). One that has left the store or has another content by now stays as it is.
   */
  | ({ readonly kind: 'content-unreadable' } & UnreadableContent & {
        /** The message, if receive-and-delete mode has removed it: it is put into the dead-letter queue. */
        readonly removed?: MessageRecord | undefined;
      })
  /** Makes an entity if it is missing (JMS-10), then executes the command in the same turn. */
  | {
      readonly kind: 'use-entity';
      readonly entity: UsedEntity;
      readonly command: Extract<Command, { readonly kind: `attach-${string}` | 'send' | 'enlist' }>;
    }
  /** Performs the work that is due. */
  | { readonly kind: 'tick' }
  /**
   * Executes all of these in order, or none: every command is checked before the first is applied. No command may rely on a
   * change by an earlier one: an object that one command settles, receives, cancels, sets, creates or deletes is refused to
   * those after it. Deliveries, expiry and forwarding come after the last command.
   */
  | { readonly kind: 'step'; readonly commands: readonly StepCommand[] };

/** A command that only looks. */
export type Inspection = Extract<Command, { readonly kind: `inspect-${string}` | 'test-rules' }>;

/** A command that changes by hand what clients hold. */
export type Management = Extract<
  Command,
  { readonly kind: 'manage-messages' | 'import-messages' | 'end-session' }
>;

/** A command that empties stores by hand. */
export type Emptying = Extract<Command, { readonly kind: 'purge' | 'reset' }>;

/** A command that takes or restores a snapshot. */
export type SnapshotCommand = Extract<Command, { readonly kind: `${'take' | 'restore'}-snapshot` }>;

/** A command that a single handler carries out. */
export type SingleCommand = Exclude<
  Command,
  {
    readonly kind:
      | 'tick'
      | 'step'
      | 'declare-transaction'
      | 'enlist'
      | 'discharge'
      | 'use-entity'
      | 'reset'
      | 'restore-snapshot';
  }
>;

/** A command that may be part of a step. Links attach and detach one at a time, and people look and act without steps. */
export type StepCommand = Exclude<
  SingleCommand,
  {
    readonly kind:
      | `attach-${'sender' | 'receiver' | 'browser' | 'temporary' | 'subscriber'}`
      | 'accept-session'
      | 'detach'
      | 'set-credit'
      | 'list-sessions'
      | 'content-unreadable'
      | 'take-snapshot'
      | Inspection['kind']
      | Management['kind']
      | Emptying['kind'];
  }
>;
