// Makes the copies of a message that a topic has accepted, as often as the rules of its subscriptions select it (TOP-01, TOP-03).

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
import { bytesOfChanges, type PropertyChange, type SystemChanges } from '../queue/message-properties.js';
import { reasonOf } from '../queue/outcomes.js';
import type { Queue } from '../queue/queue.js';
import { RuleEvaluationError } from '../rules/rule-value.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import { FilterResults } from './filter-results.js';
import { ArrivedMessage, EditedCopy, type Original } from './rule-message.js';
import { type CopiedMessage, storeCopies } from './store-copies.js';
import { type Copy, type MadeCopy, type Subscription, type SubscriptionRule, topicOf } from './topic.js';

/** The result of a rule without an action. */
const UNCHANGED: MadeCopy = {};
const RULE_NAME = 'RuleName';

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
    sequenceNumber,
    contentId,
    sizeBytes,
    sessionId,
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
