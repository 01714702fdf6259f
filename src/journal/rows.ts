// From events to rows and back.

import type { StoredEvent } from '../broker/event.js';
import type { Instant } from '../broker/instant.js';
import type { JournalEvent } from '../engine/ports.js';
import { isRemovalOfEntity, readEntityRow, readRuleRow, writeEntityEvent } from './entity-rows.js';
import * as keys from './keys.js';
import { readMessage, readMessageId, writeMessage, writeMessageId } from './message-values.js';
import { type RowBatch, TEXT } from './row-store.js';
import * as values from './row-values.js';

/** What the rows say besides the events that restore a broker. */
export type ReadRow =
  | StoredEvent
  | { readonly kind: 'time-put'; readonly now: Instant }
  | { readonly kind: 'format' };

type CounterPut = Extract<JournalEvent, { kind: 'sequence-put' }>;

/** The rows of a batch. Of what almost every event brings along, counters and the time, just the last value is written. */
export function writeEvents(batch: RowBatch, events: readonly JournalEvent[]): void {
  const counters = new Map<number, CounterPut>();
  let time: JournalEvent | undefined;
  for (const event of events) {
    if (event.kind === 'sequence-put') {
      counters.set(event.storeId * keys.PARTITION_COUNT + event.partitionId, event);
    } else if (event.kind === 'time-put') {
      time = event;
    } else {
      if (isRemovalOfEntity(event)) dropCounters(counters, event.storeId);
      writeEvent(batch, event);
    }
  }
  for (const counter of counters.values()) writeEvent(batch, counter);
  if (time !== undefined) writeEvent(batch, time);
}

/** The counters of a removed entity must not come back behind its removal. */
function dropCounters(counters: Map<number, CounterPut>, storeId: number): void {
  for (const [slot, counter] of counters) if (counter.storeId === storeId) counters.delete(slot);
}

function writeEvent(batch: RowBatch, event: JournalEvent): void {
  switch (event.kind) {
    case 'content-stored':
      batch.put(keys.contentKey(event.contentId), values.asBuffer(event.content));
      return;
    case 'message-put': {
      const key = keys.messageKey(event.storeId, event.message.sequenceNumber);
      batch.put(key, writeMessage(event.message), TEXT);
      return;
    }
    case 'message-removed':
      batch.del(keys.messageKey(event.storeId, event.sequenceNumber));
      return;
    case 'message-id-noted': {
      const key = keys.messageIdKey(event.storeId, event.noted.sequenceNumber);
      batch.put(key, writeMessageId(event.noted), TEXT); // DUP-09
      return;
    }
    case 'message-id-forgotten':
      batch.del(keys.messageIdKey(event.storeId, event.sequenceNumber));
      return;
    case 'session-state-put': {
      const key = keys.sessionStateKey(event.storeId, event.state.sessionId);
      batch.put(key, values.writeSessionState(event.state), TEXT); // SES-15
      return;
    }
    case 'session-state-removed':
      batch.del(keys.sessionStateKey(event.storeId, event.sessionId));
      return;
    case 'content-deleted':
      batch.del(keys.contentKey(event.contentId));
      return;
    case 'sequence-put':
      batch.put(
        keys.sequenceKey(event.storeId, event.partitionId),
        String(event.nextSequenceNumber), // SEQ-11
        TEXT,
      );
      return;
    case 'time-put':
      batch.put(keys.TIME_KEY, String(event.now), TEXT);
      return;
    default:
      writeEntityEvent(batch, event);
  }
}

/** Undefined when the row is not one this version writes. Contents are not read here. */
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
    case keys.ROW_KIND.time: {
      const now = values.readTime(row);
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
  const message = name && readMessage(row, name.sequenceNumber);
  return name && message && { kind: 'message-put', storeId: name.storeId, message };
}

function readMessageIdRow(key: string, row: string): ReadRow | undefined {
  const name = keys.parseMessageKey(key);
  const noted = name && readMessageId(row, name.sequenceNumber);
  return name && noted && { kind: 'message-id-noted', storeId: name.storeId, noted };
}

function readSessionStateRow(key: string, row: string): ReadRow | undefined {
  const state = values.readSessionState(row);
  const storeId = state && keys.parseSessionStateKey(key, state.sessionId);
  return state && storeId !== undefined ? { kind: 'session-state-put', storeId, state } : undefined;
}

function readSequenceRow(key: string, row: string): ReadRow | undefined {
  const name = keys.parseSequenceKey(key);
  const nextSequenceNumber = values.readSequenceNumber(row);
  if (name === undefined || nextSequenceNumber === undefined) return undefined;
  return { kind: 'sequence-put', ...name, nextSequenceNumber };
}
