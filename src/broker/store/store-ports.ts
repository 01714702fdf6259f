// The ports through which a store uses other rooms: the sessions of its messages, and the logs for sessions and transfers.

import type { SessionStateRecord } from '../contract/event.js';
import type { StoreLog } from './partitioned-log.js';
import type { Receiver } from './receiver.js';
import type { StoredMessage } from './stored-message.js';

export type StoreSession = {
  readonly id: string;
  /** The available message with the lowest number (SES-05). */
  readonly first: StoredMessage | undefined;
  readonly holder: Receiver | undefined;
  /** The number of its messages of every state. */
  readonly messageCount: number;
  /** Its messages from this number on, in order. */
  from(sequenceNumber: number): Iterable<StoredMessage>;
};

/** The message sessions of a store that requires them; `sessions/` implements it. */
export type StoreSessions = {
  /** Receivers that wait for any session, in order of arrival (X1). */
  readonly waiting: Set<Receiver>;
  /** The number of sessions that have a message, a state or a holder. */
  readonly count: number;
  readonly stateBytes: number;
  /** Whether a receiver waits for a session, or for messages of the one it holds. */
  readonly isAwaited: boolean;
  /** Whether there may be a message for a holder, or a session for a receiver that waits. */
  readonly hasDeliveries: boolean;
  /** Undefined for an unknown session (SES-03). */
  find(id: string): StoreSession | undefined;
  /** The session of a message in the store. */
  of(message: StoredMessage): StoreSession;
  /** Marks the session of a receiver whose credit has changed, if it holds one, for the next dispatch. */
  touch(receiver: Receiver): void;
  states(): Iterable<SessionStateRecord>;
  /** Takes over the receivers of a store that was emptied: those that wait, and the holders with their sessions. */
  takeOver(emptied: StoreSessions): void;
  /** The held sessions touched since the last call, in the order of their first touch. */
  takeTouched(): readonly StoreSession[];
};

/** Creates the logs that other rooms implement. */
export type LogMakers = {
  forTransfers(): StoreLog;
  /** For a store that requires sessions. */
  withSessions(log: StoreLog): { readonly log: StoreLog; readonly sessions: StoreSessions };
};
