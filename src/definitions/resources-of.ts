// The resources of Azure that describe a namespace: only what differs from Azure's defaults.

import type { AuthorizationRule } from '../broker/contract/entities/authorization-rule.js';
import type { EntityType } from '../broker/contract/entities/entity.js';
import { describeQueue, type QueueDescription } from '../broker/contract/entities/queue-description.js';
import {
  describeSubscription,
  describeTopic,
  type TopicDescription,
} from '../broker/contract/entities/topic-description.js';
import { DEFAULT_RULE, type RuleDescription } from '../broker/contract/rule-description.js';
import type { Entities } from '../config/configured-entities.js';
import type { ConfiguredSubscription, ConfiguredTopic } from '../config/configured-topic.js';
import { entityProperties } from '../description/described-entity.js';
import { azureRefusals } from './azure-limits.js';
import type { AzureResource } from './azure-resource.js';
import { writeRuleResource } from './rule-resource.js';

/** Properties that are no properties of a resource: authorization rules are resources of their own. */
const AUTHORIZATION_RULES = 'authorizationRules';
const NO_RULE: RuleDescription = { name: DEFAULT_RULE.name, filter: { kind: 'false' }, action: undefined };

type Resources = { readonly resources: readonly AzureResource[]; readonly notes: readonly string[] };

/** Parents come before their children. */
export function resourcesOf({ queues, topics }: Entities): Resources {
  const notes: string[] = [];
  const resources = [
    ...queues.flatMap((queue) => queueResources(queue, notes)),
    ...topics.flatMap((topic) => topicResources(topic, notes)),
  ];
  return { resources, notes };
}

/** The properties that differ from those of an entity that is created with its name alone, by the SDK's names. */
export function differingProperties(
  type: EntityType,
  description: object,
  defaults: object,
): Readonly<Record<string, unknown>> {
  const usual = entityProperties(type, defaults);
  const all = Object.entries(entityProperties(type, description));
  return Object.fromEntries(
    all.filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(usual[name])),
  );
}

function queueResources(description: QueueDescription, notes: string[]): AzureResource[] {
  const { name, authorizationRules } = description;
  const properties = propertiesOf('queue', description, describeQueue(name), notes);
  return [
    { kind: 'queue', names: [name], properties },
    ...authorizationRules.map((rule) => authorizationResource('queue', name, rule)),
  ];
}

function topicResources({ description, subscriptions }: ConfiguredTopic, notes: string[]): AzureResource[] {
  const { name, authorizationRules } = description;
  const properties = propertiesOf('topic', description, defaultTopic(description), notes);
  return [
    { kind: 'topic', names: [name], properties },
    ...authorizationRules.map((rule) => authorizationResource('topic', name, rule)),
    ...subscriptions.flatMap((subscription) => subscriptionResources(name, subscription, notes)),
  ];
}

/** Whether a topic supports ordering follows from its partitioning, unless it is given. */
export function defaultTopic({ name, enablePartitioning }: TopicDescription): TopicDescription {
  return { ...describeTopic(name, { enablePartitioning }), enablePartitioning: false };
}

function subscriptionResources(
  topicName: string,
  { description, rules }: ConfiguredSubscription,
  notes: string[],
): AzureResource[] {
  const { name } = description;
  const what = `subscription ${topicName}/${name}`;
  const properties = propertiesOf('subscription', description, describeSubscription(name), notes, what);
  return [
    { kind: 'subscription', names: [topicName, name], properties },
    ...rulesToWrite(rules, what, notes).map((rule): AzureResource => {
      const written = writeRuleResource(rule, `rule ${topicName}/${name}/${rule.name}`);
      notes.push(...written.notes);
      return { kind: 'rule', names: [topicName, name, rule.name], properties: written.properties };
    }),
  ];
}

/**
 * None for a subscription with the one rule that a new subscription gets. A subscription without a rule takes no message, which files and
 * templates can only say with a rule that matches nothing.
 */
export function rulesToWrite(
  rules: readonly RuleDescription[] | undefined,
  what: string,
  notes: string[],
): readonly RuleDescription[] {
  if (rules === undefined) return [];
  if (rules.length === 0) {
    notes.push(`${what} has no rule: it is written with the rule $Default, which matches nothing`);
    return [NO_RULE];
  }
  return isImplied(rules) ? [] : rules;
}

/** Whether these are the rules that a new subscription gets. */
export function isImplied([only, ...others]: readonly RuleDescription[]): boolean {
  return only !== undefined && others.length === 0 && isDefaultRule(only);
}

function isDefaultRule({ name, filter, action }: RuleDescription): boolean {
  const isNamed = name.toLowerCase() === DEFAULT_RULE.name.toLowerCase();
  return isNamed && filter.kind === DEFAULT_RULE.filter.kind && action === undefined;
}

function propertiesOf(
  type: EntityType,
  description: { readonly name: string; readonly otherProperties: string | undefined },
  defaults: object,
  notes: string[],
  what = `${type} ${description.name}`,
): AzureResource['properties'] {
  const { [AUTHORIZATION_RULES]: _, ...properties } = differingProperties(type, description, defaults);
  if (type !== 'subscription' && description.name.includes('~')) {
    notes.push(`${what} has a ~ in its name, which Azure's templates read as a slash`);
  }
  notes.push(...azureRefusals(properties, what), ...noteOnOther(description, what));
  return properties;
}

/** A note on properties that a client has sent and nobody knows. */
export function noteOnOther(
  { otherProperties }: { readonly otherProperties: string | undefined },
  what: string,
): string[] {
  return otherProperties === undefined
    ? []
    : [`${what} has properties that Jitney does not know: they are left out`];
}

function authorizationResource(
  kind: 'queue' | 'topic',
  entity: string,
  { keyName, rights }: AuthorizationRule,
): AzureResource {
  return { kind: `${kind}-authorization-rule`, names: [entity, keyName], properties: { rights } };
}

export function noteOnKeys({ queues, topics }: Entities): string[] {
  const all = [...queues, ...topics.map(({ description }) => description)];
  const keyed = all.flatMap(({ authorizationRules }) =>
    authorizationRules.filter(({ primaryKey, secondaryKey }) => primaryKey !== '' || secondaryKey !== ''),
  );
  if (keyed.length === 0) return [];
  const what = keyed.length === 1 ? 'an authorization rule' : `${keyed.length} authorization rules`;
  return [`the keys of ${what} are secrets, and are not written`];
}
