// Builders for tests of topics: a broker with a topic, `events`, and short words for its subscriptions, rules and messages.

import type { Turn } from '../../src/broker/broker.js';
import {
  describeSubscription,
  describeTopic,
  type SubscriptionDescription,
  type TopicDescription,
} from '../../src/broker/contract/entities/topic-description.js';
import type { NewMessage } from '../../src/broker/contract/message-properties.js';
import type { Filter, RuleDescription } from '../../src/broker/contract/rule-description.js';
import {
  BrokerUnderTest,
  type BrokerUnderTestOptions,
  type GivenProperties,
  newMessage,
} from './broker-builders.js';
import { contentOf, type JsonMessage } from './json-reader.js';

export const TOPIC = 'events';

type GivenTopic = Partial<Omit<TopicDescription, 'name'>>;
type GivenSubscription = Partial<Omit<SubscriptionDescription, 'name'>>;

export function withTopic(given: GivenTopic = {}, options: BrokerUnderTestOptions = {}): BrokerUnderTest {
  const bus = new BrokerUnderTest(options);
  succeed(bus.execute({ kind: 'put-entity', type: 'topic', description: describeTopic(TOPIC, given) }));
  return bus;
}

/** A topic with these subscriptions, each with `$Default`. */
export function withSubscriptions(...names: string[]): BrokerUnderTest {
  const bus = withTopic();
  for (const name of names) subscribe(bus, name);
  return bus;
}

/** Answers its path. */
export function subscribe(
  bus: BrokerUnderTest,
  name: string,
  given: GivenSubscription = {},
  rules?: readonly RuleDescription[],
): string {
  succeed(trySubscribe(bus, name, given, rules));
  return pathOf(name);
}

export function trySubscribe(
  bus: BrokerUnderTest,
  name: string,
  given: GivenSubscription = {},
  rules?: readonly RuleDescription[],
): Turn {
  const description = describeSubscription(name, given);
  return bus.execute({ kind: 'put-entity', type: 'subscription', topicName: TOPIC, description, rules });
}

export function pathOf(subscription: string): string {
  return `${TOPIC}/Subscriptions/${subscription}`;
}

/** A rule that is an SQL filter, and perhaps an SQL action. */
export function sqlRule(name: string, expression: string, action?: string): RuleDescription {
  return {
    name,
    filter: { kind: 'sql', expression },
    action: action === undefined ? undefined : { kind: 'sql', expression: action },
  };
}

export function ruleWith(name: string, filter: Filter): RuleDescription {
  return { name, filter, action: undefined };
}

export function addRule(bus: BrokerUnderTest, subscription: string, rule: RuleDescription): Turn {
  return bus.execute({ kind: 'add-rule', entityPath: pathOf(subscription), rule });
}

export function removeRule(bus: BrokerUnderTest, subscription: string, name: string): Turn {
  return bus.execute({ kind: 'remove-rule', entityPath: pathOf(subscription), name });
}

export function ruleNames(bus: BrokerUnderTest, subscription: string, skip = 0, maxCount = 100): string[] {
  const { result } = bus.execute({ kind: 'list-rules', entityPath: pathOf(subscription), skip, maxCount });
  if (result.kind === 'failed') throw result.error;
  return result.kind === 'rules' ? result.rules.map(({ description }) => description.name) : [];
}

/** A message whose content says what its properties are. */
export function event(message: JsonMessage = {}, given: GivenProperties = {}): NewMessage {
  const { messageId, sessionId } = message;
  return newMessage(contentOf(message), { messageId, sessionId, ...given });
}

export function publish(bus: BrokerUnderTest, ...messages: readonly (JsonMessage | NewMessage)[]): Turn {
  const all = messages.map((message) => ('content' in message ? message : event(message)));
  return bus.execute({ kind: 'send', entityPath: TOPIC, messages: all });
}

/** What lies there, by the topic's numbers. */
export function numbersIn(bus: BrokerUnderTest, entityPath: string): readonly (number | undefined)[] {
  return bus.peek(entityPath).map(({ properties }) => properties.enqueuedSequenceNumber);
}

export function succeed(turn: Turn): Turn {
  if (turn.result.kind === 'failed') throw turn.result.error;
  return turn;
}
