// Sequence numbers that are told before their messages are there: of messages scheduled in a transaction. No others get them.

import type { Queue } from '../entity/queue.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { choosePartition } from './accept.js';
import { duplicateKeyOf, findOriginal } from './duplicate-detection.js';
import type { NewMessage } from './message-properties.js';

export type Reserved = {
  readonly sequenceNumber: number;
  /** The message repeats another, which has this number (DUP-05): it may still come in, when that one is forgotten. */
  readonly isOfOther: boolean;
};

/** In the order of the messages. */
export function reserveNumbers(
  queue: Queue,
  messages: readonly NewMessage[],
  turn: TurnInProgress,
): readonly Reserved[] {
  return messages.map((message) => {
    const key = duplicateKeyOf(queue, message);
    const original = key === undefined ? undefined : findOriginal(queue, key, turn.now);
    if (original !== undefined) return { sequenceNumber: original.sequenceNumber, isOfOther: true };
    const partitionId = choosePartition(queue, message);
    turn.numberTaken(queue, partitionId);
    return { sequenceNumber: queue.sequenceNumbers.take(partitionId), isOfOther: false };
  });
}
