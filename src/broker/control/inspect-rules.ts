// Tries a message on every rule of a topic, by the compiled filters and actions that a send would meet. Stores nothing.

import type { RuleOutcome, TestedRule } from '../contract/inspection.js';
import type { Instant } from '../contract/instant.js';
import type { PropertyChange } from '../contract/message-properties.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import { explainFilter } from '../rules/explain-filter.js';
import { ArrivedMessage } from '../store/rule-message.js';
import { applyRule } from '../topics/apply-rule.js';
import { FilterResults } from '../topics/filter-results.js';
import type { SubscriptionRule, Topic } from '../topics/topic.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import { type CommandOf, inNamespace } from '../turn/handler.js';

export const TEST_RULES = inNamespace(
  ({ topicName, message, rule }: CommandOf<'test-rules'>, parts, now) =>
    testRules(parts.namespace.topic(topicName), { message, rule }, parts, now),
  (rules: readonly TestedRule[]) => ({ kind: 'tested-rules', rules }),
);

/** The most characters that rules may look through (`RuleEffort`), which takes 0.25 s; each rule counts as some. */
const MAX_CHARACTERS = 40_000_000;
const CHARACTERS_PER_RULE = 2000;

type Tried = Pick<CommandOf<'test-rules'>, 'message' | 'rule'>;

function testRules(
  { subscriptions, intake }: Topic,
  { message, rule: own }: Tried,
  parts: BrokerParts,
  now: Instant,
): readonly TestedRule[] {
  const { messageReader, ruleCompiler } = parts;
  // Refuses a rule that cannot be compiled, as its creation would be refused.
  const compiled = own === undefined ? undefined : ruleCompiler.rule(own);
  const arrival = {
    sequenceNumber: intake.sequenceNumbers.upcoming(0),
    enqueuedTime: now,
    enqueuedSequenceNumber: undefined,
    deadLetterSource: undefined,
  };
  const arrived = new ArrivedMessage(arrival, () => messageReader.propertiesOf(message));
  const results = new FilterResults(arrived);
  const { effort } = ruleCompiler;
  const environment = { nextGuid: parts.nextGuid, effort };
  const most = effort.characters + MAX_CHARACTERS;
  const test = (subscriptionName: string, rule: SubscriptionRule): TestedRule => {
    effort.characters += CHARACTERS_PER_RULE;
    if (effort.characters > most) throw tooMuch(intake.main.path);
    return {
      subscriptionName,
      ruleName: rule.record.description.name,
      outcome: outcomeOf(applyRule(rule, arrived, results, parts)),
      filter: explainFilter(rule.record.description.filter, arrived, environment),
    };
  };
  const tested = subscriptions.sorted.flatMap(({ description, rules }) =>
    rules.map((rule) => test(description.name, rule)),
  );
  if (own === undefined || compiled === undefined) return tested;
  const record = { description: own, createdTime: now };
  return [test('', { record, compiled }), ...tested];
}

function tooMuch(entityPath: string): ServiceBusError {
  const text =
    `To try this message on all rules of '${entityPath}' would take too long: they look through more than ` +
    `${MAX_CHARACTERS} characters. Try a message with shorter texts.`;
  return new ServiceBusError('quota-exceeded', text, { entityPath, limit: MAX_CHARACTERS });
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
