// Moves a message to another entity, or a dead letter back to the entity that it comes from. A message that the destination refuses
// stays where it is, locked or not.

import { entityDisabled } from '../contract/entities/entity-errors.js';
import { NEVER } from '../contract/instant.js';
import type { MessageAction, SkippedMessage } from '../contract/management.js';
import type { NewMessage, PropertyChange } from '../contract/message-properties.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import { type Arriving, accept, findOriginal } from '../queue/accept.js';
import { checkMaySend } from '../queue/send.js';
import { checkAcceptable, checkQuota } from '../queue/send-check.js';
import { DESCRIPTION, REASON } from '../store/dead-letter-groups.js';
import { duplicateKeyOf } from '../store/duplicate-detection.js';
import type { ReadContent } from '../store/message-reader.js';
import { partitionIdOf } from '../store/partition.js';
import type { MessageStore, Queue } from '../store/queue.js';
import type { StoredMessage } from '../store/stored-message.js';
import { leave, onwardMetadata, sourceOf, withRuleChanges } from '../topics/forwarding.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import type { ManagedTurn } from './message-hold.js';

type Open = () => ReadContent;
type Outcome = 'done' | 'stopped' | SkippedMessage;

/** The queue that accepts moved messages. Throws as a send would. */
export function checkDestination(destination: string, store: MessageStore, parts: BrokerParts): Queue {
  const there = parts.namespace.store(destination);
  checkMaySend(there);
  if (there === store) {
    const text = `The messages are in '${store.path}' already; name another queue or topic.`;
    throw new ServiceBusError('argument', text, {
      entityPath: store.path,
      property: 'to',
      value: destination,
    });
  }
  checkRoom(there.queue, store, parts);
  return there.queue;
}

/** A message that would be dropped as a duplicate stays: it would be lost. */
export function moveMessage(
  message: StoredMessage,
  destination: string,
  open: Open,
  managed: ManagedTurn,
): Outcome {
  const { parts, turn } = managed;
  const { store } = managed.hold;
  const { queue } = parts.namespace.store(destination);
  const { details } = message;
  const arriving = withRuleChanges(open(), details?.systemChanges);
  const scheduledEnqueueTime = details?.schedule?.enqueueAt ?? arriving.scheduledEnqueueTime;
  const moved = { ...arriving, scheduledEnqueueTime };
  const refused = refusalOf(queue, moved, message, store, parts);
  if (refused?.code === 'quota-exceeded') return 'stopped';
  if (refused !== undefined) return refused;
  const comesBack = queue === store.queue.topLevel; // DUP-08
  if (!comesBack && isDuplicate(queue, moved, turn)) return duplicate(queue, message);
  const metadata = onwardMetadata(message, { ...sourceOf(store), hopCount: undefined }, parts);
  relocate('moved', message, queue, { message: moved, metadata, comesBack }, managed);
  return 'done';
}

/** The message becomes a new one with a new number: it was not delivered yet, and does not say why it was dead-lettered. */
export function resubmitMessage(
  message: StoredMessage,
  { staysInEntity = false }: Extract<MessageAction, { readonly kind: 'resubmit' }>,
  open: Open,
  managed: ManagedTurn,
): Outcome {
  const { parts } = managed;
  const { store } = managed.hold;
  const queue = originOf(store, message, parts);
  if (!('main' in queue)) return queue;
  if (staysInEntity && queue.topLevel !== store.queue.topLevel) return ofAnotherEntity(queue, message);
  const { details } = message;
  const content = open();
  const arriving = { ...withRuleChanges(content, details?.systemChanges), scheduledEnqueueTime: undefined };
  const refused = refusalOf(queue, arriving, message, store, parts);
  if (refused !== undefined) return refused;
  const propertyChanges = withoutReason(details?.propertyChanges, content);
  const changes = { propertyChanges, hopCount: undefined, deadLetterSource: undefined };
  const { enqueuedSequenceNumber } = message.metadata;
  const metadata = { ...onwardMetadata(message, changes, parts), enqueuedSequenceNumber };
  const given = { message: withTopicsTimeToLive(queue, arriving, parts), metadata, comesBack: true };
  relocate('resubmitted', message, queue, given, managed);
  return 'done';
}

/** The entity that a dead letter comes from: the one whose dead letters are forwarded, or the owner of the dead-letter queue. */
function originOf(store: MessageStore, message: StoredMessage, parts: BrokerParts): Queue | SkippedMessage {
  const { sequenceNumber, details } = message;
  const deadLetterSource = details?.deadLetterSource;
  const source = deadLetterSource === undefined ? undefined : findStore(deadLetterSource, parts);
  if (source !== undefined) return source.queue;
  if (store.isDeadLetterQueue) return store.queue;
  if (deadLetterSource === undefined) {
    const text = `Message ${sequenceNumber} is no dead letter: '${store.path}' is no dead-letter queue, and it was not forwarded from one.`;
    return { sequenceNumber, code: 'wrong-state', text };
  }
  const text = `'${deadLetterSource}', from which message ${sequenceNumber} comes, does not exist any more; move it.`;
  return { sequenceNumber, code: 'entity-not-found', text };
}

