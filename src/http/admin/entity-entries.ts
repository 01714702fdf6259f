// Queues, topics, subscriptions and rules as ATOM entries.

import { subscriptionPathOf } from '../../broker/entities/entity-path.js';
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
    ...common(queue, name, name),
    ...contentOf(QUEUE_SCHEMA.element, descriptionXml(QUEUE_SCHEMA, queue, context)),
  };
}

export function topicEntry(topic: TopicInfo, context: AtomContext): AtomEntry {
  const { name } = topic.description;
  return {
    ...common(topic, name, name),
    ...contentOf(TOPIC_SCHEMA.element, descriptionXml(TOPIC_SCHEMA, topic, context)),
  };
}

export function subscriptionEntry(subscription: SubscriptionInfo, context: AtomContext): AtomEntry {
  const { topicName, description } = subscription;
  const { name } = description;
  const content = descriptionXml(SUBSCRIPTION_SCHEMA, subscription, context);
  return {
    ...common(subscription, subscriptionPathOf(topicName, name), name),
    ...contentOf(SUBSCRIPTION_SCHEMA.element, content),
  };
}

/** `entityPath` is the path of the rule's subscription. */
export function ruleEntry(rule: RuleRecord, entityPath: string): AtomEntry {
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

/** The elements inside a description: all elements of the schema in the service's order, then the unknown ones. */
function descriptionXml<
  Given extends { readonly otherProperties?: string | undefined },
  Info extends { readonly description: Given },
>(schema: EntitySchema<Info, Given>, info: Info, context: AtomContext): string {
  const { description } = info;
  const { byName, atEnd } = readUnknownElements(description.otherProperties, schema);
  const elements = schema.order.map((name) => {
    const computed = schema.computed[name];
    if (computed !== undefined) return inScheme(computed(info, context), byName.get(name));
    const constant = schema.constant[name];
    if (constant !== undefined) return byName.get(name) ?? textElement(name, constant);
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
