// From events to rows and back.

import type { StoredEvent } from '../broker/event.js';
import type { Instant } from '../broker/instant.js';
import type { JournalEvent } from '../engine/ports.js';
import * as keys from './keys.js';
import { type RowBatch, TEXT } from './row-store.js';
import * as values from './row-values.js';

/** What the rows say besides the events that restore a broker. */
export type ReadRow =
  | StoredEvent
  | { readonly kind: 'time-put'; readonly now: Instant }
  | { readonly kind: 'format' };

export function writeEvent(batch: RowBatch, event: JournalEvent): void {
  switch (event.kind) {
    case 'content-stored':
      batch.put(keys.contentKey(event.contentId), values.asBuffer(event.content));
      return;
    case 'message-put': {
      const key = keys.messageKey(event.storeId, event.message.sequenceNumber);
      batch.put(key, values.writeMessage(event.message), TEXT);
      return;
    }
    case 'message-removed':
      batch.del(keys.messageKey(event.storeId, event.sequenceNumber));
      return;
    case 'content-deleted':
      batch.del(keys.contentKey(event.contentId));
      return;
    case 'sequence-put':
      batch.put(keys.sequenceKey(event.storeId), String(event.nextSequenceNumber), TEXT);
      return;
    case 'time-put':
      batch.put(keys.TIME_KEY, String(event.now), TEXT);
      return;
    case 'queue-put':
      batch.put(keys.queueKey(event.queue.storeId), values.writeQueue(event.queue), TEXT);
      return;
    default:
      event satisfies never;
  }
}

/** Undefined when the row is not one this version writes. Contents are not read here. */
export function readRow(key: string, row: string): ReadRow | undefined {
  switch (key[0]) {
    case keys.ROW_KIND.message:
      return readMessageRow(key, row);
    case keys.ROW_KIND.queue:
      return readQueueRow(key, row);
    case keys.ROW_KIND.sequence:
      return readSequenceRow(key, row);
    case keys.ROW_KIND.time: {
      const now = values.readNumber(row);
      return key === keys.TIME_KEY && now !== undefined ? { kind: 'time-put', now } : undefined;
    }
    case keys.ROW_KIND.format:
      return key === keys.FORMAT_KEY ? { kind: 'format' } : undefined;
    default:
      return undefined;
  }
}

function readMessageRow(key: string, row: string): ReadRow | undefined {
  const name = keys.parseMessageKey(key);
  const message = name && values.readMessage(row, name.sequenceNumber);
  return name && message && { kind: 'message-put', storeId: name.storeId, message };
}

function readQueueRow(key: string, row: string): ReadRow | undefined {
  const queue = values.readQueue(row);
  return queue && keys.parseStoreKey(key) === queue.storeId ? { kind: 'queue-put', queue } : undefined;
}

function readSequenceRow(key: string, row: string): ReadRow | undefined {
  const storeId = keys.parseStoreKey(key);
  const nextSequenceNumber = values.readNumber(row);
  if (storeId === undefined || !Number.isSafeInteger(nextSequenceNumber)) return undefined;
  return nextSequenceNumber === undefined ? undefined : { kind: 'sequence-put', storeId, nextSequenceNumber };
}
