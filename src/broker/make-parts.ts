// Makes the parts of a broker and wires them.

import { NumberSeries } from './collections/number-series.js';
import { STORE_LOGS } from './execution/store-logs.js';
import { Namespace } from './namespace/namespace.js';
import { StoreDeadlines } from './namespace/store-deadlines.js';
import { DiscardedRows } from './queue/discarded-rows.js';
import { Links } from './queue/links.js';
import { MessageLocks } from './queue/message-lock.js';
import { RuleCompiler } from './rules/rule-compiler.js';
import { releaseSession, SessionLocks } from './sessions/session-locks.js';
import { ContentReferences } from './store/content-references.js';
import { fanOut } from './topics/fan-out.js';
import { storeCopies } from './topics/store-copies.js';
import { Transactions } from './transactions/transaction.js';
import type { BrokerParts, LoadContent, PartsOptions } from './turn/broker-parts.js';
import { Claims } from './turn/claims.js';

export function makeParts(options: PartsOptions, loadContent: LoadContent): BrokerParts {
  const { nextGuid } = options;
  const claims = new Claims();
  const locks = new MessageLocks(nextGuid);
  const sessionLocks = new SessionLocks();
  return {
    ...options,
    discarded: new DiscardedRows(),
    locks,
    sessionLocks,
    claims,
    loadContent,
    fanOut,
    fanOuts: new WeakMap(),
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
  };
}
