// The entities that a start would create, each property with its origin: a location in a file, a flag, or a default.

import type { AuthorizationRule } from '../broker/contract/entities/authorization-rule.js';
import { DEFAULT_RULE, type RuleDescription } from '../broker/contract/rule-description.js';
import { formatDuration } from '../description/duration.js';
import {
  QUEUE_PROPERTIES,
  SUBSCRIPTION_PROPERTIES,
  TOPIC_PROPERTIES,
} from '../description/entity-properties.js';
import { type EntityProperty, findByName, type PropertyTable } from '../description/entity-property.js';
import type { EntityName } from '../jitney-error.js';
import type { ConfigLocations } from './config-locations.js';
import type { ConfiguredEntities } from './configured-entities.js';
import type { ConfiguredSubscription, ConfiguredTopic } from './configured-topic.js';
import type { EffectiveValue } from './effective-settings.js';
import { splitSpec } from './given-queue.js';
import { topicNameOf } from './given-topic.js';
import { OFFICIAL_DEFAULTS } from './official-config.js';
import { brokerOptions } from './part-options.js';
import type { Settings } from './settings.js';

export type EffectiveEntity = {
  readonly name: string;
  readonly from: string;
  readonly properties: readonly EffectiveValue[];
};
type EffectiveTopic = EffectiveEntity & { readonly subscriptions: readonly EffectiveSubscription[] };
type EffectiveSubscription = EffectiveEntity & { readonly rules: readonly EffectiveRule[] };
export type EffectiveRule = RuleDescription & { readonly from: string };

export type EffectiveEntities = {
  readonly queues: readonly EffectiveEntity[];
  readonly topics: readonly EffectiveTopic[];
};

const NEW_SUBSCRIPTIONS = 'every new subscription; one that exists keeps its rules';

export function effectiveEntities(
  configured: ConfiguredEntities,
  settings: Settings,
  locations: ConfigLocations,
): EffectiveEntities {
  const origins = new Origins(configured, settings, locations);
  const { maxTimeToLiveMs } = brokerOptions(settings).limits;
  return {
    queues: configured.queues.map((queue) => {
      const defaultMessageTimeToLiveMs = Math.min(queue.defaultMessageTimeToLiveMs, maxTimeToLiveMs); // ENT-10
      const description = { ...queue, defaultMessageTimeToLiveMs };
      return entityOf(description, QUEUE_PROPERTIES, origins.of({ name: queue.name }, 'queue'));
    }),
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
      from: rules === undefined ? NEW_SUBSCRIPTIONS : origin.ofRule(rule.name),
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

/** Names and rights without the keys, because users share what the command prints. */
function rightsText(rules: readonly AuthorizationRule[]): string | null {
  if (rules.length === 0) return null;
  return rules.map(({ keyName, rights }) => `${keyName} (${rights.join(', ')})`).join('; ');
}

const AZURE_DEFAULT = "Azure's default";
const OFFICIAL_DEFAULT = "the official emulator's default";

export type EntityKind = 'queue' | 'topic' | 'subscription';

export type Origin = {
  readonly ofEntity: string;
  readonly ofProperty: (property: { readonly name: string; readonly field: string }) => string;
  readonly ofRule: (name: string) => string;
};

class Origins {
  readonly #configured: ConfiguredEntities;
  readonly #settings: Settings;
  readonly #locations: ConfigLocations;

  constructor(configured: ConfiguredEntities, settings: Settings, locations: ConfigLocations) {
    this.#configured = configured;
    this.#settings = settings;
    this.#locations = locations;
  }

  of(entity: EntityName, kind: EntityKind): Origin {
    return this.#configured.isNamed(entity) ? this.#ofNamed(entity, kind) : this.#ofFile(entity, kind);
  }

  #ofFile(entity: EntityName, kind: EntityKind): Origin {
    const ofEntity = this.#locations.positionOf(entity) ?? '';
    const defaults: Readonly<Record<string, unknown>> = OFFICIAL_DEFAULTS[kind];
    return {
      ofEntity,
      ofProperty: ({ name, field }) =>
        this.#locations.positionOf(entity, name) ??
        (Object.hasOwn(defaults, field) ? OFFICIAL_DEFAULT : AZURE_DEFAULT),
      ofRule: (name) => this.#locations.positionOfRule(entity, name) ?? ofEntity,
    };
  }

  #ofNamed({ topicName, name }: EntityName, kind: EntityKind): Origin {
    const { queues, queuesFrom, topics, topicsFrom } = this.#settings;
    const ofEntity = (kind === 'queue' ? queuesFrom : topicsFrom) ?? '';
    const spec =
      kind === 'queue'
        ? queues.find((one) => splitSpec(one)[0].toLowerCase() === name)
        : topics.find((one) => topicNameOf(splitSpec(one)[0]).toLowerCase() === (topicName ?? name));
    const given = propertiesIn(spec ?? '', kind);
    return {
      ofEntity,
      ofProperty: (property) => (given.has(property.name) ? ofEntity : AZURE_DEFAULT),
      ofRule: () => ofEntity,
    };
  }
}

/** The names of the properties that a spec sets. In a topic's query, properties that topics lack are set on its subscriptions. */
function propertiesIn(spec: string, kind: EntityKind): ReadonlySet<string> {
  const table: readonly { readonly name: string }[] = kind === 'queue' ? QUEUE_PROPERTIES : TOPIC_PROPERTIES;
  const keys = [...new URLSearchParams(splitSpec(spec)[1]).keys()];
  const properties = keys.map((key) => {
    const own = findByName(table, key);
    if (kind !== 'subscription') return own;
    return own === undefined ? findByName(SUBSCRIPTION_PROPERTIES, key) : undefined;
  });
  return new Set(properties.flatMap((property) => (property === undefined ? [] : [property.name])));
}
