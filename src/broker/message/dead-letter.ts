// A message moves from the main store of its queue to the dead-letter queue, in one turn (DLQ-13).

import type { Queue } from '../entity/queue.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import type { PropertyChange } from './message-properties.js';
import type { StoredMessage } from './stored-message.js';

/** DLQ-05: application properties of the dead-lettered message. */
const REASON = 'DeadLetterReason';
const DESCRIPTION = 'DeadLetterErrorDescription';

/** The message must have been taken from the main store. Number, enqueued time and count are kept (DLQ-06). */
export function deadLetter(
  queue: Queue,
  message: StoredMessage,
  changes: readonly PropertyChange[],
  turn: TurnInProgress,
): void {
  message.change(changes);
  queue.main.log.remove(message);
  turn.messageRemoved(queue.main, message);
  queue.deadLetters.log.add(message);
  turn.messagePut(queue.deadLetters, message);
  turn.touch(queue.deadLetters);
}

/** DLQ-04. */
export function maxDeliveryCountExceeded(maxDeliveryCount: number): readonly PropertyChange[] {
  return [
    { name: REASON, value: 'MaxDeliveryCountExceeded' },
    {
      name: DESCRIPTION,
      value: `Message could not be consumed after ${maxDeliveryCount} delivery attempts.`,
    },
  ];
}
