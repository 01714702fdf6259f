// The parts of a broker and their wiring: its state between commands, its limits and its ports.

import type { BehaviourOptions } from './behaviour-options.js';
import { Claims } from './claims.js';
import type { Limits } from './limits.js';
import { Namespace } from './namespace/namespace.js';
import { StoreDeadlines } from './namespace/store-deadlines.js';
import { NumberSeries } from './number-series.js';
import { ContentReferences } from './queue/content-references.js';
import { DiscardedRows } from './queue/discarded-rows.js';
import { Links } from './queue/links.js';
import { MessageLocks } from './queue/message-lock.js';
import type { MessageReader } from './queue/message-reader.js';
import type { MessageStore } from './queue/queue.js';
import type { StoredMessage } from './queue/stored-message.js';
import { RuleCompiler } from './rules/rule-compiler.js';
import { releaseSession, SessionLocks } from './sessions/session-locks.js';
import { STORE_LOGS } from './store-logs.js';
import { fanOut } from './topics/fan-out.js';
import type { FanOutInProgress } from './topics/message-fan-out.js';
import { storeCopies } from './topics/store-copies.js';
import type { Topic } from './topics/topic.js';
import { Transactions } from './transactions/transaction.js';
import type { TurnInProgress } from './turn-in-progress.js';

type PartsOptions = {
  readonly behaviour: BehaviourOptions;
  readonly limits: Limits;
  readonly nextGuid: () => string;
  readonly messageReader: MessageReader;
};

/**
 * Reads the content of a message. Undefined if it cannot be read: the caller leaves the message alone, and the turn makes a dead
 * letter of it (`unreadable-contents.ts`).
 */
type LoadContent = (
  store: MessageStore,
  message: StoredMessage,
  turn: TurnInProgress,
) => Uint8Array | undefined;

export type BrokerParts = ReturnType<typeof makeParts>;

export function makeParts(
  { behaviour, limits, nextGuid, messageReader }: PartsOptions,
  loadContent: LoadContent,
) {
  const claims = new Claims();
  const locks = new MessageLocks(nextGuid);
  const sessionLocks = new SessionLocks();
  return {
    discarded: new DiscardedRows(locks),
    behaviour,
    limits,
    nextGuid,
    locks,
    sessionLocks,
    claims,
    loadContent,
    messageReader,
    fanOut,
    fanOuts: new WeakMap<Topic, FanOutInProgress>(),
    storeCopies,
    links: new Links({
      locks,
      releaseSession: (receiver, turn) => releaseSession(receiver, { locks, sessionLocks }, turn),
    }),
    namespace: new Namespace(claims, STORE_LOGS),
    storeDeadlines: new StoreDeadlines(),
    transactions: new Transactions(),
    contentIds: new NumberSeries(),
    references: new ContentReferences(),
    ruleCompiler: new RuleCompiler({ nextGuid }),
  } as const;
}
