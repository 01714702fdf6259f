// A receiver attached to a store, and its credit for deliveries.

import type { ReceiveMode } from '../contract/command.js';
import type { Instant } from '../contract/instant.js';
import type { CompiledFilter } from '../rules/compile-filter.js';

/** A receiver's lock on a session, as far as message locks depend on it; `sessions/` implements it. */
export type SessionHold = {
  /** When it expires, if `runsOut`. */
  readonly dueAt: Instant;
  readonly runsOut: boolean;
  /** False from the moment the lock is due, even before its end is processed. */
  isHeldAt(now: Instant): boolean;
  /** Tokens of the messages delivered under it and not settled; set only by `MessageLocks`. */
  readonly lockTokens: Set<string>;
};

type ReceiverFields = Pick<
  Receiver,
  'linkId' | 'receiveMode' | 'connectionId' | 'keepsLocks' | 'client' | 'filter'
>;

export class Receiver {
  readonly linkId: number;
  readonly receiveMode: ReceiveMode;
  /** The connection whose requests may use the session that this receiver holds or waits for. */
  readonly connectionId: number | undefined;
  /** Whether its locks outlive it even with the option `releaseLocksOnDetach`. */
  readonly keepsLocks: boolean;
  readonly client: string | undefined;
  /** Its selector (JMS-81); undefined: it takes any message. */
  readonly filter: CompiledFilter | undefined;
  /** Set only by `SessionLocks`. */
  sessionLock: SessionHold | undefined;
  /** Deliveries it may still get. Without a session, changed only by the credit queue of its store. */
  credit = 0;
  /** Credit used since the attach: deliveries, and credit discarded by drains. */
  usedCredit = 0;

  constructor({ linkId, receiveMode, connectionId, keepsLocks, client, filter }: ReceiverFields) {
    this.linkId = linkId;
    this.receiveMode = receiveMode;
    this.connectionId = connectionId;
    this.keepsLocks = keepsLocks;
    this.client = client;
    this.filter = filter;
  }

  /** Counts one delivery. */
  useCredit(): void {
    this.credit -= 1;
    this.usedCredit += 1;
  }
}
