// Reads the entities and rules that a command names, before anything is connected.

import type { EntityType } from '../../broker/contract/entities/entity.js';
import { subscriptionPathOf } from '../../broker/contract/entities/entity-path.js';
import { describeQueue } from '../../broker/contract/entities/queue-description.js';
import { describeSubscription, describeTopic } from '../../broker/contract/entities/topic-description.js';
import {
  CORRELATION_FIELDS,
  type ParameterValue,
  type RuleDescription,
} from '../../broker/contract/rule-description.js';
import type { AdminPath, GivenProperties } from '../../client/admin-client.js';
import { readQueueSpec, splitSpec } from '../../config/given-queue.js';
import { readGivenRule } from '../../config/given-rule.js';
import { readTopicSpec } from '../../config/given-topic.js';
import { refusing } from '../../config/options/option-types.js';
import { checkRuleName, checkSubscriptionName, checkTopicName } from '../../description/entity-name.js';
import {
  type GivenSubscriptionProperties,
  type GivenTopicProperties,
  SUBSCRIPTION_PROPERTIES,
  TOPIC_PROPERTIES,
} from '../../description/entity-properties.js';
import { readQuery } from '../../description/entity-property.js';
import { shown, ValueError } from '../../description/value-error.js';
import { isOfKind } from '../../jitney-error.js';
import { usageError } from '../output/error-report.js';
import type { EntityFlags, EntityRequest } from './entity-commands.js';

export type NamedEntity = {
  readonly type: EntityType;
  readonly path: AdminPath;
  /** The properties that are named. */
  readonly given: GivenProperties;
  /** The entity with these properties and Azure's defaults. */
  readonly wanted: object;
};

export type NamedRule = {
  readonly type: 'rule';
  readonly topicName: string;
  readonly subscription: string;
  readonly name: string;
  /** Undefined for a rule that is deleted. */
  readonly rule: RuleDescription | undefined;
};

export type Named = NamedEntity | NamedRule;

/** The name in the notation of the command line: `orders`, `events/audit`, `events/audit/red`. */
export function nameOf(one: Named): string {
  if (one.type === 'rule') return `${one.topicName}/${one.subscription}/${one.name}`;
  const { entity, subscription } = one.path;
  return subscription === undefined ? entity : `${entity}/${subscription}`;
}

/** The path of the entity, or of the rule: `events/Subscriptions/audit/Rules/red`. */
export function pathTextOf(one: Named): string {
  if (one.type === 'rule') return `${subscriptionPathOf(one.topicName, one.subscription)}/Rules/${one.name}`;
  const { entity, subscription } = one.path;
  return subscription === undefined ? entity : subscriptionPathOf(entity, subscription);
}

/** Throws a JitneyError. */
export function readSpecs(request: EntityRequest): readonly Named[] {
  try {
    return namedIn(request);
  } catch (error) {
    // The help of these two names the options of a start.
    const isBadSpec = isOfKind(error, 'bad-queue') || isOfKind(error, 'bad-topic');
    throw isBadSpec ? usageError(error.message, error) : error;
  }
}

function namedIn({ change, kind, specs, own }: EntityRequest): readonly Named[] {
  switch (kind) {
    case 'queue':
      return specs.map((spec) => queueIn(spec, change === 'delete'));
    case 'topic':
      return specs.flatMap((spec) =>
        change === 'create' ? topicsIn(spec) : [topicIn(spec, change === 'delete')],
      );
    case 'subscription':
      return specs.flatMap((spec) => subscriptionsIn(spec, change === 'delete'));
    case 'rule': {
      const more = change === 'delete' ? undefined : { filter: filterIn(own), action: own.action };
      return specs.map((spec) => ruleIn(spec, more));
    }
    default:
      return kind satisfies never;
  }
}

function queueIn(spec: string, isDeleted: boolean): NamedEntity {
  if (isDeleted) refuseProperties(spec);
  const { name, given } = readQueueSpec(spec);
  return { type: 'queue', path: { entity: name }, given: given, wanted: describeQueue(name, given) };
}

/** A topic, and the subscriptions behind its name. */
function topicsIn(spec: string): readonly NamedEntity[] {
  const { topicName, given, subscriptionNames, givenToSubscriptions } = readTopicSpec(spec);
  return [
    topicOf(topicName, given),
    ...subscriptionNames.map((name) => subscriptionOf(topicName, name, givenToSubscriptions)),
  ];
}

