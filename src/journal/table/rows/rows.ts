// Converts events to rows and back.

import type { StoredEvent } from '../../../broker/contract/event.js';
import type { Instant } from '../../../broker/contract/instant.js';
import type { JournalEvent } from '../../../engine/ports.js';
import type { TimeEpoch } from '../../time-epochs.js';
import { readEntityRow, readRuleRow, writeEntityEvent } from './entity-rows.js';
import * as keys from './keys.js';
import { MessageRows } from './message-rows.js';
import { readMessageId, readStoredMessage, writeMessageId } from './message-values.js';
import { RowText } from './row-text.js';
import * as values from './row-values.js';
import type { RowWriter } from './row-writer.js';

/** A decoded row: an event that restores the broker, the time, or its epochs. */
export type ReadRow =
  | StoredEvent
  | { readonly kind: 'time-put'; readonly now: Instant }
  | { readonly kind: 'time-epochs'; readonly epochs: readonly TimeEpoch[] };

type MessageEvent = Extract<JournalEvent, { kind: 'message-put' | 'copies-put' | 'message-removed' }>;
type CounterPut = Extract<JournalEvent, { kind: 'sequence-put' }>;

/** Writes the rows of a batch. Almost every turn changes counters and the time, so only their last values in the batch are written. */
export function writeEvents(batch: RowWriter, events: readonly JournalEvent[]): void {
  const messages = new MessageRows();
  const counters = new Map<number, CounterPut>();
  let time: Extract<JournalEvent, { kind: 'time-put' }> | undefined;
  for (const event of events) {
    if (event.kind === 'message-put') {
      messages.put(event.storeId, event.message);
    } else if (event.kind === 'copies-put') {
      messages.putCopies(event.message, event.places);
    } else if (event.kind === 'message-removed') {
      messages.remove(event.storeId, event.sequenceNumber);
    } else if (event.kind === 'sequence-put') {
      counters.set(event.storeId * keys.COUNTERS_PER_STORE + event.partitionId, event);
    } else if (event.kind === 'time-put') {
      time = event;
    } else {
      if (event.kind === 'entity-removed') dropCounters(counters, event.storeId);
      writeEvent(batch, event);
    }
  }
  messages.write(batch);
  for (const counter of counters.values()) writeEvent(batch, counter);
  if (time !== undefined) writeEvent(batch, time);
}

/** Drops the counters of a removed entity: counters are written last, and would restore them. */
function dropCounters(counters: Map<number, CounterPut>, storeId: number): void {
  for (const [slot, counter] of counters) if (counter.storeId === storeId) counters.delete(slot);
}

function writeEvent(batch: RowWriter, event: Exclude<JournalEvent, MessageEvent>): void {
  switch (event.kind) {
    case 'content-stored':
      batch.putContent(event.contentId, event.content);
      return;
    case 'message-id-noted': {
      const key = keys.messageIdKey(event.storeId, event.noted.sequenceNumber);
      batch.put(key, writeMessageId(event.noted)); // DUP-09
      return;
    }
    case 'message-id-forgotten':
      batch.del(keys.messageIdKey(event.storeId, event.sequenceNumber));
      return;
    case 'session-state-put': {
      const key = keys.sessionStateKey(event.storeId, event.state.sessionId);
      batch.put(key, values.writeSessionState(event.state)); // SES-15
      return;
    }
    case 'session-state-removed':
      batch.del(keys.sessionStateKey(event.storeId, event.sessionId));
      return;
    case 'sequence-put':
      batch.put(
        keys.sequenceKey(event.storeId, event.partitionId),
        String(event.nextSequenceNumber), // SEQ-11
      );
      return;
    case 'store-emptied':
      batch.put(keys.emptiedKey(event.storeId), String(event.rowsId));
      return;
    case 'store-closed':
      batch.del(keys.emptiedKey(event.storeId));
      return;
    case 'rows-discarded':
      batch.put(keys.discardedKey(event.rowsId), '');
      return;
    case 'rows-removed':
      batch.del(keys.discardedKey(event.rowsId));
      return;
    case 'import-marked':
      batch.put(keys.importMarkKey(event.storeId, event.importId), String(event.sourceNumber));
      return;
    case 'import-ended':
      batch.del(keys.importMarkKey(event.storeId, event.importId));
      return;
    case 'time-put':
      batch.put(keys.TIME_KEY, String(event.now));
      return;
    default:
      writeEntityEvent(batch, event);
  }
}

