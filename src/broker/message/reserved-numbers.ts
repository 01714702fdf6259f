// Sequence numbers that are told before their messages are there: of messages scheduled in a transaction. No others get them.

import type { Queue } from '../entity/queue.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { choosePartition } from './accept.js';
import { duplicateKeyOf, findOriginal } from './duplicate-detection.js';
import type { NewMessage } from './message-properties.js';

/** In the order of the messages; of one that repeats another, the number of that (DUP-05). */
export function reserveNumbers(
  queue: Queue,
  messages: readonly NewMessage[],
  turn: TurnInProgress,
): readonly number[] {
  return messages.map((message) => {
    const key = duplicateKeyOf(queue, message);
    const original = key === undefined ? undefined : findOriginal(queue, key, turn.now);
    if (original !== undefined) return original.sequenceNumber;
    const partitionId = choosePartition(queue, message);
    turn.numberTaken(queue, partitionId);
    return queue.sequenceNumbers.take(partitionId);
  });
}
