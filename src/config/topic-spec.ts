// A topic in one line of text: `events`, `events/audit+mail`, `events/audit?defaultMessageTimeToLive=PT1H&lockDuration=PT5S`.

import { describeSubscription, describeTopic } from '../broker/entity/topic-description.js';
import { checkEntityName, checkSubscriptionName } from '../description/entity-name.js';
import { SUBSCRIPTION_PROPERTIES, TOPIC_PROPERTIES } from '../description/entity-properties.js';
import { failUnknown, findByName, readQuery } from '../description/entity-property.js';
import { named, ValueError } from '../description/value-error.js';
import { ConfigError } from './config-error.js';
import type { ConfiguredSubscription, ConfiguredTopic } from './configured-topic.js';
import { refuseRepeatedNames } from './configured-topic.js';
import { splitSpec } from './queue-spec.js';

/**
 * The last slash parts the topic from its subscriptions, so a topic with one in its name and without subscriptions ends with
 * a slash. Azure's defaults apply to what is not given. Throws a ConfigError.
 */
export function parseTopicSpec(spec: string): ConfiguredTopic {
  const [names, query] = splitSpec(spec);
  try {
    return parseTopic(names, [...new URLSearchParams(query)]);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    const hints = names.includes(',')
      ? ["Subscriptions are joined by +, and each topic has its own --topic:  --topic 'a/x+y' --topic b"]
      : [];
    throw new ConfigError('bad-topic', `Topic ${JSON.stringify(spec)}: ${error.message}`, hints, error);
  }
}

function parseTopic(names: string, query: readonly [string, string][]): ConfiguredTopic {
  const slash = names.lastIndexOf('/');
  const topicName = topicNameOf(names);
  const subscriptionNames = slash < 0 || slash === names.length - 1 ? [] : names.slice(slash + 1).split('+');
  named('its name', () => checkEntityName(topicName));
  for (const name of subscriptionNames) named('a subscription', () => checkSubscriptionName(name));
  refuseRepeatedNames('subscription', subscriptionNames);
  const { ofTopic, ofSubscriptions } = share(query);
  const [misplaced] = ofSubscriptions;
  if (misplaced !== undefined && subscriptionNames.length === 0) {
    throw new ValueError(`${misplaced[0]} is a property of subscriptions, and none is named`);
  }
  const properties = readQuery(ofSubscriptions, SUBSCRIPTION_PROPERTIES);
  return {
    description: describeTopic(topicName, readQuery(ofTopic, TOPIC_PROPERTIES)),
    subscriptions: subscriptionNames.map((name) => ({
      description: describeSubscription(name, properties),
      rules: undefined,
    })),
  };
}

/** Of `topic/subscription+subscription`. */
export function topicNameOf(names: string): string {
  const slash = names.lastIndexOf('/');
  return slash < 0 ? names : names.slice(0, slash);
}

type Query = [string, string][];

/** What topics do not have goes to every subscription that is named. */
function share(query: readonly [string, string][]): { ofTopic: Query; ofSubscriptions: Query } {
  const ofTopic: Query = [];
  const ofSubscriptions: Query = [];
  for (const [key, text] of query) {
    if (findByName(TOPIC_PROPERTIES, key) !== undefined) ofTopic.push([key, text]);
    else if (findByName(SUBSCRIPTION_PROPERTIES, key) !== undefined) ofSubscriptions.push([key, text]);
    else failUnknown(key, [...TOPIC_PROPERTIES, ...SUBSCRIPTION_PROPERTIES]);
  }
  return { ofTopic, ofSubscriptions };
}

/** A subscription in one line of text: `audit`, `audit?lockDuration=PT5S`. Throws a ValueError. */
export function parseSubscriptionSpec(spec: string): ConfiguredSubscription {
  const [name, query] = splitSpec(spec);
  named('the name of a subscription', () => checkSubscriptionName(name));
  const properties = named(`subscription ${JSON.stringify(name)}:`, () =>
    readQuery(new URLSearchParams(query), SUBSCRIPTION_PROPERTIES),
  );
  return { description: describeSubscription(name, properties), rules: undefined };
}
