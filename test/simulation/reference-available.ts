// Which message of a store is to be had next in the reference model.

import { MESSAGE_STATE } from '../../src/broker/message/message-properties.js';
import type { ModelMessage, ModelQueue, Place } from './reference-state.js';
import { PARTITION_SIZE, PARTITIONS } from './reference-turn.js';

/** The partitions of a store take turns (PEEK-11). */
export function takeFirst(queue: ModelQueue, place: Place): ModelMessage | undefined {
  if (!queue.description.enablePartitioning) return firstOf(queue, place, () => true);
  for (let step = 0; step < PARTITIONS; step++) {
    const partition = (queue.turns[place] + step) % PARTITIONS;
    const first = firstOf(queue, place, ({ number }) => Math.floor(number / PARTITION_SIZE) === partition);
    if (first === undefined) continue;
    queue.turns[place] = (partition + 1) % PARTITIONS;
    return first;
  }
  return undefined;
}

/** SES-05. */
export function firstOfSession(queue: ModelQueue, sessionId: string): ModelMessage | undefined {
  return firstOf(queue, 'main', (message) => message.sessionId === sessionId);
}

function firstOf(
  { messages }: ModelQueue,
  place: Place,
  isMeant: (message: ModelMessage) => boolean,
): ModelMessage | undefined {
  let first: ModelMessage | undefined;
  for (const message of messages) {
    if (message.place !== place || message.state !== MESSAGE_STATE.active || !isMeant(message)) continue;
    if (message.lock === undefined && message.number < (first?.number ?? Number.POSITIVE_INFINITY)) {
      first = message;
    }
  }
  return first;
}
