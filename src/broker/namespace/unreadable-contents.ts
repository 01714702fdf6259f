// Moves messages whose content cannot be read to their dead-letter queues, with an empty body; everything else goes on. A message
// that is there already gets the empty body in place. A message that a topic has still to copy, whose rules cannot be evaluated,
// becomes a dead letter in each subscription.

import type { MessageRecord } from '../contract/event.js';
import {
  mergeChanges,
  type PropertyChange,
  type SystemChanges,
  withDetails,
} from '../contract/message-properties.js';
import { addDeadLetter, noteDeadLettered, reasonOf } from '../queue/outcomes.js';
import { REASON } from '../store/dead-letter-groups.js';
import type { MessageStore } from '../store/queue.js';
import { StoredMessage } from '../store/stored-message.js';
import { deadLetterInAll } from '../topics/fan-out.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import { type CommandOf, inNamespace } from '../turn/handler.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';

/** Reports a content that could not be read after the turn that named it. */
export const CONTENT_UNREADABLE = inNamespace(
  () => undefined,
  (_change, { removed, ...content }: CommandOf<'content-unreadable'>, parts, turn) => {
    turn.contentUnreadable(content);
    const store = removed === undefined ? undefined : parts.namespace.findStoreWithId(content.storeId);
    if (removed !== undefined && store !== undefined) {
      putBack(store, removed, content.seen, parts, turn);
      noteFault(store, removed, content.seen, turn);
    }
    return { kind: 'done' };
  },
);

/**
 * Moves the messages for which contents could not be read, unless they have left their stores or have another content by now.
 * Called when the turn is between two pieces of work, so that no message moves under one of them. Copies that share the content
 * stay until they are read themselves: to find them, a walk over all messages would take 38 ms for 250,000 of them, for each content.
 */
export function deadLetterUnreadable(parts: BrokerParts, turn: TurnInProgress): void {
  for (const { contentId, storeId, sequenceNumber, seen } of turn.takeUnreadable()) {
    const store = parts.namespace.findStoreWithId(storeId);
    const message = store?.log.find(sequenceNumber);
    if (store === undefined || message?.contentId !== contentId) continue;
    deadLetterOne(store, message, seen, parts, turn);
  }
}

/** M40. A lock ends and the delivery does not count. */
function deadLetterOne(
  store: MessageStore,
  message: StoredMessage,
  seen: string,
  parts: BrokerParts,
  turn: TurnInProgress,
): void {
  const { queue } = store;
  noteFault(store, message, seen, turn);
  take(store, message, parts);
  store.remove(message);
  turn.touch(store);
  if (isOfTopic(store)) {
    turn.messageRemoved(store, message);
    deadLetterCopies(store, message, seen, parts, turn);
  } else {
    if (!store.isDeadLetterQueue) turn.messageRemoved(store, message);
    putBack(store, message.record(), seen, parts, turn);
  }
  queue.removed(message);
  turn.contentUnreferenced(message);
}

/** Whether the message is still to be copied: a scheduled one, or one whose fan-out goes on. */
function isOfTopic({ queue, kind }: MessageStore): boolean {
  return queue.owner?.kind === 'topic' && (kind === 'main' || kind === 'fan-out');
}

/** Takes the message from its holder, schedule or deferral. */
function take(store: MessageStore, message: StoredMessage, { locks }: BrokerParts): void {
  if (message.isLocked) for (const lock of locks.held((one) => one.message === message)) locks.end(lock);
  if (store.scheduled.has(message)) store.scheduled.remove(message);
  if (message.isAvailable) store.log.withdraw(message);
}

/** Adds a message that has left its store to the dead-letter queue, or anew to the one that it was in, deferred or not. */
function putBack(
  store: MessageStore,
  record: MessageRecord,
  seen: string,
  parts: BrokerParts,
  turn: TurnInProgress,
): void {
  const changes = changesOf(record, seen);
  noteDeadLettered(store.path, record.sequenceNumber, changes, turn);
  const emptied = withEmptyContent(record, changes, parts, turn);
  if (!store.isDeadLetterQueue) {
    store.queue.stored(addDeadLetter(store, emptied, turn));
    return;
  }
  const dead = new StoredMessage(emptied);
  store.add(dead);
  store.queue.stored(dead);
  turn.messagePut(store, dead);
  turn.touch(store);
}

function deadLetterCopies(
  { queue: intake, path }: MessageStore,
  message: StoredMessage,
  seen: string,
  parts: BrokerParts,
  turn: TurnInProgress,
): void {
  const { sequenceNumber } = message;
  const record = message.record();
  const changes = changesOf(record, seen);
  const enqueuedTime = record.details?.schedule === undefined ? record.enqueuedTime : turn.now;
  const open = () => ({ ...withEmptyContent(record, changes, parts, turn), enqueuedTime });
  const hasCopy = deadLetterInAll(intake, open, record.details?.copiedTo, parts.limits, turn);
  if (!hasCopy) turn.activities?.push({ kind: 'unmatched', path, sequenceNumber });
}

/** The record with all that the broker knows itself; the sender's properties were in the content. */
function withEmptyContent(
  record: MessageRecord,
  changes: readonly PropertyChange[],
  { contentIds, messageReader, nextGuid }: BrokerParts,
  turn: TurnInProgress,
): MessageRecord {
  const contentId = contentIds.take();
  turn.contentStored(contentId, messageReader.empty);
  return {
    ...record,
    contentId,
    sizeBytes: messageReader.empty.byteLength,
    isShared: false,
    details: withDetails(record.details, {
      generatedMessageId: record.details?.generatedMessageId ?? nextGuid(), // MSG-04
      systemChanges: withSessionId(record),
      propertyChanges: mergeChanges(record.details?.propertyChanges ?? [], changes),
    }),
  };
}

function withSessionId({ sessionId, details }: MessageRecord): SystemChanges | undefined {
  const systemChanges = details?.systemChanges;
  if (sessionId === undefined || systemChanges?.sessionId !== undefined) return systemChanges;
  return { ...systemChanges, sessionId };
}

/** A dead letter keeps its former reason in the description. */
function changesOf({ details }: MessageRecord, seen: string): readonly PropertyChange[] {
  const former = details?.propertyChanges?.findLast(({ name }) => name === REASON)?.value;
  const before = typeof former === 'string' ? ` It was dead-lettered before: ${former}.` : '';
  return reasonOf('ContentUnreadable', `The content of the message cannot be read: ${seen}.${before}`);
}

function noteFault(
  store: MessageStore,
  { sequenceNumber, details }: Pick<MessageRecord, 'sequenceNumber' | 'details'>,
  seen: string,
  turn: TurnInProgress,
): void {
  const outcome = isOfTopic(store)
    ? `Each subscription${details?.copiedTo === undefined ? '' : ' without its copies'} has a dead letter in its place, with an empty body.`
    : 'The message is in the dead-letter queue, with an empty body.';
  turn.faultFound(`The content of '${store.path}' #${sequenceNumber} cannot be read: ${seen}. ${outcome}`);
}
