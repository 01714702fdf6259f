// Copies a message that a topic has accepted to its subscriptions, as often as their rules select it (TOP-01, TOP-03).

import { assert } from '../assert.js';
import type { MessageRecord } from '../event.js';
import { NEVER } from '../instant.js';
import type { Limits } from '../limits.js';
import type { AcceptedMessage, FanOutContent, FanOutParts } from '../queue/accepted-message.js';
import {
  bytesOfChanges,
  MESSAGE_STATE,
  mergeChanges,
  type PropertyChange,
  type SystemChanges,
} from '../queue/message-properties.js';
import { noteDeadLettered, reasonOf } from '../queue/outcomes.js';
import { partitionIdOf } from '../queue/partition.js';
import type { MessageStore, Queue } from '../queue/queue.js';
import { StoredMessage } from '../queue/stored-message.js';
import { RuleEvaluationError } from '../rules/rule-value.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { FilterResults } from './filter-results.js';
import { ArrivedMessage, EditedCopy } from './rule-message.js';
import { type Subscription, type SubscriptionRule, topicOf } from './topic.js';

/** The result of a rule: a copy, or one that goes straight to the dead-letter queue, with the reason. */
type MadeCopy = {
  /** The name of the rule. */
  readonly rule: string;
  readonly propertyChanges?: readonly PropertyChange[];
  readonly systemChanges?: SystemChanges | undefined;
  readonly isDead?: boolean;
};

type Copy = Omit<MadeCopy, 'rule'> & {
  /** Undefined if no rule has made it. */
  readonly rule?: string;
  readonly subscription: Subscription;
};

const RULE_NAME = 'RuleName';
const NO_SESSION_ID = reasonOf(
  'Session id is null.',
  "Session enabled entity doesn't allow a message whose session identifier is null.",
);

/** Returns whether any copy was made. Calls `keepContent` before it stores the first one. */
export function fanOut(
  intake: Queue,
  accepted: AcceptedMessage,
  { open, keepContent }: FanOutContent,
  parts: FanOutParts,
  turn: TurnInProgress,
): boolean {
  const topic = topicOf(intake);
  assert(topic !== undefined, 'only a topic sends copies to subscriptions');
  const { metadata, sequenceNumber } = accepted;
  const { enqueuedSequenceNumber, deadLetterSource } = metadata;
  const arrival = { sequenceNumber, enqueuedTime: turn.now, enqueuedSequenceNumber, deadLetterSource };
  const sent = new ArrivedMessage(arrival, open);
  const arrived = new EditedCopy(sent, parts.messageReader);
  arrived.apply(metadata.propertyChanges, metadata.systemChanges);
  const results = new FilterResults(arrived);
  const copies = [...topic.subscriptions.values()].flatMap((subscription) =>
    copiesFor(subscription, arrived, results, parts),
  );
  if (copies.length === 0) {
    turn.activities?.push({ kind: 'unmatched', path: intake.main.path, sequenceNumber });
    return false; // TOP-05
  }
  keepContent();
  const isShared = metadata.isShared || copies.length > 1;
  for (const copy of copies) storeCopy(copy, { accepted, isShared }, parts.limits, turn); // TOP-01
  return true;
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
  const subscriptions = [...(topicOf(intake)?.subscriptions.values() ?? [])];
  if (subscriptions.length === 0) return false;
  const { propertyChanges, ...metadata } = replace();
  const { sequenceNumber, contentId, sizeBytes, sessionId } = metadata;
  const accepted = {
    metadata: { ...metadata, propertyChanges: undefined },
    ...{ sequenceNumber, contentId, sizeBytes, sessionId },
    timeToLiveMs: NEVER,
    wasScheduled: true,
  };
  const isShared = subscriptions.length > 1;
  for (const subscription of subscriptions) {
    const copy = { subscription, propertyChanges: propertyChanges ?? [], isDead: true };
    storeCopy(copy, { accepted, isShared }, limits, turn);
  }
  return true;
}

