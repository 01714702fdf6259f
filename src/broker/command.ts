// Everything one may ask of the broker. A command is data; it is executed in one synchronous turn.

import type { QueueDescription } from './entity/queue-description.js';
import type { SubscriptionDescription, TopicDescription } from './entity/topic-description.js';
import type { Instant } from './instant.js';
import type { NewMessage, PropertyChange } from './message/message-properties.js';
import type { RuleDescription } from './rules/rule-description.js';

export type ReceiveMode = 'peek-lock' | 'receive-and-delete';

/** How a locked delivery ends (semantics B.3). */
export type Outcome =
  | { readonly kind: 'complete' }
  | { readonly kind: 'abandon'; readonly changes: readonly PropertyChange[] }
  /** Back at once with the delivery count unchanged (SET-10). */
  | { readonly kind: 'release' }
  | { readonly kind: 'defer'; readonly changes: readonly PropertyChange[] }
  /** Reason and description travel as the changes DeadLetterReason and DeadLetterErrorDescription (DLQ-05). */
  | { readonly kind: 'dead-letter'; readonly changes: readonly PropertyChange[] };

/** The session that a client says it holds, and the connection it says so on. */
export type SessionClaim = { readonly sessionId: string; readonly connectionId: number };

/** What a put finds: `absent`: it creates, `present`: it changes; undefined: whichever is the case. */
export type Expected = 'absent' | 'present' | undefined;

/** Entities by name, in any case the same: the first `skip` left out, up to `maxCount`. */
type Page = { readonly skip: number; readonly maxCount: number };

