// A message that has come to a topic goes to its subscriptions, in as many copies as their rules make (TOP-01, TOP-03).

import type { BrokerParts } from '../broker-parts.js';
import type { MessageStore } from '../entity/message-store.js';
import type { Queue } from '../entity/queue.js';
import type { Subscription, SubscriptionRule } from '../entity/subscription.js';
import type { Topic } from '../entity/topic.js';
import type { MessageRecord } from '../event.js';
import { NEVER } from '../instant.js';
import type { Limits } from '../limits.js';
import { FilterResults } from '../rules/filter-results.js';
import { RuleEvaluationError } from '../rules/rule-evaluation-error.js';
import type { TurnInProgress } from '../turn-in-progress.js';
import type { Luggage } from './accept.js';
import { reasonOf } from './dead-letter.js';
import { MESSAGE_STATE, type PropertyChange, type SystemChanges } from './message-properties.js';
import type { ReadContent } from './message-reader.js';
import { partitionIdOf } from './partition.js';
import { bytesOfChanges, mergeChanges } from './property-changes.js';
import { ArrivedMessage, EditedCopy } from './rule-message.js';
import { StoredMessage } from './stored-message.js';

/** A message that a topic has accepted, with the topic's number. */
export type AcceptedMessage = Pick<MessageRecord, 'sequenceNumber' | 'contentId' | 'sizeBytes'> & {
  /** `isShared`: messages that stay elsewhere may name its content. */
  readonly luggage: Luggage;
  readonly sessionId: string | undefined;
  readonly timeToLiveMs: number;
  /** It has waited for its scheduled time at the topic. */
  readonly wasScheduled: boolean;
};

export type FanOutContent = {
  /** Called when a rule asks for a property. */
  readonly open: () => ReadContent;
  readonly keepContent: () => void;
};

/** What a rule makes: a copy, or the reason for which it goes to the dead-letter queue at once. */
type MadeCopy = {
  readonly propertyChanges?: readonly PropertyChange[];
  readonly systemChanges?: SystemChanges | undefined;
  readonly isDead?: boolean;
};

type Copy = MadeCopy & { readonly subscription: Subscription };

const RULE_NAME = 'RuleName';
const NO_SESSION_ID = reasonOf(
  'Session id is null.',
  "Session enabled entity doesn't allow a message whose session identifier is null.",
);

/** Answers whether there is a copy; `keepContent` is called before the first is stored. */
export function fanOut(
  topic: Topic,
  accepted: AcceptedMessage,
  { open, keepContent }: FanOutContent,
  parts: BrokerParts,
  turn: TurnInProgress,
): boolean {
  const { luggage, sequenceNumber } = accepted;
  const { enqueuedSequenceNumber, deadLetterSource } = luggage;
  const arrival = { sequenceNumber, enqueuedTime: turn.now, enqueuedSequenceNumber, deadLetterSource };
  const sent = new ArrivedMessage(arrival, open);
  const arrived = new EditedCopy(sent, parts.reader);
  arrived.apply(luggage.propertyChanges, luggage.systemChanges);
  const results = new FilterResults(arrived);
  const copies = [...topic.subscriptions.values()].flatMap((subscription) =>
    copiesFor(subscription, arrived, results, parts),
  );
  if (copies.length === 0) return false; // TOP-05
  keepContent();
  const isShared = luggage.isShared || copies.length > 1;
  for (const copy of copies) storeCopy(copy, { accepted, isShared }, parts.limits, turn); // TOP-01
  return true;
}

