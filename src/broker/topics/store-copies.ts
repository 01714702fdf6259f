// Stores the copies of messages in the subscriptions of a topic.

import { assert } from '../contract/assert.js';
import type { MessageRecord } from '../contract/event.js';
import { NEVER } from '../contract/instant.js';
import type { Limits } from '../contract/limits.js';
import {
  MESSAGE_STATE,
  mergeChanges,
  type PropertyChange,
  type SystemChanges,
  withDetails,
} from '../contract/message-properties.js';
import { noteDeadLettered, reasonOf } from '../queue/outcomes.js';
import type { AcceptedMessage } from '../store/accepted-message.js';
import { partitionIdOf } from '../store/partition.js';
import type { Queue } from '../store/queue.js';
import type { CountedMessage } from '../store/stored-message.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { type Differing, EqualCopies } from './equal-copies.js';
import { type Copy, type Subscription, topicOf } from './topic.js';

/** A message of a topic, and its copies in the order of their subscriptions. */
export type CopiedMessage = { readonly accepted: AcceptedMessage; readonly copies: readonly Copy[] };

const NO_SESSION_ID = reasonOf(
  'Session id is null.',
  "Session enabled entity doesn't allow a message whose session identifier is null.",
);

/**
 * Stores the copies of messages, in their order (TOP-01). Subscription by subscription: with thousands of them, what belongs to each has to
 * be fetched into the processor's cache, which takes longer than all the rest.
 */
export function storeCopies(
  intake: Queue,
  messages: readonly CopiedMessage[],
  limits: Limits,
  turn: TurnInProgress,
): void {
  const topic = topicOf(intake);
  assert(topic !== undefined, 'only a topic has copies');
  const all = messages.map(({ accepted, copies }) => new CopiesToStore(accepted, copies, turn));
  for (const subscription of topic.subscriptions.values()) {
    const { isAtRest } = subscription.queue.main;
    for (const copies of all) {
      for (let copy = copies.next; copy?.subscription === subscription; copy = copies.next) {
        storeCopy(copy, copies, isAtRest, limits, turn);
        copies.storedCount += 1;
      }
    }
  }
  for (const copies of all) {
    topic.copies.stored(copies, copies.storedCount);
    turn.contentReferenced(copies, copies.storedCount);
  }
}

/** The copies of one message while they are stored. */
class CopiesToStore implements CountedMessage {
  readonly accepted: AcceptedMessage;
  readonly isShared: boolean;
  readonly equal: EqualCopies;
  storedCount = 0;
  readonly #copies: readonly Copy[];

  constructor(accepted: AcceptedMessage, copies: readonly Copy[], turn: TurnInProgress) {
    this.accepted = accepted;
    this.isShared = accepted.metadata.isShared || copies.length > 1;
    this.equal = new EqualCopies(turn);
    this.#copies = copies;
  }

  get contentId(): number {
    return this.accepted.contentId;
  }

  get sizeBytes(): number {
    return this.accepted.sizeBytes;
  }

  get next(): Copy | undefined {
    return this.#copies[this.storedCount];
  }

  /** Field by field: a spread would cost more than all the rest. */
  record(copyNumber: number, differing: Differing): MessageRecord {
    const { contentId, sizeBytes, isShared } = this;
    const { sequenceNumber, metadata } = this.accepted;
    return {
      sequenceNumber: copyNumber,
      expiresAt: differing.expiresAt,
      sessionId: differing.sessionId,
      wasScheduled: differing.wasScheduled,
      details: differing.details,
      enqueuedTime: this.accepted.enqueuedTime,
      deliveryCount: 0, // TOP-14
      state: MESSAGE_STATE.active,
      contentId,
      sizeBytes,
      isShared,
      enqueuedSequenceNumber: metadata.enqueuedSequenceNumber ?? sequenceNumber,
    };
  }
}

function storeCopy(
  { subscription, made, rule }: Copy,
  copies: CopiesToStore,
  isAtRest: boolean,
  limits: Limits,
  turn: TurnInProgress,
): void {
  const { queue } = subscription;
  const { accepted } = copies;
  const { metadata, sequenceNumber, sizeBytes } = accepted;
  const { details } = metadata;
  const systemChanges =
    made.systemChanges === undefined
      ? details?.systemChanges
      : { ...details?.systemChanges, ...made.systemChanges };
  const sentSessionId = systemChanges?.sessionId === undefined ? accepted.sessionId : systemChanges.sessionId;
  const needsSession = queue.description.requiresSession && made.isDead !== true;
  const lacksSession = needsSession && (sentSessionId ?? undefined) === undefined; // SES-20
  const isDead = made.isDead === true || lacksSession;
  const ruled = merge(details?.propertyChanges, made.propertyChanges);
  const propertyChanges = lacksSession ? merge(ruled, NO_SESSION_ID) : ruled;
  const partitionId = queue.description.enablePartitioning ? partitionIdOf(sequenceNumber) : 0;
  const copyNumber = queue.sequenceNumbers.take(partitionId); // SEQ-05
  const timeToLiveMs = timeToLiveOf(subscription, accepted, systemChanges, limits);
  const expiresAt = isDead ? NEVER : accepted.enqueuedTime + timeToLiveMs; // TTL-03
  const sessionId = isDead ? undefined : queue.main.sessionIdFor(sentSessionId ?? undefined);
  const wasScheduled = accepted.wasScheduled && !isDead; // MSG-09
  const deadLetteredAt = isDead ? turn.now : undefined;
  const isChanged = propertyChanges !== details?.propertyChanges || systemChanges !== details?.systemChanges;
  const differing = {
    expiresAt,
    sessionId,
    wasScheduled,
    details:
      isChanged || isDead
        ? withDetails(details, { propertyChanges, systemChanges, deadLetteredAt })
        : details,
  };
  const store = isDead ? queue.deadLetters : queue.main;
  if (rule !== undefined) {
    turn.activities?.push({
      kind: 'routed',
      path: queue.main.path,
      sequenceNumber: copyNumber,
      rule: rule.record.description.name,
      acceptedNumber: sequenceNumber,
    });
  }
  if (isDead) noteDeadLettered(queue.main.path, copyNumber, propertyChanges ?? [], turn);
  const { equal } = copies;
  if (!equal.put(store, copyNumber, differing, isAtRest)) {
    equal.begin(store, copies.record(copyNumber, differing), isAtRest);
  }
  queue.sizeBytes += sizeBytes;
  // A copy at rest can only expire. The deadline of its store is early enough, unless the copy expires before it.
  if (!isAtRest || isDead || expiresAt < store.dueAt) turn.touch(store);
  turn.numberTaken(queue, partitionId);
}

function merge(
  earlier: readonly PropertyChange[] | undefined,
  later: readonly PropertyChange[] | undefined,
): readonly PropertyChange[] | undefined {
  return later === undefined ? earlier : mergeChanges(earlier ?? [], later);
}

function timeToLiveOf(
  { queue, topic }: Subscription,
  { timeToLiveMs }: AcceptedMessage,
  changes: SystemChanges | undefined,
  limits: Limits,
): number {
  const changed = changes?.timeToLiveMs;
  const requested = changed === undefined ? timeToLiveMs : (changed ?? NEVER);
  return Math.min(requested, topic.intake.maxTimeToLiveMs(limits), queue.maxTimeToLiveMs(limits));
}
