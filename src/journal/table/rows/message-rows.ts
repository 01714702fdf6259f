// The rows of a batch's messages, store by store. Neighbours share a page of the table, and their keys differ only in two digits.

import type { MessageRecord } from '../../../broker/contract/event.js';
import type { RowChange } from '../../log/record.js';
import { keyInPage, messagePageStart, PAGE_ROWS } from './keys.js';
import { writeMessage } from './message-values.js';
import type { RowWriter } from './row-writer.js';

/** The changes to one store, in order. */
type StoreRows = {
  /** The page of the last change. */
  pageNumber: number;
  pageStart: string;
  readonly rows: RowChange[];
};

export class MessageRows {
  readonly #stores = new Map<number, StoreRows>();

  put(storeId: number, message: MessageRecord): void {
    this.#add(storeId, message.sequenceNumber, writeMessage(message));
  }

  /** Puts equal messages, which share one text because it does not have the number. `places` alternates store ids and numbers. */
  putCopies(message: MessageRecord, places: readonly number[]): void {
    const text = writeMessage(message);
    for (let at = 0; at < places.length; at += 2) this.#add(places[at] ?? 0, places[at + 1] ?? 0, text);
  }

  remove(storeId: number, sequenceNumber: number): void {
    this.#add(storeId, sequenceNumber, undefined);
  }

  write(batch: RowWriter): void {
    for (const { rows } of this.#stores.values()) for (const row of rows) batch.change(row);
  }

  #add(storeId: number, sequenceNumber: number, text: string | undefined): void {
    let store = this.#stores.get(storeId);
    if (store === undefined) {
      store = { pageNumber: -1, pageStart: '', rows: [] };
      this.#stores.set(storeId, store);
    }
    const pageNumber = Math.floor(sequenceNumber / PAGE_ROWS);
    if (pageNumber !== store.pageNumber) {
      store.pageNumber = pageNumber;
      store.pageStart = messagePageStart(storeId, pageNumber);
    }
    const { pageStart } = store;
    const index = sequenceNumber - pageNumber * PAGE_ROWS;
    store.rows.push([keyInPage(pageStart, index), text, pageStart, index]);
  }
}
