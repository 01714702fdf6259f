// A receiver attached to a store, and how many more deliveries it may be given.

import type { ReceiveMode } from '../command.js';
import type { MessageStore } from '../entity/message-store.js';

export class Receiver {
  readonly linkId: number;
  readonly store: MessageStore;
  readonly receiveMode: ReceiveMode;
  /** Deliveries it may still be given; changed by the credit queue of its store alone. */
  credit = 0;
  /** Credit it had and has no more: deliveries made to it, and what it gave up in drains. */
  usedCredit = 0;

  constructor(linkId: number, store: MessageStore, receiveMode: ReceiveMode) {
    this.linkId = linkId;
    this.store = store;
    this.receiveMode = receiveMode;
  }
}