/** TOP-03: one for all rules without an action, and one for each with one. */
function copiesFor(
  subscription: Subscription,
  arrived: EditedCopy,
  results: FilterResults,
  parts: BrokerParts,
): readonly Copy[] {
  const copies: Copy[] = [];
  let hasPlain = false;
  // TOP-08: by the rules of now
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

/** Undefined when it does not match. */
function applyRule(
  { record, compiled }: SubscriptionRule,
  arrived: EditedCopy,
  results: FilterResults,
  { reader, limits }: BrokerParts,
): MadeCopy | undefined {
  try {
    if (!results.matches(compiled.filter)) return undefined;
  } catch (error) {
    return failed(error, 'FilterException', record.description.name);
  }
  const { action } = compiled;
  if (action === undefined) return {};
  const copy = new EditedCopy(arrived, reader); // TOP-07
  try {
    action.apply(copy);
  } catch (error) {
    return failed(error, 'RuleActionException', record.description.name);
  }
  const { systemChanges } = copy;
  const ruleName = { name: RULE_NAME, value: record.description.name }; // TOP-04
  const propertyChanges = [...copy.propertyChanges, ruleName];
  const problem = problemOf(propertyChanges, systemChanges, limits);
  if (problem !== undefined)
    return failed(new RuleEvaluationError(problem), 'RuleActionException', record.description.name);
  return { propertyChanges, systemChanges };
}

function failed(error: unknown, kind: string, ruleName: string): MadeCopy {
  if (!(error instanceof RuleEvaluationError)) throw error;
  return { isDead: true, propertyChanges: reasonOf(kind, `Rule '${ruleName}': ${error.message}`) };
}

/** MSG-07, MSG-08: an action makes nothing that could not be sent. */
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
  const { luggage, sequenceNumber, contentId, sizeBytes } = accepted;
  const { propertyChanges = [] } = copy;
  const systemChanges =
    copy.systemChanges === undefined
      ? luggage.systemChanges
      : { ...luggage.systemChanges, ...copy.systemChanges };
  const sessionId = systemChanges?.sessionId === undefined ? accepted.sessionId : systemChanges.sessionId;
  const needsSession = queue.description.requiresSession && copy.isDead !== true;
  const lacksSession = needsSession && (sessionId ?? undefined) === undefined; // SES-20
  const isDead = copy.isDead === true || lacksSession;
  const changes = mergeChanges(
    mergeChanges(luggage.propertyChanges ?? [], propertyChanges),
    lacksSession ? NO_SESSION_ID : [],
  );
  const store = isDead ? queue.deadLetters : queue.main;
  const partitionId = queue.description.enablePartitioning ? partitionIdOf(sequenceNumber) : 0;
  const message = new StoredMessage({
    sequenceNumber: queue.sequenceNumbers.take(partitionId), // SEQ-05
    enqueuedSequenceNumber: luggage.enqueuedSequenceNumber ?? sequenceNumber,
    enqueuedTime: turn.now,
    expiresAt: isDead ? NEVER : turn.now + livesFor(queue, accepted, systemChanges, limits), // TTL-03
    deliveryCount: 0, // TOP-14
    state: MESSAGE_STATE.active,
    schedule: undefined,
    wasScheduled: accepted.wasScheduled && !isDead, // MSG-09
    sessionId: isDead ? undefined : queue.main.sessionIdFor(sessionId ?? undefined),
    contentId,
    sizeBytes,
    inventedMessageId: luggage.inventedMessageId,
    propertyChanges: changes.length === 0 ? undefined : changes,
    systemChanges,
    isShared,
    hopCount: luggage.hopCount,
    deadLetterSource: luggage.deadLetterSource,
  });
  addTo(store, message, turn);
  turn.numberTaken(queue, partitionId);
}

function addTo(store: MessageStore, message: StoredMessage, turn: TurnInProgress): void {
  store.add(message);
  store.queue.stored(message);
  turn.contentNamed(message);
  turn.messagePut(store, message);
  turn.touch(store);
}

function livesFor(
  queue: Queue,
  { timeToLiveMs }: AcceptedMessage,
  changes: SystemChanges | undefined,
  limits: Limits,
): number {
  const changed = changes?.timeToLiveMs;
  const asked = changed === undefined ? timeToLiveMs : (changed ?? NEVER);
  const topicMs = queue.subscription?.topic.intake.maxTimeToLiveMs(limits) ?? NEVER;
  return Math.min(asked, topicMs, queue.maxTimeToLiveMs(limits));
}
