// A topic given as an object by a program, with its subscriptions and their rules: every value is looked at.

import { describeSubscription, describeTopic } from '../broker/entity/topic-description.js';
import { DEFAULT_RULE, type RuleDescription } from '../broker/rules/rule-description.js';
import { checkEntityName, checkSubscriptionName, readName } from '../description/entity-name.js';
import { SUBSCRIPTION_PROPERTIES, TOPIC_PROPERTIES } from '../description/entity-properties.js';
import { readObject } from '../description/entity-property.js';
import { named, shown, ValueError } from '../description/value-error.js';
import { ConfigError } from './config-error.js';
import {
  type ConfiguredSubscription,
  type ConfiguredTopic,
  refuseRepeatedNames,
} from './configured-topic.js';
import { readFilter, readRule } from './given-rule.js';
import { parseSubscriptionSpec } from './topic-spec.js';

/** Throws a ConfigError that names the topic, the subscription, the property and the value. */
export function completeTopic(given: unknown): ConfiguredTopic {
  if (typeof given !== 'object' || given === null) {
    throw new ConfigError(
      'bad-topic',
      `A topic must be a text or an object with a name, not ${shown(given)}`,
    );
  }
  const { name, subscriptions = [], ...properties } = given as Record<string, unknown>;
  try {
    return {
      description: describeTopic(
        named('its name', () => readName(name, checkEntityName)),
        readObject(properties, TOPIC_PROPERTIES),
      ),
      subscriptions: readSubscriptions(subscriptions),
    };
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new ConfigError('bad-topic', `Topic ${shown(name ?? given)}: ${error.message}`, [], error);
  }
}

function readSubscriptions(given: unknown): ConfiguredSubscription[] {
  if (!Array.isArray(given)) throw new ValueError(`subscriptions must be an array, not ${shown(given)}`);
  const subscriptions = given.map((one: unknown) =>
    typeof one === 'string' ? parseSubscriptionSpec(one) : completeSubscription(one),
  );
  refuseRepeatedNames(
    'subscription',
    subscriptions.map(({ description }) => description.name),
  );
  return subscriptions;
}

function completeSubscription(given: unknown): ConfiguredSubscription {
  if (typeof given !== 'object' || given === null) {
    throw new ValueError(`a subscription must be a text or an object with a name, not ${shown(given)}`);
  }
  const { name, rules, filter, ...properties } = given as Record<string, unknown>;
  const known = named('the name of a subscription', () => readName(name, checkSubscriptionName));
  return named(`subscription ${shown(known)}:`, () => ({
    description: describeSubscription(known, readObject(properties, SUBSCRIPTION_PROPERTIES)),
    rules: readRules(rules, filter),
  }));
}

/** A filter alone is that of `$Default`, as where Azure creates a subscription with one. */
function readRules(rules: unknown, filter: unknown): readonly RuleDescription[] | undefined {
  if (filter !== undefined) {
    if (rules !== undefined) throw new ValueError('has both a filter and rules: give one of them');
    return [{ ...DEFAULT_RULE, filter: readFilter(filter) }];
  }
  if (rules === undefined) return undefined;
  if (!Array.isArray(rules)) throw new ValueError(`rules must be an array, not ${shown(rules)}`);
  const read = rules.map(readRule);
  refuseRepeatedNames(
    'rule',
    read.map(({ name }) => name),
  );
  return read.length === 0 ? [DEFAULT_RULE] : read;
}