function ofAnotherEntity(queue: Queue, { sequenceNumber }: StoredMessage): SkippedMessage {
  const text = `Message ${sequenceNumber} comes from '${queue.main.path}'; to put it back there, use a key with Manage of the namespace.`;
  return { sequenceNumber, code: 'not-allowed', text };
}

function findStore(path: string, { namespace }: BrokerParts): MessageStore | undefined {
  try {
    return namespace.store(path);
  } catch (error) {
    if (error instanceof ServiceBusError) return undefined;
    throw error;
  }
}

/** The refusal that a send would get, or undefined. */
function refusalOf(
  queue: Queue,
  arriving: NewMessage,
  { sequenceNumber }: StoredMessage,
  from: MessageStore,
  parts: BrokerParts,
): SkippedMessage | undefined {
  try {
    if (!queue.allows('arrive')) throw entityDisabled(queue.main.path);
    checkAcceptable(queue, [arriving], parts.limits);
    checkRoom(queue, from, parts);
    return undefined;
  } catch (error) {
    if (!(error instanceof ServiceBusError)) throw error;
    return { sequenceNumber, code: error.reason, text: error.message };
  }
}

/** A dead letter takes room in its entity already (DLQ-10). */
function checkRoom(queue: Queue, from: MessageStore, parts: BrokerParts): void {
  if (queue.topLevel !== from.queue.topLevel) checkQuota(queue.topLevel, parts);
}

function isDuplicate(queue: Queue, message: NewMessage, { now }: TurnInProgress): boolean {
  const key = duplicateKeyOf(queue.description, message);
  return key !== undefined && findOriginal(queue, key, now) !== undefined;
}

function duplicate(queue: Queue, { sequenceNumber }: StoredMessage): SkippedMessage {
  const text = `'${queue.main.path}' has accepted a message with the id of message ${sequenceNumber} and would drop it as a duplicate.`;
  return { sequenceNumber, code: 'duplicate', text };
}

/** TTL-03: a copy in a subscription lives no longer than its topic allows. */
function withTopicsTimeToLive({ topLevel }: Queue, message: NewMessage, { limits }: BrokerParts): NewMessage {
  const timeToLiveMs = Math.min(message.timeToLiveMs ?? NEVER, topLevel.maxTimeToLiveMs(limits));
  return { ...message, timeToLiveMs };
}

/** Without the reason that was set at the dead-lettering, and with a removal of one that the sender has written. */
function withoutReason(
  changes: readonly PropertyChange[] | undefined,
  { properties }: ReadContent,
): readonly PropertyChange[] | undefined {
  const names = [REASON, DESCRIPTION];
  const kept = (changes ?? []).filter(({ name }) => !names.includes(name));
  const removed = names
    .filter((name) => properties.spelling(name) === name)
    .map((name) => ({ name, value: null }));
  return kept.length + removed.length === 0 ? undefined : [...kept, ...removed];
}

function relocate(
  kind: 'moved' | 'resubmitted',
  message: StoredMessage,
  queue: Queue,
  { message: arriving, metadata, comesBack }: Pick<Arriving, 'message' | 'metadata' | 'comesBack'>,
  { hold, parts, turn, newSequenceNumbers }: ManagedTurn,
): void {
  const { store } = hold;
  const accepted: Arriving = {
    message: arriving,
    metadata,
    comesBack,
    contentId: message.contentId,
    sequenceNumber: queue === store.queue ? takeNumber(queue, message, turn) : undefined,
    isContentUsed: false,
  };
  hold.take(message);
  queue.used(turn.now); // IDL-03: as by a send
  const newNumber = accept(queue, accepted, parts, turn);
  newSequenceNumbers.push(newNumber);
  const { sequenceNumber } = message;
  const { path } = store;
  turn.activities?.push({ kind, path, sequenceNumber, newNumber, destination: queue.main.path });
  leave(store, message, accepted, turn);
}

/** A message that returns to its entity stays in its partition, as a copy in a subscription must (SEQ-06). */
function takeNumber(queue: Queue, { sequenceNumber }: StoredMessage, turn: TurnInProgress): number {
  const partitionId = queue.description.enablePartitioning ? partitionIdOf(sequenceNumber) : 0;
  turn.numberTaken(queue, partitionId);
  return queue.sequenceNumbers.take(partitionId);
}