export type Command =
  /** Creates the queue, or applies the description to the one that exists; messages are kept. */
  | {
      readonly kind: 'put-queue';
      readonly description: QueueDescription;
      readonly expected?: Expected;
    }
  /** Its messages go with it and its links are detached (ENT-04, ENT-05). */
  | { readonly kind: 'delete-queue'; readonly name: string }
  /** Creates the topic, or applies the description to the one that exists; a queue must not have its name (ENT-03). */
  | { readonly kind: 'put-topic'; readonly description: TopicDescription; readonly expected?: Expected }
  /** Its subscriptions go with it (ENT-05). */
  | { readonly kind: 'delete-topic'; readonly name: string }
  /** Creates the subscription with these rules, by default with `$Default` (TOP-02), or applies the description to the one that exists. */
  | {
      readonly kind: 'put-subscription';
      readonly topicName: string;
      readonly description: SubscriptionDescription;
      readonly rules?: readonly RuleDescription[] | undefined;
      readonly expected?: Expected;
    }
  | { readonly kind: 'delete-subscription'; readonly topicName: string; readonly name: string }
  /** `entityPath` of these is that of the subscription. TOP-11: a name there already, or missing, is an error. */
  | { readonly kind: 'add-rule'; readonly entityPath: string; readonly rule: RuleDescription }
  /** In the place of the one of its name, which must be there. */
  | { readonly kind: 'update-rule'; readonly entityPath: string; readonly rule: RuleDescription }
  | { readonly kind: 'remove-rule'; readonly entityPath: string; readonly name: string }
  /** These are all the rules there are from now on. */
  | { readonly kind: 'set-rules'; readonly entityPath: string; readonly rules: readonly RuleDescription[] }
  | { readonly kind: 'get-rule'; readonly entityPath: string; readonly name: string }
  | ({ readonly kind: 'list-rules'; readonly entityPath: string } & Page)
  | ({ readonly kind: 'list-queues' } & Page)
  | ({ readonly kind: 'list-topics' } & Page)
  | ({ readonly kind: 'list-subscriptions'; readonly topicName: string } & Page)
  | { readonly kind: 'get-topic-info'; readonly name: string }
  | { readonly kind: 'get-subscription-info'; readonly topicName: string; readonly name: string }
  | { readonly kind: 'find-entity'; readonly entityPath: string }
  | { readonly kind: 'get-queue-info'; readonly name: string }
  /** Link ids are chosen by the engine and are unique over senders and receivers. */
  | { readonly kind: 'attach-sender'; readonly linkId: number; readonly entityPath: string }
  | {
      readonly kind: 'attach-receiver';
      readonly linkId: number;
      readonly entityPath: string;
      readonly receiveMode: ReceiveMode;
      /** Its locks run on when it is gone, whatever has been chosen (LNK-04): it is there for one call only. */
      readonly keepsLocks?: boolean;
    }
  /** A receiver that is shown each message that becomes available, once, and takes none (PEEK-12). */
  | { readonly kind: 'attach-browser'; readonly linkId: number; readonly entityPath: string }
  /**
   * Attaches a receiver that holds a session, or waits for one: `session-accepted` tells when it does, in the same turn
   * or a later one. Waiting ends with the link, by `detach`.
   */
  | {
      readonly kind: 'accept-session';
      readonly linkId: number;
      /** Chosen by the engine; the holder of a session is who comes on the connection of the link that accepted it. */
      readonly connectionId: number;
      readonly entityPath: string;
      readonly receiveMode: ReceiveMode;
      /** Undefined: the next one that is available (SES-07). */
      readonly sessionId: string | undefined;
    }
  /** Locks of a receiver run on (LNK-01), unless they are to be released then (LNK-04); a session is given up (SES-14). */
  | { readonly kind: 'detach'; readonly linkId: number }
  /**
   * The receiver may be given deliveries until it has had `deliveryLimit` since it attached (AMQP 2.6.7: its
   * delivery-count plus its link-credit). With `drain`, what is left after that is given up (CRD-02); credit given
   * up counts towards later limits as if it had been used.
   */
  | {
      readonly kind: 'set-credit';
      readonly linkId: number;
      readonly deliveryLimit: number;
      readonly drain: boolean;
    }
  /** All messages are stored or none (SND-11); those with a scheduled time to come wait for it (SCH-01). */
  | {
      readonly kind: 'send';
      readonly entityPath: string;
      readonly messages: readonly NewMessage[];
      /** Enlisted, it answers its numbers at once, which no other message then gets (SCH-04). */
      readonly reservesNumbers?: boolean;
      /** Its numbers, reserved when it was enlisted; undefined for a message that repeated another then. */
      readonly numbers?: readonly (number | undefined)[];
    }
  | {
      readonly kind: 'settle';
      readonly entityPath: string;
      readonly lockToken: string;
      readonly outcome: Outcome;
    }
  /** All tokens or none. */
  | {
      readonly kind: 'settle-many';
      readonly entityPath: string;
      readonly lockTokens: readonly string[];
      readonly outcome: Outcome;
      /** Where sessions are required, the one the messages belong to (SET-09). */
      readonly session?: SessionClaim | undefined;
    }
  /** All tokens or none (RCV-08). */
  | { readonly kind: 'renew-lock'; readonly entityPath: string; readonly lockTokens: readonly string[] }
  /** Looks, and changes nothing (PEEK-04): up to `maxCount` messages from this number on, fewer if they are large. */
  | {
      readonly kind: 'peek';
      readonly entityPath: string;
      readonly fromSequenceNumber: number;
      readonly maxCount: number;
      /** Those of one session; undefined: all (PEEK-08). */
      readonly sessionId?: string | undefined;
    }
  /** All numbers or none (DEF-03). */
  | {
      readonly kind: 'receive-deferred';
      readonly entityPath: string;
      readonly sequenceNumbers: readonly number[];
      readonly receiveMode: ReceiveMode;
      /** Needed where sessions are required (DEF-07). */
      readonly session?: SessionClaim | undefined;
    }
  /** All numbers or none (SCH-06). */
  | {
      readonly kind: 'cancel-scheduled';
      readonly entityPath: string;
      readonly sequenceNumbers: readonly number[];
    }
  /** The oldest messages, neither locked nor scheduled, that were enqueued before this time, up to `maxCount` (DEL-01). */
  | {
      readonly kind: 'delete-messages';
      readonly entityPath: string;
      readonly maxCount: number;
      readonly enqueuedBefore: Instant;
      /** Those of one session; undefined: all but those of sessions that are held. */
      readonly session?: SessionClaim | undefined;
    }
  | { readonly kind: 'renew-session-lock'; readonly entityPath: string; readonly session: SessionClaim }
  | { readonly kind: 'get-session-state'; readonly entityPath: string; readonly session: SessionClaim }
  | {
      readonly kind: 'set-session-state';
      readonly entityPath: string;
      readonly session: SessionClaim;
      /** Never changed afterwards; undefined clears it. */
      readonly state: Uint8Array | undefined;
    }
  /** In the order of their ids, the first `skip` left out, up to `maxCount` (SES-17). */
  | {
      readonly kind: 'list-sessions';
      readonly entityPath: string;
      /** Those whose state was set after this; undefined: those that have active messages or state. */
      readonly stateSetAfter: Instant | undefined;
      readonly skip: number;
      readonly maxCount: number;
    }
  /**
   * A send through the entity at `entityPath`, which keeps what the destination cannot take at once (TXN-10, TXN-11): sends to
   * it and its failures are told apart from the destination's own.
   */
  | {
      readonly kind: 'transfer';
      readonly entityPath: string;
      /** The path of a queue or topic. */
      readonly destination: string;
      readonly messages: readonly NewMessage[];
      /** The destination was looked at when this was enlisted; it may be gone since. */
      readonly isChecked?: boolean;
    }
  /** A transaction of this connection begins; its time runs from its first operation (TXN-08). */
  | { readonly kind: 'declare-transaction'; readonly connectionId: number }
  /** The command is checked now and takes effect when the transaction is discharged; a renewal and what only looks at once. */
  | {
      readonly kind: 'enlist';
      readonly transactionId: number;
      readonly connectionId: number;
      readonly command: SingleCommand;
      /** Of a link in cross-entity form: the path of the entity through which all others are sent to (TXN-10). */
      readonly via?: string | undefined;
      /** The client expects the messages of a settlement again when it is rolled back: it has forgotten their deliveries. */
      readonly isForgotten?: boolean;
    }
  /** All that was enlisted takes effect, or nothing of it if `isFailed` or refused (TXN-04). */
  | {
      readonly kind: 'discharge';
      readonly transactionId: number;
      readonly connectionId: number;
      readonly isFailed: boolean;
    }
  /** Time has passed: whatever is due happens. */
  | { readonly kind: 'tick' }
  /**
   * All of these, in their order, or none: each is checked before the first is applied. None may count on what another one
   * changes: what is settled, received, cancelled, set, made or deleted by one of them is refused to those after it. What
   * follows by itself (deliveries, expiry, forwarding) comes after the last of them.
   */
  | { readonly kind: 'step'; readonly commands: readonly StepCommand[] };

/** A command that one handler carries out. */
export type SingleCommand = Exclude<
  Command,
  { readonly kind: 'tick' | 'step' | 'declare-transaction' | 'enlist' | 'discharge' }
>;

/** A command that may be part of a step: links, and who waits for sessions, come and go one at a time. */
export type StepCommand = Exclude<
  SingleCommand,
  {
    readonly kind:
      | `attach-${'sender' | 'receiver' | 'browser'}`
      | 'accept-session'
      | 'detach'
      | 'set-credit'
      | 'list-sessions';
  }
>;
