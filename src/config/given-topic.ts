// Reads a topic from a spec such as `events/audit+mail?defaultMessageTimeToLive=PT1H`, or from an object.

import { describeSubscription, describeTopic } from '../broker/contract/entities/topic-description.js';
import { DEFAULT_RULE, type RuleDescription } from '../broker/contract/rule-description.js';
import { checkSubscriptionName, checkTopicName, readName } from '../description/entity-name.js';
import {
  type GivenSubscriptionProperties,
  type GivenTopicProperties,
  SUBSCRIPTION_PROPERTIES,
  TOPIC_PROPERTIES,
} from '../description/entity-properties.js';
import { failUnknown, findByName, readProperties, readQuery } from '../description/entity-property.js';
import { named, shown, ValueError } from '../description/value-error.js';
import { JitneyError } from '../jitney-error.js';
import {
  type ConfiguredSubscription,
  type ConfiguredTopic,
  refuseRepeatedNames,
} from './configured-topic.js';
import { splitSpec } from './given-queue.js';
import { readFilter, readGivenRule } from './given-rule.js';

/**
 * Reads a spec. The last slash separates the topic from its subscriptions, so a topic with a slash in its name and without
 * subscriptions ends with a slash. Missing properties get Azure's defaults. Throws a JitneyError.
 */
export function parseTopicSpec(spec: string): ConfiguredTopic {
  const { topicName, given, subscriptionNames, givenToSubscriptions } = readTopicSpec(spec);
  return {
    description: describeTopic(topicName, given),
    subscriptions: subscriptionNames.map((name) => ({
      description: describeSubscription(name, givenToSubscriptions),
      rules: undefined,
    })),
  };
}

type TopicSpec = {
  readonly topicName: string;
  readonly given: GivenTopicProperties;
  readonly subscriptionNames: readonly string[];
  readonly givenToSubscriptions: GivenSubscriptionProperties;
};

/** Reads the names and the given properties of a spec. Throws a JitneyError. */
export function readTopicSpec(spec: string): TopicSpec {
  const [names, query] = splitSpec(spec);
  try {
    return readTopic(names, [...new URLSearchParams(query)]);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const hints = names.includes(',')
      ? ["Subscriptions are joined by +, and each topic has its own --topic:  --topic 'a/x+y' --topic b"]
      : [];
    throw new JitneyError('bad-topic', `Topic ${JSON.stringify(spec)}: ${error.message}`, {
      problems: hints,
      cause: error,
    });
  }
}

function readTopic(names: string, query: readonly [string, string][]): TopicSpec {
  const slash = names.lastIndexOf('/');
  const topicName = topicNameOf(names);
  const subscriptionNames = slash < 0 || slash === names.length - 1 ? [] : names.slice(slash + 1).split('+');
  named('its name', () => checkTopicName(topicName));
  for (const name of subscriptionNames) named('a subscription', () => checkSubscriptionName(name));
  refuseRepeatedNames('subscription', subscriptionNames);
  const { ofTopic, ofSubscriptions } = splitQuery(query);
  const [misplaced] = ofSubscriptions;
  if (misplaced !== undefined && subscriptionNames.length === 0) {
    throw new ValueError(`${misplaced[0]} is a property of subscriptions, but none is named`);
  }
  return {
    topicName,
    given: readQuery(ofTopic, TOPIC_PROPERTIES),
    subscriptionNames,
    givenToSubscriptions: readQuery(ofSubscriptions, SUBSCRIPTION_PROPERTIES),
  };
}

/** The topic of `topic/subscription+subscription`. */
export function topicNameOf(names: string): string {
  const slash = names.lastIndexOf('/');
  return slash < 0 ? names : names.slice(0, slash);
}

const RULE_WORDS = /^((sql|correlation)?filter|rule|action)s?$/i;
const WHERE_RULES_GO =
  'Rules are given under "Rules" of a subscription in a Config.json (--config), in code, or afterwards with ' +
  "'jitney create rule'";

type Query = [string, string][];

/** Splits a query by property: properties that topics lack go to every named subscription. */
function splitQuery(query: readonly [string, string][]): { ofTopic: Query; ofSubscriptions: Query } {
  const ofTopic: Query = [];
  const ofSubscriptions: Query = [];
  for (const [key, text] of query) {
    if (findByName(TOPIC_PROPERTIES, key) !== undefined) ofTopic.push([key, text]);
    else if (findByName(SUBSCRIPTION_PROPERTIES, key) !== undefined) ofSubscriptions.push([key, text]);
    else if (RULE_WORDS.test(key)) throw new ValueError(`${shown(key)} is of a rule. ${WHERE_RULES_GO}`);
    else failUnknown(key, [...TOPIC_PROPERTIES, ...SUBSCRIPTION_PROPERTIES]);
  }
  return { ofTopic, ofSubscriptions };
}

/** Reads a subscription's spec: `audit`, `audit?lockDuration=PT5S`. Throws a ValueError. */
function parseSubscriptionSpec(spec: string): ConfiguredSubscription {
  const [name, query] = splitSpec(spec);
  named('the name of a subscription', () => checkSubscriptionName(name));
  const properties = named(`subscription ${JSON.stringify(name)}:`, () =>
    readQuery(new URLSearchParams(query), SUBSCRIPTION_PROPERTIES),
  );
  return { description: describeSubscription(name, properties), rules: undefined };
}

/** Checks an object and completes it with Azure's defaults. Throws a JitneyError that names topic, subscription, property and value. */
export function completeTopic(given: unknown): ConfiguredTopic {
  if (typeof given !== 'object' || given === null) {
    throw new JitneyError(
      'bad-topic',
      `A topic must be a text or an object with a name, not ${shown(given)}`,
    );
  }
  const { name, subscriptions = [], ...properties } = given as Record<string, unknown>;
  try {
    const topicName = named('its name', () => readName(name, checkTopicName));
    const read = readProperties(properties, TOPIC_PROPERTIES, describeTopic(topicName));
    return {
      description: describeTopic(topicName, read),
      subscriptions: readSubscriptions(subscriptions),
    };
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new JitneyError('bad-topic', `Topic ${shown(name ?? given)}: ${error.message}`, { cause: error });
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
  const subscriptionName = named('the name of a subscription', () => readName(name, checkSubscriptionName));
  return named(`subscription ${shown(subscriptionName)}:`, () => ({
    description: describeSubscription(
      subscriptionName,
      readProperties(properties, SUBSCRIPTION_PROPERTIES, describeSubscription(subscriptionName)),
    ),
    rules: readRules(rules, filter),
  }));
}

/** A filter without rules becomes the filter of `$Default`, as when Azure creates a subscription with a filter. */
function readRules(rules: unknown, filter: unknown): readonly RuleDescription[] | undefined {
  if (filter !== undefined) {
    if (rules !== undefined) throw new ValueError('has both a filter and rules: give one of them');
    return [{ ...DEFAULT_RULE, filter: readFilter(filter) }];
  }
  if (rules === undefined) return undefined;
  if (!Array.isArray(rules)) throw new ValueError(`rules must be an array, not ${shown(rules)}`);
  const read = rules.map(readGivenRule);
  refuseRepeatedNames(
    'rule',
    read.map(({ name }) => name),
  );
  return read.length === 0 ? [DEFAULT_RULE] : read;
}
