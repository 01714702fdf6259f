// The queues and topics that resources of a template describe, checked as everything that a start creates.

import { ACCESS_RIGHTS, type AuthorizationRule } from '../broker/contract/entities/authorization-rule.js';
import type { EntityType } from '../broker/contract/entities/entity.js';
import { describeQueue } from '../broker/contract/entities/queue-description.js';
import { describeSubscription, describeTopic } from '../broker/contract/entities/topic-description.js';
import type { RuleDescription } from '../broker/contract/rule-description.js';
import type { ConfiguredTopic } from '../config/configured-topic.js';
import { isAbsent } from '../config/official-rule.js';
import { readAuthorizationRules } from '../description/authorization-rules.js';
import { PROPERTIES_OF } from '../description/described-entity.js';
import {
  checkEntityName,
  checkRuleName,
  checkSubscriptionName,
  checkTopicName,
} from '../description/entity-name.js';
import { findByName, valueOfText } from '../description/entity-property.js';
import { duration } from '../description/property-values.js';
import { readAllParts, shown, ValueError } from '../description/value-error.js';
import { entityNameBehind, type PlacedResource, parentOf, type ResourceKind } from './azure-resource.js';
import type { Definitions } from './definitions.js';
import { atPlace } from './place.js';
import { readRule } from './rule-resource.js';

/** Properties that Azure reports, or that mean nothing for this kind of entity. They are skipped without a note. */
const SILENT: readonly string[] = [
  ...['accessedAt', 'createdAt', 'updatedAt', 'messageCount', 'countDetails', 'sizeInBytes'],
  ...['subscriptionCount', 'path', 'isClientAffine', 'duplicateDetectionHistoryTimeWindow'],
];
const FORWARDING: readonly string[] = ['forwardTo', 'forwardDeadLetteredMessagesTo'];

/** Throws a ValueError with all problems, each with its place. */
export function entitiesOf(resources: readonly PlacedResource[]): Definitions {
  return new ResourceReader(resources).read();
}

class ResourceReader {
  /** By kind and names in lower case (ENT-02). */
  readonly #resources = new Map<string, PlacedResource>();
  readonly #children = new Map<string, PlacedResource[]>();
  readonly #notes: string[] = [];

  constructor(resources: readonly PlacedResource[]) {
    readAllParts(resources.map((resource) => () => this.#add(resource)));
    for (const resource of resources) this.#addParents(resource);
  }

  #add(resource: PlacedResource): void {
    const key = keyOf(resource);
    const other = this.#resources.get(key);
    if (other !== undefined) {
      const text = `describes the ${wordOf(resource.kind)} ${shown(resource.names.join('/'))} once more`;
      throw new ValueError([{ path: resource.path, text }]);
    }
    this.#put(key, resource);
  }

  #put(key: string, resource: PlacedResource): void {
    this.#resources.set(key, resource);
    const parent = parentOf(resource);
    if (parent === undefined) return;
    const children = this.#children.get(keyOf(parent)) ?? [];
    children.push(resource);
    this.#children.set(keyOf(parent), children);
  }

