// Whether a message repeats one that was accepted before: by its message-id alone, or with its partition (DUP-01, DUP-02).

import type { Queue } from '../entity/queue.js';
import type { MessageIdRecord } from '../event.js';
import type { Instant } from '../instant.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import type { NewMessage } from './message-properties.js';

/** Undefined: the message takes no part (DUP-07). */
export function duplicateKeyOf({ description }: Queue, message: NewMessage): string | undefined {
  const { messageId } = message;
  if (!description.requiresDuplicateDetection || messageId === undefined) return undefined;
  if (!description.enablePartitioning) return messageId; // DUP-02
  const partitionKey = message.sessionId ?? message.partitionKey ?? '';
  return `${partitionKey.length} ${partitionKey}${messageId}`;
}

/** The message this one repeats; the window is the queue's of today. */
export function findOriginal(queue: Queue, duplicateKey: string, now: Instant): MessageIdRecord | undefined {
  return queue.messageIds.find(duplicateKey, now, queue.description.duplicateDetectionHistoryTimeWindowMs);
}

export function noteMessageId(queue: Queue, noted: MessageIdRecord, turn: TurnInProgress): void {
  const replaced = queue.messageIds.note(noted);
  if (replaced !== undefined) forgotten(queue, replaced, turn);
  turn.events.push({ kind: 'message-id-noted', storeId: queue.main.id, noted });
}

/** What is older than the window is no duplicate any more. */
export function forgetMessageIds(queue: Queue, turn: TurnInProgress): void {
  const { duplicateDetectionHistoryTimeWindowMs } = queue.description;
  for (const record of queue.messageIds.forget(turn.now, duplicateDetectionHistoryTimeWindowMs)) {
    forgotten(queue, record, turn);
  }
}

function forgotten(queue: Queue, { sequenceNumber }: MessageIdRecord, turn: TurnInProgress): void {
  turn.events.push({ kind: 'message-id-forgotten', storeId: queue.main.id, sequenceNumber });
}
