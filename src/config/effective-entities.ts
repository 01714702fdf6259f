// The configured entities as they would be made, each property with whoever says so: a place in a file, a flag, a default.

import type { AuthorizationRule } from '../broker/entity/authorization-rule.js';
import { DEFAULT_RULE, type RuleDescription } from '../broker/rules/rule-description.js';
import { formatDuration } from '../description/duration.js';
import {
  QUEUE_PROPERTIES,
  SUBSCRIPTION_PROPERTIES,
  TOPIC_PROPERTIES,
} from '../description/entity-properties.js';
import type { EntityProperty, PropertyTable } from '../description/entity-property.js';
import type { ConfigPlaces } from './config-places.js';
import type { ConfiguredEntities } from './configured-entities.js';
import type { ConfiguredSubscription, ConfiguredTopic } from './configured-topic.js';
import type { EffectiveValue } from './effective-settings.js';
import type { Settings } from './settings.js';
import { type Origin, Origins } from './value-origins.js';

export type EffectiveEntity = {
  readonly name: string;
  readonly from: string;
  readonly properties: readonly EffectiveValue[];
};
export type EffectiveTopic = EffectiveEntity & { readonly subscriptions: readonly EffectiveSubscription[] };
export type EffectiveSubscription = EffectiveEntity & { readonly rules: readonly EffectiveRule[] };
export type EffectiveRule = RuleDescription & { readonly from: string };

export type EffectiveEntities = {
  readonly queues: readonly EffectiveEntity[];
  readonly topics: readonly EffectiveTopic[];
};

const OF_EACH_NEW = 'every new subscription; one that exists keeps its rules';

/** The places are those of the config file. */
export function effectiveEntities(
  configured: ConfiguredEntities,
  settings: Settings,
  places: ConfigPlaces,
): EffectiveEntities {
  const origins = new Origins(configured, settings, places);
  return {
    queues: configured.queues.map((queue) =>
      entityOf(queue, QUEUE_PROPERTIES, origins.of({ name: queue.name }, 'queue')),
    ),
    topics: configured.topics.map((topic) => topicOf(topic, origins)),
  };
}

function topicOf({ description, subscriptions }: ConfiguredTopic, origins: Origins): EffectiveTopic {
  const { name } = description;
  return {
    ...entityOf(description, TOPIC_PROPERTIES, origins.of({ name }, 'topic')),
    subscriptions: subscriptions.map((subscription) => subscriptionOf(subscription, name, origins)),
  };
}

function subscriptionOf(
  { description, rules }: ConfiguredSubscription,
  topicName: string,
  origins: Origins,
): EffectiveSubscription {
  const origin = origins.of({ topicName, name: description.name }, 'subscription');
  return {
    ...entityOf(description, SUBSCRIPTION_PROPERTIES, origin),
    rules: (rules ?? [DEFAULT_RULE]).map((rule) => ({
      ...rule,
      from: rules === undefined ? OF_EACH_NEW : origin.ofRule(rule.name),
    })),
  };
}

function entityOf<Given>(
  description: Given & { readonly name: string },
  table: PropertyTable<Given>,
  origin: Origin,
): EffectiveEntity {
  const properties = table.map((property) => ({
    name: property.name,
    value: shownValue(description, property),
    from: origin.ofProperty(property),
  }));
  return { name: description.name, from: origin.ofEntity, properties };
}

function shownValue<Given>(
  description: Given,
  { field, type }: EntityProperty<Given>,
): EffectiveValue['value'] {
  const value: unknown = description[field as keyof Given];
  switch (type) {
    case 'duration':
      return formatDuration(Number(value));
    case 'list':
      return rightsText(value as readonly AuthorizationRule[]);
    case 'number':
    case 'boolean':
    case 'text':
      return (value ?? null) as EffectiveValue['value'];
    default:
      return type satisfies never;
  }
}

/** Without the keys: what is printed is often shown to others. */
function rightsText(rules: readonly AuthorizationRule[]): string | null {
  if (rules.length === 0) return null;
  return rules.map(({ keyName, rights }) => `${keyName} (${rights.join(', ')})`).join('; ');
}
