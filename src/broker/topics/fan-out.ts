// Gives the subscriptions of a topic the copies of a message that it accepts (TOP-01). What one turn does not make waits in the topic.

import { assert } from '../contract/assert.js';
import type { MessageRecord } from '../contract/event.js';
import { NEVER } from '../contract/instant.js';
import type { Limits } from '../contract/limits.js';
import { type CopiedTo, MESSAGE_STATE, onwardDetails, withDetails } from '../contract/message-properties.js';
import type { MessageView } from '../rules/message-view.js';
import type { AcceptedMessage, FanOutContent, MessageMetadata } from '../store/accepted-message.js';
import type { MessageReader } from '../store/message-reader.js';
import type { Queue } from '../store/queue.js';
import { ArrivedMessage, EditedCopy } from '../store/rule-message.js';
import { StoredMessage } from '../store/stored-message.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { type FanOutParts, MessageFanOut } from './message-fan-out.js';
import { type CopiedMessage, storeCopies } from './store-copies.js';
import { type Topic, topicOf } from './topic.js';

/**
 * Adds the copies of a message to `copies`, which the caller stores with `storeCopies`. Calls `keepContent` if there is any copy, or
 * may be. Returns whether there is.
 */
export function fanOut(
  intake: Queue,
  accepted: AcceptedMessage,
  { open, keepContent }: FanOutContent,
  copies: CopiedMessage[],
  parts: FanOutParts,
  turn: TurnInProgress,
): boolean {
  const topic = topicOf(intake);
  assert(topic !== undefined, 'only a topic sends copies to subscriptions');
  if (topic.waiting.log.count > 0) {
    keepContent();
    wait(topic, accepted, undefined, turn); // TOP-15: behind the others, in their order
    return true;
  }
  const messageFanOut = new MessageFanOut(topic);
  const arrived = asArrived(accepted, open, parts.messageReader);
  turn.fannedOut(messageFanOut.advance(arrived, turn.fanOutLeft, parts));
  const { isComplete, hasCopies } = messageFanOut;
  if (isComplete && !hasCopies) {
    noteUnmatched(topic, accepted, turn);
    return false; // TOP-05
  }
  keepContent();
  const made = messageFanOut.takeCopies();
  if (isComplete) {
    copies.push({ accepted, copies: made });
    return true;
  }
  const shared = { ...accepted, metadata: { ...accepted.metadata, isShared: true } };
  if (hasCopies) copies.push({ accepted: shared, copies: made });
  const message = wait(topic, accepted, messageFanOut.copiedTo, turn);
  topic.waiting.log.withdraw(message);
  parts.fanOuts.set(topic, { message, messageFanOut });
  return true;
}

export function noteUnmatched(
  { intake }: Topic,
  { sequenceNumber }: Pick<AcceptedMessage, 'sequenceNumber'>,
  turn: TurnInProgress,
): void {
  turn.activities?.push({ kind: 'unmatched', path: intake.main.path, sequenceNumber });
}

/** The message as rules see it: with the changes that were made before it arrived here. */
export function asArrived(
  { sequenceNumber, enqueuedTime, metadata }: AcceptedMessage,
  open: FanOutContent['open'],
  messageReader: MessageReader,
): MessageView {
  const { enqueuedSequenceNumber, details }: MessageMetadata = metadata;
  const { propertyChanges, systemChanges, deadLetterSource } = details ?? {};
  const arrival = { sequenceNumber, enqueuedTime, enqueuedSequenceNumber, deadLetterSource };
  const sent = new ArrivedMessage(arrival, open);
  if (propertyChanges === undefined && systemChanges === undefined) return sent;
  const changed = new EditedCopy(sent, messageReader);
  changed.apply(propertyChanges, systemChanges);
  return changed;
}

/** TOP-15: keeps the number and the time of the acceptance, from which the time to live counts. */
function wait(
  { waiting: store, intake }: Topic,
  {
    metadata,
    sequenceNumber,
    enqueuedTime,
    contentId,
    sizeBytes,
    timeToLiveMs,
    wasScheduled,
  }: AcceptedMessage,
  copiedTo: CopiedTo | undefined,
  turn: TurnInProgress,
): StoredMessage {
  const record: MessageRecord = {
    sequenceNumber,
    enqueuedTime,
    expiresAt: enqueuedTime + timeToLiveMs,
    deliveryCount: 0,
    state: MESSAGE_STATE.active,
    wasScheduled,
    sessionId: undefined,
    contentId,
    sizeBytes,
    isShared: true, // with its copies
    enqueuedSequenceNumber: metadata.enqueuedSequenceNumber,
    details: withDetails(metadata.details, { copiedTo }),
  };
  const message = new StoredMessage(record);
  store.add(message);
  intake.stored(message);
  turn.contentReferenced(message);
  turn.messagePut(store, message, record);
  if (store.log.count === 1) store.forwardAt = turn.now + 1; // otherwise it goes on with those before it
  turn.touch(store);
  return message;
}

/**
 * Puts a dead letter into each subscription in place of a message whose content cannot be read, so that no rule can be evaluated: one
 * that was scheduled, or one whose fan-out was going on, for the subscriptions that have no copy yet. `replace` gives the message a new
 * content and is not called without subscriptions. Returns whether there is one.
 */
export function deadLetterInAll(
  intake: Queue,
  replace: () => MessageRecord,
  copiedTo: CopiedTo | undefined,
  limits: Limits,
  turn: TurnInProgress,
): boolean {
  const topic = topicOf(intake);
  assert(topic !== undefined, 'only a topic sends copies to subscriptions');
  const subscriptions = [...topic.subscriptions.values()].filter(
    ({ queue }) => queue.main.id >= (copiedTo?.storeId ?? 0),
  );
  if (subscriptions.length === 0) return false;
  const record = replace();
  const { propertyChanges, ...details } = onwardDetails(record.details) ?? {};
  const { sequenceNumber, enqueuedTime, contentId, sizeBytes, sessionId } = record;
  const accepted = {
    metadata: { ...record, details },
    sequenceNumber,
    enqueuedTime,
    contentId,
    sizeBytes,
    sessionId,
    timeToLiveMs: NEVER,
    wasScheduled: true,
  };
  const made = { propertyChanges, isDead: true };
  const copies = subscriptions.map((subscription) => ({ subscription, made, rule: undefined }));
  storeCopies(intake, [{ accepted, copies }], limits, turn);
  turn.changed(copies.length);
  return true;
}
