// What the broker consists of: everything that lasts from one command to the next, made once.

import type { Choices } from './choices.js';
import { Claims } from './claims.js';
import { Links } from './delivery/links.js';
import { MessageLocks } from './delivery/message-lock.js';
import { SessionLocks } from './delivery/session-lock.js';
import { Namespace } from './entity/namespace.js';
import { StoreDeadlines } from './entity/store-deadlines.js';
import type { Limits } from './limits.js';
import { ContentReferences } from './message/content-references.js';
import type { MessageReader } from './message/message-reader.js';
import { NumberSeries } from './number-series.js';
import { RuleCompiler } from './rules/rule-compiler.js';
import { Transactions } from './transactions/transaction.js';
import type { TurnInProgress } from './turn-in-progress.js';

export type GivenParts = {
  readonly choices: Choices;
  readonly limits: Limits;
  readonly nextGuid: () => string;
  readonly messageReader: MessageReader;
};

/** The bytes of a content that some message names, or that was stored in this turn. */
export type ContentOf = (contentId: number, turn: TurnInProgress) => Uint8Array;

export type BrokerParts = ReturnType<typeof makeParts>;

export function makeParts({ choices, limits, nextGuid, messageReader }: GivenParts, contentOf: ContentOf) {
  const claims = new Claims();
  const locks = new MessageLocks(nextGuid);
  const sessionLocks = new SessionLocks();
  return {
    choices,
    limits,
    nextGuid,
    locks,
    sessionLocks,
    claims,
    contentOf,
    reader: messageReader,
    links: new Links({ locks, sessionLocks }),
    namespace: new Namespace(claims),
    storeDeadlines: new StoreDeadlines(),
    transactions: new Transactions(),
    contentIds: new NumberSeries(),
    references: new ContentReferences(),
    ruleCompiler: new RuleCompiler({ nextGuid }),
  } as const;
}
