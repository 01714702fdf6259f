// The rows of a batch's messages, store by store: neighbours share a page of the table, and all of their key but two digits.

import type { MessageRecord } from '../broker/event.js';
import { keyInPage, messagePageStart, PAGE_ROWS } from './keys.js';
import { writeMessage } from './message-values.js';
import type { RowWriter } from './row-writer.js';

/** The changes to one store, in their order. */
type StoreRows = {
  /** The page of the last one. */
  pageNumber: number;
  pageStart: string;
  readonly keys: string[];
  readonly texts: (string | undefined)[];
};

export class MessageRows {
  readonly #stores = new Map<number, StoreRows>();
  #lastMessage: MessageRecord | undefined;
  #lastText = '';

  /** The copies that a topic makes of a message follow one another, and share one text. */
  put(storeId: number, message: MessageRecord): void {
    if (this.#lastMessage === undefined || !haveEqualRows(message, this.#lastMessage)) {
      this.#lastMessage = message;
      this.#lastText = writeMessage(message);
    }
    this.#add(storeId, message.sequenceNumber, this.#lastText);
  }

  remove(storeId: number, sequenceNumber: number): void {
    this.#add(storeId, sequenceNumber, undefined);
  }

  write(batch: RowWriter): void {
    for (const { keys, texts } of this.#stores.values()) {
      for (const [index, key] of keys.entries()) {
        const text = texts[index];
        if (text === undefined) batch.del(key);
        else batch.put(key, text);
      }
    }
  }

  #add(storeId: number, sequenceNumber: number, text: string | undefined): void {
    let rows = this.#stores.get(storeId);
    if (rows === undefined) {
      rows = { pageNumber: -1, pageStart: '', keys: [], texts: [] };
      this.#stores.set(storeId, rows);
    }
    const pageNumber = Math.floor(sequenceNumber / PAGE_ROWS);
    if (pageNumber !== rows.pageNumber) {
      rows.pageNumber = pageNumber;
      rows.pageStart = messagePageStart(storeId, pageNumber);
    }
    rows.keys.push(keyInPage(rows.pageStart, sequenceNumber - pageNumber * PAGE_ROWS));
    rows.texts.push(text);
  }
}

/** Whether the messages differ in their numbers at most, which are not in the text of a row. */
function haveEqualRows(a: MessageRecord, b: MessageRecord): boolean {
  return (
    a.contentId === b.contentId &&
    a.enqueuedTime === b.enqueuedTime &&
    a.expiresAt === b.expiresAt &&
    a.deliveryCount === b.deliveryCount &&
    a.state === b.state &&
    a.wasScheduled === b.wasScheduled &&
    a.isShared === b.isShared &&
    a.sizeBytes === b.sizeBytes &&
    a.enqueuedSequenceNumber === b.enqueuedSequenceNumber &&
    a.schedule === b.schedule &&
    a.sessionId === b.sessionId &&
    a.generatedMessageId === b.generatedMessageId &&
    a.propertyChanges === b.propertyChanges &&
    a.systemChanges === b.systemChanges &&
    a.hopCount === b.hopCount &&
    a.deadLetterSource === b.deadLetterSource &&
    a.destination === b.destination &&
    a.lastHolder === b.lastHolder
  );
}