/** TOP-03: makes one copy for all matching rules without an action, and one for each matching rule with an action. */
function copiesFor(
  subscription: Subscription,
  arrived: EditedCopy,
  results: FilterResults,
  parts: FanOutParts,
): readonly Copy[] {
  const copies: Copy[] = [];
  let hasPlain = false;
  // TOP-08: applies the current rules
  for (const rule of subscription.rules) {
    const made = applyRule(rule, arrived, results, parts);
    if (made === undefined) continue;
    if (made.isDead === true) {
      const isKept = subscription.description.deadLetteringOnFilterEvaluationExceptions;
      return isKept ? [{ subscription, ...made }] : []; // TOP-09
    }
    if (rule.compiled.action === undefined) {
      if (hasPlain) continue;
      hasPlain = true; // TOP-06
    }
    copies.push({ subscription, ...made });
  }
  return copies;
}

/** Returns undefined when the rule does not match. */
export function applyRule(
  { record, compiled }: SubscriptionRule,
  arrived: EditedCopy,
  results: FilterResults,
  { messageReader, limits }: FanOutParts,
): MadeCopy | undefined {
  try {
    if (!results.matches(compiled.filter)) return undefined;
  } catch (error) {
    return failed(error, 'FilterException', record.description.name);
  }
  const { action } = compiled;
  const rule = record.description.name;
  if (action === undefined) return { rule };
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
  return { rule, propertyChanges, systemChanges };
}

function failed(error: unknown, kind: string, ruleName: string): MadeCopy {
  if (!(error instanceof RuleEvaluationError)) throw error;
  return {
    rule: ruleName,
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

function storeCopy(
  copy: Copy,
  { accepted, isShared }: { readonly accepted: AcceptedMessage; readonly isShared: boolean },
  limits: Limits,
  turn: TurnInProgress,
): void {
  const { queue } = copy.subscription;
  const { metadata, sequenceNumber, contentId, sizeBytes } = accepted;
  const { propertyChanges = [] } = copy;
  const systemChanges =
    copy.systemChanges === undefined
      ? metadata.systemChanges
      : { ...metadata.systemChanges, ...copy.systemChanges };
  const sessionId = systemChanges?.sessionId === undefined ? accepted.sessionId : systemChanges.sessionId;
  const needsSession = queue.description.requiresSession && copy.isDead !== true;
  const lacksSession = needsSession && (sessionId ?? undefined) === undefined; // SES-20
  const isDead = copy.isDead === true || lacksSession;
  const changes = mergeChanges(
    mergeChanges(metadata.propertyChanges ?? [], propertyChanges),
    lacksSession ? NO_SESSION_ID : [],
  );
  const store = isDead ? queue.deadLetters : queue.main;
  const partitionId = queue.description.enablePartitioning ? partitionIdOf(sequenceNumber) : 0;
  const message = new StoredMessage({
    sequenceNumber: queue.sequenceNumbers.take(partitionId), // SEQ-05
    enqueuedSequenceNumber: metadata.enqueuedSequenceNumber ?? sequenceNumber,
    enqueuedTime: turn.now,
    expiresAt: isDead ? NEVER : turn.now + timeToLiveOf(copy.subscription, accepted, systemChanges, limits), // TTL-03
    deliveryCount: 0, // TOP-14
    state: MESSAGE_STATE.active,
    schedule: undefined,
    wasScheduled: accepted.wasScheduled && !isDead, // MSG-09
    sessionId: isDead ? undefined : queue.main.sessionIdFor(sessionId ?? undefined),
    contentId,
    sizeBytes,
    generatedMessageId: metadata.generatedMessageId,
    propertyChanges: changes.length === 0 ? undefined : changes,
    systemChanges,
    isShared,
    hopCount: metadata.hopCount,
    deadLetterSource: metadata.deadLetterSource,
  });
  const { path } = queue.main;
  if (copy.rule !== undefined) {
    turn.activities?.push({
      kind: 'routed',
      path,
      sequenceNumber: message.sequenceNumber,
      rule: copy.rule,
      acceptedNumber: sequenceNumber,
    });
  }
  if (isDead) noteDeadLettered(path, message.sequenceNumber, changes, turn);
  addTo(store, message, turn);
  turn.numberTaken(queue, partitionId);
}

function addTo(store: MessageStore, message: StoredMessage, turn: TurnInProgress): void {
  store.add(message);
  store.queue.stored(message);
  turn.contentReferenced(message);
  turn.messagePut(store, message);
  turn.touch(store);
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
