// Queues, topics, subscriptions and rules as ATOM entries.

import type { RuleRecord } from '../../broker/event.js';
import type { QueueInfo, SubscriptionInfo, TopicInfo } from '../../broker/result.js';
import { formatDuration } from '../../description/duration.js';
import { type EntityProperty, officialName } from '../../description/entity-property.js';
import { textElement } from '../xml/write-xml.js';
import type { AtomContext, AtomEntry } from './atom.js';
import { type EntitySchema, QUEUE_SCHEMA, SUBSCRIPTION_SCHEMA, TOPIC_SCHEMA } from './entity-schemas.js';
import { DEFAULT_SCHEME } from './forward-target.js';
import { ruleXml } from './rule-xml.js';
import { readUnknownElements } from './unknown-elements.js';

export const RULE_ELEMENT = 'RuleDescription';

export function queueEntry(queue: QueueInfo, context: AtomContext): AtomEntry {
  const { name } = queue.description;
  return {
    ...ofNamespace(queue, name, context),
    ...contentOf(QUEUE_SCHEMA.element, descriptionXml(QUEUE_SCHEMA, queue, context)),
  };
}

export function topicEntry(topic: TopicInfo, context: AtomContext): AtomEntry {
  const { name } = topic.description;
  return {
    ...ofNamespace(topic, name, context),
    ...contentOf(TOPIC_SCHEMA.element, descriptionXml(TOPIC_SCHEMA, topic, context)),
  };
}

export function subscriptionEntry(subscription: SubscriptionInfo, context: AtomContext): AtomEntry {
  const content = descriptionXml(SUBSCRIPTION_SCHEMA, subscription, context);
  return {
    ...ofTopic(subscription, subscription.description.name),
    ...contentOf(SUBSCRIPTION_SCHEMA.element, content),
  };
}

export function ruleEntry(rule: RuleRecord): AtomEntry {
  const times = { createdTime: rule.createdTime, updatedTime: rule.createdTime };
  return {
    ...ofTopic(times, rule.description.name),
    ...contentOf(RULE_ELEMENT, ruleXml(rule)),
  };
}

type Times = { readonly createdTime: number; readonly updatedTime: number };

/** The answer to an update does not say when a queue or topic was published. */
function ofNamespace({ createdTime, updatedTime }: Times, name: string, { answerTo }: AtomContext) {
  const publishedTime = answerTo === 'update' ? undefined : createdTime;
  return { title: name, isInTopic: false, publishedTime, updatedTime };
}

function ofTopic({ createdTime, updatedTime }: Times, title: string) {
  return { title, isInTopic: true, publishedTime: createdTime, updatedTime };
}

function contentOf(contentName: string, content: string) {
  return { contentName, content };
}

/** The elements inside a description: all elements of the schema in the service's order, then the unknown ones. */
function descriptionXml<
  Given extends { readonly otherProperties?: string | undefined },
  Info extends { readonly description: Given },
>(schema: EntitySchema<Info, Given>, info: Info, context: AtomContext): string {
  const { description } = info;
  const { byName, atEnd } = readUnknownElements(description.otherProperties, schema);
  const elements = schema.order.map((name) => {
    const [computed, constant, stored] = [schema.computed[name], schema.constant[name], byName.get(name)];
    if (constant !== undefined && stored !== undefined) return stored;
    if (computed !== undefined) return inScheme(computed(info, context), stored);
    if (constant !== undefined) return textElement(name, constant);
    const property = schema.properties.find((one) => officialName(one.name) === name);
    return property === undefined ? undefined : propertyXml(name, property.type, description[property.field]);
  });
  return elements.join('') + atEnd;
}

/** A forwarding target, with the scheme of its client if one is stored. */
function inScheme(xml: string | undefined, stored: string | undefined): string | undefined {
  const scheme = stored?.replace(/<[^<>]*>/g, '');
  return scheme === undefined ? xml : xml?.replace(`>${DEFAULT_SCHEME}://`, () => `>${scheme}://`);
}

function propertyXml(
  name: string,
  type: EntityProperty<unknown>['type'],
  value: unknown,
): string | undefined {
  if (value === undefined) return undefined;
  return textElement(name, type === 'duration' ? formatDuration(Number(value)) : String(value));
}
