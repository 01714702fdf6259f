// The parts of a broker, for the handlers of commands: its state between commands, its limits and its ports. They are types of the
// rooms above; `make-parts.ts` makes them.

import type { NumberSeries } from '../collections/number-series.js';
import type { BehaviourOptions } from '../contract/behaviour-options.js';
import type { Limits } from '../contract/limits.js';
import type { Namespace } from '../namespace/namespace.js';
import type { StoreDeadlines } from '../namespace/store-deadlines.js';
import type { DiscardedRows } from '../queue/discarded-rows.js';
import type { Links } from '../queue/links.js';
import type { MessageLocks } from '../queue/message-lock.js';
import type { RuleCompiler } from '../rules/rule-compiler.js';
import type { SessionLocks } from '../sessions/session-locks.js';
import type { ContentReferences } from '../store/content-references.js';
import type { MessageReader } from '../store/message-reader.js';
import type { MessageStore } from '../store/queue.js';
import type { StoredMessage } from '../store/stored-message.js';
import type { fanOut } from '../topics/fan-out.js';
import type { FanOutInProgress } from '../topics/message-fan-out.js';
import type { storeCopies } from '../topics/store-copies.js';
import type { Topic } from '../topics/topic.js';
import type { Transactions } from '../transactions/transaction.js';
import type { Claims } from './claims.js';
import type { TurnInProgress } from './turn-in-progress.js';

export type BrokerParts = PartsOptions & {
  readonly discarded: DiscardedRows;
  readonly locks: MessageLocks;
  readonly sessionLocks: SessionLocks;
  readonly claims: Claims;
  readonly loadContent: LoadContent;
  readonly fanOut: typeof fanOut;
  readonly fanOuts: WeakMap<Topic, FanOutInProgress>;
  readonly storeCopies: typeof storeCopies;
  readonly links: Links;
  readonly namespace: Namespace;
  readonly storeDeadlines: StoreDeadlines;
  readonly transactions: Transactions;
  readonly contentIds: NumberSeries;
  readonly references: ContentReferences;
  readonly ruleCompiler: RuleCompiler;
};

/** The limits and ports that a broker is given. */
export type PartsOptions = {
  readonly behaviour: BehaviourOptions;
  readonly limits: Limits;
  readonly nextGuid: () => string;
  readonly messageReader: MessageReader;
};

/**
 * Reads the content of a message. Undefined if it cannot be read: the caller leaves the message alone, and the turn makes a dead
 * letter of it (`unreadable-contents.ts`).
 */
export type LoadContent = (
  store: MessageStore,
  message: StoredMessage,
  turn: TurnInProgress,
) => Uint8Array | undefined;