  /** A template may add to a topic or subscription that another one has made. */
  #addParents({ kind, names, path, pathOf }: PlacedResource): void {
    const parent = parentOf({ kind, names });
    if (parent === undefined || this.#resources.has(keyOf(parent))) return;
    const resource = { ...parent, properties: {}, path, pathOf };
    this.#put(keyOf(parent), resource);
    this.#notes.push(
      `the ${wordOf(parent.kind)} ${parent.names.join('/')} is not described here, only what belongs to it: it has Azure's defaults`,
    );
    this.#addParents(resource);
  }

  read(): Definitions {
    const queues = this.#of('queue').map((queue) => () => {
      const given = this.#propertiesOf('queue', queue);
      const name = atPlace([...queue.path, 'name'], () =>
        checkEntityName(entityNameBehind(queue.names[0] ?? '')),
      );
      const authorizationRules = this.#authorizationRulesOf('queue', queue);
      return describeQueue(name, { ...given, authorizationRules });
    });
    const topics = this.#of('topic').map((topic) => () => this.#readTopic(topic));
    const [readQueues, readTopics] = readAllParts<unknown>([
      () => readAllParts(queues),
      () => readAllParts(topics),
    ]) as [Definitions['queues'], Definitions['topics']];
    return { queues: readQueues, topics: readTopics, notes: this.#notes };
  }

  #readTopic(topic: PlacedResource): ConfiguredTopic {
    const given = this.#propertiesOf('topic', topic);
    const name = atPlace([...topic.path, 'name'], () =>
      checkTopicName(entityNameBehind(topic.names[0] ?? '')),
    );
    const authorizationRules = this.#authorizationRulesOf('topic', topic);
    const subscriptions = this.#childrenOf('subscription', topic).map((subscription) => () => {
      const properties = this.#propertiesOf('subscription', subscription);
      const own = atPlace([...subscription.path, 'name'], () =>
        checkSubscriptionName(subscription.names[1] ?? ''),
      );
      const rules = this.#childrenOf('rule', subscription).map((rule) => () => readRuleResource(rule));
      const read = readAllParts(rules);
      return {
        description: describeSubscription(own, properties),
        // Azure removes $Default from a subscription for which a template has rules.
        rules: read.length === 0 ? undefined : read,
      };
    });
    return {
      description: describeTopic(name, { ...given, authorizationRules }),
      subscriptions: readAllParts(subscriptions),
    };
  }

  #of(kind: ResourceKind): PlacedResource[] {
    return [...this.#resources.values()].filter((resource) => resource.kind === kind);
  }

  #childrenOf(kind: ResourceKind, parent: PlacedResource): PlacedResource[] {
    return (this.#children.get(keyOf(parent)) ?? []).filter((child) => child.kind === kind);
  }

  #propertiesOf(type: EntityType, { names, properties, pathOf }: PlacedResource): object {
    const what = `${type} ${names.join('/')}`;
    const read = Object.entries(properties).map(([name, value]) => () => {
      const property = findByName(PROPERTIES_OF[type] as (typeof PROPERTIES_OF)['queue'], name);
      if (property === undefined || property.type === 'list') {
        const isSilent = SILENT.some((one) => one.toLowerCase() === name.toLowerCase());
        if (!isSilent && !isAbsent(value))
          this.#notes.push(`${what} has the property ${name}, which is left out`);
        return {};
      }
      if (isAbsent(value)) return {};
      return atPlace(pathOf(name), () => {
        const own = typeof value === 'string' ? valueOfText(property.type, value) : value;
        return property.read(FORWARDING.includes(property.name) ? targetOf(own) : own, duration);
      });
    });
    return Object.assign({}, ...readAllParts<object>(read));
  }

  #authorizationRulesOf(kind: 'queue' | 'topic', entity: PlacedResource): readonly AuthorizationRule[] {
    const rules = this.#childrenOf(`${kind}-authorization-rule`, entity);
    const read = rules.map(({ names, properties, path }) => () => {
      const { rights } = properties;
      const given = [{ keyName: names[1], rights: Array.isArray(rights) ? withManaged(rights) : rights }];
      return atPlace(path, () => {
        try {
          return readAuthorizationRules(given);
        } catch (error) {
          // The list is ours, so its positions would mislead.
          if (!(error instanceof ValueError)) throw error;
          throw new ValueError(error.problems.map(({ text }) => text).join('; '), error);
        }
      });
    });
    return readAllParts(read).flat();
  }
}

/** Some templates give Manage alone, which includes the others. */
function withManaged(rights: readonly unknown[]): readonly unknown[] {
  return rights.some((right) => String(right).toLowerCase() === 'manage') ? ACCESS_RIGHTS : rights;
}

function readRuleResource({ names, properties, path, pathOf }: PlacedResource): RuleDescription {
  const name = atPlace([...path, 'name'], () => checkRuleName(names[2] ?? ''));
  return readRule(name, properties, pathOf);
}

/** The name in an address such as `sb://shop.servicebus.windows.net/orders`, or in the id of a resource. */
function targetOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const ofResource =
    /\/providers\/microsoft\.servicebus\/namespaces\/[^/]+\/(?:queues|topics)\/(?<name>[^/]+)$/i;
  const { name } = ofResource.exec(value)?.groups ?? {};
  return name === undefined ? value.replace(/^[a-z]+:\/\/[^/]+\//i, '') : entityNameBehind(name);
}

function keyOf({ kind, names }: Pick<PlacedResource, 'kind' | 'names'>): string {
  const path = names.join('/').toLowerCase();
  // ENT-03: a queue and a topic never have the same name, but a template may have both by mistake; the start refuses that.
  return `${kind} ${path}`;
}

function wordOf(kind: ResourceKind): string {
  return kind.replace(/^(queue|topic)-/, '').replace('-', ' ');
}
