// Copies the messages that a topic has accepted to its subscriptions, as often as their rules select them (TOP-01, TOP-03).

import { assert } from '../assert.js';
import type { MessageRecord } from '../event.js';
import { NEVER } from '../instant.js';
import type { Limits } from '../limits.js';
import type {
  AcceptedMessage,
  FanOutContent,
  FanOutParts,
  MessageMetadata,
} from '../queue/accepted-message.js';
import {
  bytesOfChanges,
  MESSAGE_STATE,
  mergeChanges,
  type PropertyChange,
  type SystemChanges,
} from '../queue/message-properties.js';
import { noteDeadLettered, reasonOf } from '../queue/outcomes.js';
import { partitionIdOf } from '../queue/partition.js';
import type { Queue } from '../queue/queue.js';
import type { CountedMessage } from '../queue/stored-message.js';
import { RuleEvaluationError } from '../rules/rule-value.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { EqualCopies } from './equal-copies.js';
import { FilterResults } from './filter-results.js';
import { ArrivedMessage, EditedCopy, type Original } from './rule-message.js';
import { type Copy, type MadeCopy, type Subscription, type SubscriptionRule, topicOf } from './topic.js';

/** A message of a topic, and its copies in the order of their subscriptions. */
export type CopiedMessage = { readonly accepted: AcceptedMessage; readonly copies: readonly Copy[] };

/** The result of a rule without an action. */
const UNCHANGED: MadeCopy = {};
const RULE_NAME = 'RuleName';
const NO_SESSION_ID = reasonOf(
  'Session id is null.',
  "Session enabled entity doesn't allow a message whose session identifier is null.",
);

/**
 * Makes the copies of a message, which the caller stores with `storeCopies`. Returns undefined if no rule has made one. Calls
 * `keepContent` otherwise.
 */
export function fanOut(
  intake: Queue,
  accepted: AcceptedMessage,
  { open, keepContent }: FanOutContent,
  parts: FanOutParts,
  turn: TurnInProgress,
): CopiedMessage | undefined {
  const topic = topicOf(intake);
  assert(topic !== undefined, 'only a topic sends copies to subscriptions');
  const { metadata, sequenceNumber } = accepted;
  const { enqueuedSequenceNumber, deadLetterSource } = metadata;
  const arrival = { sequenceNumber, enqueuedTime: turn.now, enqueuedSequenceNumber, deadLetterSource };
  const arrived = asChanged(new ArrivedMessage(arrival, open), metadata, parts);
  const results = new FilterResults(arrived);
  const copies: Copy[] = [];
  for (const subscription of topic.subscriptions.values()) {
    addCopies(copies, subscription, arrived, results, parts);
  }
  if (copies.length === 0) {
    turn.activities?.push({ kind: 'unmatched', path: intake.main.path, sequenceNumber });
    return undefined; // TOP-05
  }
  keepContent();
  return { accepted, copies };
}

/** The message with the changes that were made before it arrived here. */
function asChanged(
  sent: ArrivedMessage,
  { propertyChanges, systemChanges }: MessageMetadata,
  { messageReader }: FanOutParts,
): Original {
  if (propertyChanges === undefined && systemChanges === undefined) return sent;
  const changed = new EditedCopy(sent, messageReader);
  changed.apply(propertyChanges, systemChanges);
  return changed;
}

/**
 * Puts a dead letter into each subscription in place of a scheduled message whose content cannot be read, so that no rule can be
 * evaluated. `replace` gives the message a new content and is not called without subscriptions. Returns whether there is one.
 */
export function deadLetterInAll(
  intake: Queue,
  replace: () => MessageRecord,
  limits: Limits,
  turn: TurnInProgress,
): boolean {
  const topic = topicOf(intake);
  if (topic === undefined || topic.subscriptions.size === 0) return false;
  const { propertyChanges, ...metadata } = replace();
  const { sequenceNumber, contentId, sizeBytes, sessionId } = metadata;
  const accepted = {
    metadata: { ...metadata, propertyChanges: undefined },
    ...{ sequenceNumber, contentId, sizeBytes, sessionId },
    timeToLiveMs: NEVER,
    wasScheduled: true,
  };
  const made = { propertyChanges, isDead: true };
  const copies = [...topic.subscriptions.values()].map((subscription) => ({
    subscription,
    made,
    rule: undefined,
  }));
  storeCopies(intake, [{ accepted, copies }], limits, turn);
  return true;
}

/** TOP-03: adds one copy for all matching rules without an action, and one for each matching rule with an action. */
function addCopies(
  copies: Copy[],
  subscription: Subscription,
  arrived: Original,
  results: FilterResults,
  parts: FanOutParts,
): void {
  const earlierCount = copies.length;
  let hasPlain = false;
  // TOP-08: applies the current rules
  for (const rule of subscription.rules) {
    const made = applyRule(rule, arrived, results, parts);
    if (made === undefined) continue;
    if (made.isDead === true) {
      copies.length = earlierCount;
      const isKept = subscription.description.deadLetteringOnFilterEvaluationExceptions;
      if (isKept) copies.push({ subscription, made, rule }); // TOP-09
      return;
    }
    if (rule.compiled.action === undefined) {
      if (hasPlain) continue;
      hasPlain = true; // TOP-06
    }
    if (made === UNCHANGED) copies.push(unchangedCopy(subscription, rule));
    else copies.push({ subscription, made, rule });
  }
}

