// Queues, topics, subscriptions and rules as entries.

import { subscriptionPathOf } from '../../broker/entity/entity-path.js';
import type { RuleRecord } from '../../broker/event.js';
import type { QueueInfo, SubscriptionInfo, TopicInfo } from '../../broker/result.js';
import type { Told } from './atom.js';
import { descriptionXml } from './description-xml.js';
import type { Place } from './entity-kind.js';
import { QUEUE_KIND } from './queue-kind.js';
import { ruleXml } from './rule-xml.js';
import { SUBSCRIPTION_KIND } from './subscription-kind.js';
import { TOPIC_KIND } from './topic-kind.js';

export const RULE_ELEMENT = 'RuleDescription';

export function toldQueue(queue: QueueInfo, place: Place): Told {
  const { name } = queue.description;
  return {
    ...common(queue, name, name),
    ...contentOf(QUEUE_KIND.element, descriptionXml(QUEUE_KIND, queue, place)),
  };
}

export function toldTopic(topic: TopicInfo, place: Place): Told {
  const { name } = topic.description;
  return {
    ...common(topic, name, name),
    ...contentOf(TOPIC_KIND.element, descriptionXml(TOPIC_KIND, topic, place)),
  };
}

export function toldSubscription(subscription: SubscriptionInfo, place: Place): Told {
  const { topicName, description } = subscription;
  const { name } = description;
  const content = descriptionXml(SUBSCRIPTION_KIND, subscription, place);
  return {
    ...common(subscription, subscriptionPathOf(topicName, name), name),
    ...contentOf(SUBSCRIPTION_KIND.element, content),
  };
}

/** `entityPath` is that of its subscription. */
export function toldRule(rule: RuleRecord, entityPath: string): Told {
  const { name } = rule.description;
  const times = { createdTime: rule.createdTime, updatedTime: rule.createdTime };
  return { ...common(times, `${entityPath}/Rules/${name}`, name), ...contentOf(RULE_ELEMENT, ruleXml(rule)) };
}

type Times = { readonly createdTime: number; readonly updatedTime: number };

function common({ createdTime, updatedTime }: Times, path: string, title: string) {
  return { path, title, publishedTime: createdTime, updatedTime };
}

function contentOf(contentName: string, content: string) {
  return { contentName, content };
}
