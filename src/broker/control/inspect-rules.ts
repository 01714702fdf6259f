// Tries a message on every rule of a topic, by the compiled filters and actions that a send would meet. Stores nothing.

import type { RuleOutcome, TestedRule } from '../contract/inspection.js';
import type { Instant } from '../contract/instant.js';
import type { PropertyChange } from '../contract/message-properties.js';
import { explainFilter } from '../rules/explain-filter.js';
import { applyRule } from '../topics/apply-rule.js';
import { FilterResults } from '../topics/filter-results.js';
import { ArrivedMessage } from '../topics/rule-message.js';
import type { SubscriptionRule, Topic } from '../topics/topic.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import { type CommandOf, inNamespace } from '../turn/handler.js';

export const TEST_RULES = inNamespace(
  ({ topicName, rule }: CommandOf<'test-rules'>, { namespace, ruleCompiler }) => {
    // Refuses a rule that cannot be compiled, as its creation would be refused.
    if (rule !== undefined) ruleCompiler.rule(rule);
    return namespace.topic(topicName);
  },
  (topic: Topic, { message, rule }, parts, { now }) => ({
    kind: 'tested-rules',
    rules: testRules(topic, { message, rule }, parts, now),
  }),
);

type Tried = Pick<CommandOf<'test-rules'>, 'message' | 'rule'>;

function testRules(
  { subscriptions, intake }: Topic,
  { message, rule: own }: Tried,
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
  const arrived = new ArrivedMessage(arrival, () => messageReader.propertiesOf(message));
  const results = new FilterResults(arrived);
  const test = (subscriptionName: string, rule: SubscriptionRule): TestedRule => ({
    subscriptionName,
    ruleName: rule.record.description.name,
    outcome: outcomeOf(applyRule(rule, arrived, results, parts)),
    filter: explainFilter(rule.record.description.filter, arrived, parts),
  });
  const tested = subscriptions.sorted.flatMap(({ description, rules }) =>
    rules.map((rule) => test(description.name, rule)),
  );
  if (own === undefined) return tested;
  const record = { description: own, createdTime: now };
  return [test('', { record, compiled: parts.ruleCompiler.rule(own) }), ...tested];
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