/** The same object for each message: a large topic would make thousands. */
function unchangedCopy(subscription: Subscription, rule: SubscriptionRule): Copy {
  rule.unchanged ??= { subscription, made: UNCHANGED, rule };
  return rule.unchanged;
}

/** Returns undefined when the rule does not match. */
export function applyRule(
  { record, compiled }: SubscriptionRule,
  arrived: Original,
  results: FilterResults,
  { messageReader, limits }: FanOutParts,
): MadeCopy | undefined {
  try {
    if (!results.matches(compiled.filter)) return undefined;
  } catch (error) {
    return failed(error, 'FilterException', record.description.name);
  }
  const { action } = compiled;
  if (action === undefined) return UNCHANGED;
  const rule = record.description.name;
  const copy = new EditedCopy(arrived, messageReader); // TOP-07
  try {
    action.apply(copy);
  } catch (error) {
    return failed(error, 'RuleActionException', rule);
  }
  const { systemChanges } = copy;
  const ruleName = { name: RULE_NAME, value: rule }; // TOP-04
  const propertyChanges = [...copy.propertyChanges, ruleName];
  const problem = problemOf(propertyChanges, systemChanges, limits);
  if (problem !== undefined) return failed(new RuleEvaluationError(problem), 'RuleActionException', rule);
  return { propertyChanges, systemChanges };
}

function failed(error: unknown, kind: string, ruleName: string): MadeCopy {
  if (!(error instanceof RuleEvaluationError)) throw error;
  return {
    isDead: true,
    propertyChanges: reasonOf(kind, `Rule '${ruleName}': ${error.message}`),
  };
}

/** MSG-07, MSG-08: an action cannot make a message that could not be sent. */
function problemOf(
  changes: readonly PropertyChange[],
  { messageId, sessionId, replyToSessionId }: SystemChanges = {},
  { maxHeadBytes, maxIdLength }: Limits,
): string | undefined {
  const bytes = bytesOfChanges(changes);
  if (bytes > maxHeadBytes) {
    return `The properties that the action sets take ${bytes} bytes; the limit is ${maxHeadBytes}.`;
  }
  for (const [field, id] of Object.entries({ messageId, sessionId, replyToSessionId })) {
    const length = id?.length ?? 0;
    if (length > maxIdLength)
      return `The ${field} that the action sets has ${length} characters; the limit is ${maxIdLength}.`;
  }
  return undefined;
}

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
    for (const copies of all) {
      for (let copy = copies.next; copy?.subscription === subscription; copy = copies.next) {
        storeCopy(copy, copies, limits, turn);
        copies.storedCount += 1;
      }
    }
  }
  for (const copies of all) {
    topic.copies.stored(copies, copies.storedCount);
    turn.contentReferenced(copies, copies.storedCount);
    turn.changed(copies.storedCount);
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
}

function storeCopy(
  { subscription, made, rule }: Copy,
  { accepted, isShared, equal }: CopiesToStore,
  limits: Limits,
  turn: TurnInProgress,
): void {
  const { queue } = subscription;
  const { metadata, sequenceNumber, contentId, sizeBytes } = accepted;
  const systemChanges =
    made.systemChanges === undefined
      ? metadata.systemChanges
      : { ...metadata.systemChanges, ...made.systemChanges };
  const sentSessionId = systemChanges?.sessionId === undefined ? accepted.sessionId : systemChanges.sessionId;
  const needsSession = queue.description.requiresSession && made.isDead !== true;
  const lacksSession = needsSession && (sentSessionId ?? undefined) === undefined; // SES-20
  const isDead = made.isDead === true || lacksSession;
  const ruled = merge(metadata.propertyChanges, made.propertyChanges);
  const propertyChanges = lacksSession ? merge(ruled, NO_SESSION_ID) : ruled;
  const partitionId = queue.description.enablePartitioning ? partitionIdOf(sequenceNumber) : 0;
  const copyNumber = queue.sequenceNumbers.take(partitionId); // SEQ-05
  const expiresAt = isDead ? NEVER : turn.now + timeToLiveOf(subscription, accepted, systemChanges, limits); // TTL-03
  const sessionId = isDead ? undefined : queue.main.sessionIdFor(sentSessionId ?? undefined);
  const wasScheduled = accepted.wasScheduled && !isDead; // MSG-09
  const differing = { expiresAt, sessionId, wasScheduled, propertyChanges, systemChanges };
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
  if (!equal.put(store, copyNumber, differing)) {
    equal.begin(store, {
      ...differing,
      sequenceNumber: copyNumber,
      enqueuedTime: turn.now,
      deliveryCount: 0, // TOP-14
      state: MESSAGE_STATE.active,
      contentId,
      sizeBytes,
      isShared,
      enqueuedSequenceNumber: metadata.enqueuedSequenceNumber ?? sequenceNumber,
      schedule: undefined,
      generatedMessageId: metadata.generatedMessageId,
      hopCount: metadata.hopCount,
      deadLetterSource: metadata.deadLetterSource,
      destination: undefined,
      lastHolder: undefined,
    });
  }
  queue.sizeBytes += sizeBytes;
  turn.touch(store);
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