/** A topic that exists; its name may have slashes. */
function topicIn(spec: string, isDeleted: boolean): NamedEntity {
  if (isDeleted) refuseProperties(spec);
  return refusing('bad-option', shown(spec), () => {
    const [text, query] = splitSpec(spec);
    const name = checkTopicName(text.replace(/\/$/, ''));
    return topicOf(name, readQuery(new URLSearchParams(query), TOPIC_PROPERTIES));
  });
}

function subscriptionsIn(spec: string, isDeleted: boolean): readonly NamedEntity[] {
  if (isDeleted) refuseProperties(spec);
  return refusing('bad-option', shown(spec), () => {
    const [text, query] = splitSpec(spec);
    const { owner, name: names } = lastSlash(text, 'topic/subscription, such as events/audit');
    const topicName = checkTopicName(withoutWord(owner, 'subscriptions'));
    const given = readQuery(new URLSearchParams(query), SUBSCRIPTION_PROPERTIES);
    return names.split('+').map((name) => subscriptionOf(topicName, checkSubscriptionName(name), given));
  });
}

function ruleIn(
  spec: string,
  more: { readonly filter: unknown; readonly action: string | undefined } | undefined,
): NamedRule {
  return refusing('bad-option', shown(spec), () => {
    const form = 'topic/subscription/rule, such as events/audit/red';
    const { owner, name } = lastSlash(spec, form);
    const inner = lastSlash(withoutWord(owner, 'rules'), form);
    const topicName = checkTopicName(withoutWord(inner.owner, 'subscriptions'));
    const subscription = checkSubscriptionName(inner.name);
    const rule = more && readGivenRule({ name, ...more });
    return { type: 'rule', topicName, subscription, name: checkRuleName(name), rule };
  });
}

function topicOf(name: string, given: GivenTopicProperties): NamedEntity {
  return { type: 'topic', path: { entity: name }, given, wanted: describeTopic(name, given) };
}

function subscriptionOf(topicName: string, name: string, given: GivenSubscriptionProperties): NamedEntity {
  return {
    type: 'subscription',
    path: { entity: topicName, subscription: name },
    given,
    wanted: describeSubscription(name, given),
  };
}

/** SQL, or the properties of a correlation filter, as a program gives them. */
function filterIn({ sql, correlation = [] }: EntityFlags): unknown {
  if (sql !== undefined && correlation.length > 0)
    throw usageError('give either --sql or --correlation, not both');
  if (sql !== undefined) return sql;
  if (correlation.length === 0) return true;
  const fields: Record<string, string> = {};
  const applicationProperties: Record<string, ParameterValue> = {};
  for (const text of correlation) {
    const at = text.indexOf('=');
    if (at <= 0) throw usageError(`--correlation must be name=value, not ${shown(text)}`);
    const [name, value] = [text.slice(0, at), text.slice(at + 1)];
    const field = CORRELATION_FIELDS.find((one) => one === name);
    if (field !== undefined) fields[field] = value;
    else Object.assign(applicationProperties, typedProperty(name, value));
  }
  const hasProperties = Object.keys(applicationProperties).length > 0;
  return { ...fields, ...(hasProperties ? { applicationProperties } : {}) };
}

const TYPED = /^(?<name>.+):(?<type>string|int|long|double|boolean)$/;
const WHOLE = /^-?\d{1,19}$/;

function typedProperty(text: string, value: string): Readonly<Record<string, ParameterValue>> {
  const { name = text, type = 'string' } = TYPED.exec(text)?.groups ?? {};
  const isNumber = value.trim() !== '' && Number.isFinite(Number(value));
  switch (type) {
    case 'int':
    case 'long':
      if (WHOLE.test(value)) return { [name]: { type, value } };
      break;
    case 'double':
      if (isNumber) return { [name]: { type, value: String(Number(value)) } };
      break;
    case 'boolean':
      if (value === 'true' || value === 'false') return { [name]: value === 'true' };
      break;
    default:
      return { [name]: value };
  }
  throw usageError(`--correlation ${name} must be of type ${type}, not ${shown(value)}`);
}

function refuseProperties(spec: string): void {
  if (spec.includes('?'))
    throw usageError(`what is deleted has a name without properties, not ${shown(spec)}`);
}

function lastSlash(text: string, form: string): { readonly owner: string; readonly name: string } {
  const at = text.lastIndexOf('/');
  if (at <= 0) throw new ValueError(`must be ${form}, not ${shown(text)}`);
  return { owner: text.slice(0, at), name: text.slice(at + 1) };
}

/** Paths may be written as clients do: `events/Subscriptions/audit/Rules/red`. */
function withoutWord(path: string, word: string): string {
  return path.toLowerCase().endsWith(`/${word}`) ? path.slice(0, -word.length - 1) : path;
}