/** Returns undefined when this version does not write such a row. */
export function readRow(key: string, row: string): ReadRow | undefined {
  switch (key[0]) {
    case keys.ROW_KIND.message:
      return readMessageRow(key, row);
    case keys.ROW_KIND.messageId:
      return readMessageIdRow(key, row);
    case keys.ROW_KIND.sessionState:
      return readSessionStateRow(key, row);
    case keys.ROW_KIND.queue:
      return readEntityRow(key, row);
    case keys.ROW_KIND.rule:
      return readRuleRow(key, row);
    case keys.ROW_KIND.sequence:
      return readSequenceRow(key, row);
    case keys.ROW_KIND.emptied: {
      const storeId = keys.parseStoreKey(key);
      const rowsId = values.readCounter(row);
      if (storeId === undefined || rowsId === undefined) return undefined;
      return { kind: 'store-emptied', storeId, rowsId };
    }
    case keys.ROW_KIND.discarded: {
      const rowsId = keys.parseStoreKey(key);
      return rowsId === undefined || row !== '' ? undefined : { kind: 'rows-discarded', rowsId };
    }
    case keys.ROW_KIND.importMark: {
      const name = keys.parseImportMarkKey(key);
      const sourceNumber = values.readCounter(row);
      if (name === undefined || sourceNumber === undefined) return undefined;
      return { kind: 'import-marked', ...name, sourceNumber };
    }
    case keys.ROW_KIND.time: {
      const now = values.readTime(row);
      return key === keys.TIME_KEY && now !== undefined ? { kind: 'time-put', now } : undefined;
    }
    case keys.ROW_KIND.timeEpochs: {
      const epochs = values.readTimeEpochs(row);
      return key === keys.TIME_EPOCHS_KEY && epochs ? { kind: 'time-epochs', epochs } : undefined;
    }
    default:
      return undefined;
  }
}

function readMessageRow(key: string, row: string): ReadRow | undefined {
  const name = keys.parseMessageKey(key);
  return name && readMessageText(new RowText(row), name.storeId, name.sequenceNumber);
}

function readMessageIdRow(key: string, row: string): ReadRow | undefined {
  const name = keys.parseMessageKey(key);
  return name && readMessageIdText(new RowText(row), name.storeId, name.sequenceNumber);
}

/** Returns undefined when this version does not write such a row. */
export function readMessageText(row: RowText, storeId: number, sequenceNumber: number): ReadRow | undefined {
  const message = readStoredMessage(row, sequenceNumber);
  return message && { kind: 'message-put', storeId, message };
}

/** Returns undefined when this version does not write such a row. */
export function readMessageIdText(
  row: RowText,
  storeId: number,
  sequenceNumber: number,
): ReadRow | undefined {
  const noted = readMessageId(row, sequenceNumber);
  return noted && { kind: 'message-id-noted', storeId, noted };
}

function readSessionStateRow(key: string, row: string): ReadRow | undefined {
  const state = values.readSessionState(row);
  const storeId = state && keys.parseSessionStateKey(key, state.sessionId);
  return state && storeId !== undefined ? { kind: 'session-state-put', storeId, state } : undefined;
}

function readSequenceRow(key: string, row: string): ReadRow | undefined {
  const name = keys.parseSequenceKey(key);
  const nextSequenceNumber = values.readCounter(row);
  if (name === undefined || nextSequenceNumber === undefined) return undefined;
  return { kind: 'sequence-put', ...name, nextSequenceNumber };
}
