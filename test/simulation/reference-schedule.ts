// What is scheduled comes due in the reference model.

import { readHead } from './message-content.js';
import { fanOut } from './reference-fan-out.js';
import type { ModelMessage, ModelQueue } from './reference-state.js';
import { activate, happened, type ModelTurn, nextNumber, PARTITION_SIZE, remove } from './reference-turn.js';

/** What an open transaction cancels waits for that (TXN-02). */
export function activateScheduled(queue: ModelQueue, turn: ModelTurn): void {
  const due = queue.messages.filter(
    ({ schedule, cancelledBy }) =>
      (schedule?.enqueueAt ?? turn.now + 1) <= turn.now && cancelledBy === undefined,
  );
  due.sort((a, b) => timeOf(a) - timeOf(b) || a.number - b.number);
  for (const message of due) {
    if (queue.kind === 'topic') activateAtTopic(queue, message, turn);
    else activate(queue, message, turn);
  }
}

/** SCH-08: by the rules of now. */
function activateAtTopic(topic: ModelQueue, message: ModelMessage, turn: ModelTurn): void {
  happened('M4 at a topic', turn);
  const { content, schedule, sessionId } = message;
  const number = nextNumber(topic, Math.floor(message.number / PARTITION_SIZE), turn);
  remove(topic, message, turn);
  const head = readHead(content);
  const messageId = message.systemChanges.messageId ?? head.messageId;
  const asSent = { ...head, content, messageId, sessionId, timeToLiveMs: schedule?.timeToLiveMs };
  fanOut(topic, { number, message: asSent, luggage: message, wasScheduled: true }, turn);
}

function timeOf({ schedule }: ModelMessage): number {
  return schedule?.enqueueAt ?? 0;
}
