// A receiver attached to a store, and how many more deliveries it may be given.

import type { ReceiveMode } from '../command.js';
import type { MessageStore } from '../entity/message-store.js';
import type { SessionLock } from './session-lock.js';

export type ReceiverFields = Pick<
  Receiver,
  'linkId' | 'store' | 'receiveMode' | 'connectionId' | 'keepsLocks'
>;

export class Receiver {
  readonly linkId: number;
  readonly store: MessageStore;
  readonly receiveMode: ReceiveMode;
  /** Of a receiver that holds a session or waits for one: who may speak for it. */
  readonly connectionId: number | undefined;
  /** Its locks run on when it is gone, whatever has been chosen. */
  readonly keepsLocks: boolean;
  /** Kept by the list of session locks alone. */
  sessionLock: SessionLock | undefined;
  /** Deliveries it may still be given; changed by the credit queue of its store alone, where it has no session. */
  credit = 0;
  /** Credit it had and has no more: deliveries made to it, and what it gave up in drains. */
  usedCredit = 0;

  constructor({ linkId, store, receiveMode, connectionId, keepsLocks }: ReceiverFields) {
    this.linkId = linkId;
    this.store = store;
    this.receiveMode = receiveMode;
    this.connectionId = connectionId;
    this.keepsLocks = keepsLocks;
  }

  /** One delivery is made to it. */
  useCredit(): void {
    this.credit -= 1;
    this.usedCredit += 1;
  }
}
