// Tries a message on every rule of a topic, by the compiled filters and actions that a send would meet. Stores nothing.

import type { BrokerParts } from '../broker-parts.js';
import { type CommandOf, inNamespace } from '../handler.js';
import type { RuleOutcome, TestedRule } from '../inspection.js';
import type { Instant } from '../instant.js';
import type { NewMessage, PropertyChange } from '../queue/message-properties.js';
import { applyRule } from '../topics/fan-out.js';
import { FilterResults } from '../topics/filter-results.js';
import { ArrivedMessage, EditedCopy } from '../topics/rule-message.js';
import type { SubscriptionRule, Topic } from '../topics/topic.js';

export const TEST_RULES = inNamespace(
  ({ topicName }: CommandOf<'test-rules'>, { namespace }) => namespace.topic(topicName),
  (topic: Topic, { message }, parts, { now }) => ({
    kind: 'tested-rules',
    rules: testRules(topic, message, parts, now),
  }),
);

function testRules(
  { subscriptions, intake }: Topic,
  { content }: NewMessage,
  parts: BrokerParts,
  now: Instant,
): readonly TestedRule[] {
  const { messageReader } = parts;
  const arrival = {
    sequenceNumber: intake.sequenceNumbers.upcoming(0),
    enqueuedTime: now,
    enqueuedSequenceNumber: undefined,
    deadLetterSource: undefined,
  };
  const sent = new ArrivedMessage(arrival, () => messageReader.read(content));
  const arrived = new EditedCopy(sent, messageReader);
  const results = new FilterResults(arrived);
  const test = (rule: SubscriptionRule) => outcomeOf(applyRule(rule, arrived, results, parts));
  return subscriptions.sorted.flatMap(({ description, rules }) =>
    rules.map((rule) => ({
      subscriptionName: description.name,
      ruleName: rule.record.description.name,
      outcome: test(rule),
    })),
  );
}

function outcomeOf(made: ReturnType<typeof applyRule>): RuleOutcome {
  if (made === undefined) return { kind: 'not-matched' };
  const { isDead, propertyChanges, systemChanges } = made;
  if (isDead !== true) {
    const changes = propertyChanges === undefined ? undefined : { propertyChanges, systemChanges };
    return { kind: 'matched', changes };
  }
  const [reason, description] = (propertyChanges ?? []).map(textOf);
  return { kind: 'error', reason: reason ?? '', description: description ?? '' };
}

/** The reason of a failed rule is the broker's own text. */
function textOf({ value }: PropertyChange): string {
  return typeof value === 'string' ? value : '';
}
