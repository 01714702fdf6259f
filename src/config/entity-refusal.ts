// What kind of mistake it was when the broker refused a configured entity.

import type { QueueDescription } from '../broker/entity/queue-description.js';
import type { SubscriptionDescription, TopicDescription } from '../broker/entity/topic-description.js';
import { LIMITS_OF_TIER, type Limits } from '../broker/limits.js';
import type { ServiceBusError } from '../broker/service-bus-error.js';
import { ConfigError, type ConfigErrorKind, type EntityName } from './config-error.js';
import { TIERS } from './options.js';

export type RefusableEntity =
  | { readonly kind: 'queue'; readonly description: QueueDescription }
  | { readonly kind: 'topic'; readonly description: TopicDescription }
  | {
      readonly kind: 'subscription';
      readonly topicName: string;
      readonly description: SubscriptionDescription;
    };

type Property = (typeof FIXED)[number] | (typeof FORWARDING)[number];

/** What an entity keeps from its creation on. */
const FIXED = ['requiresSession', 'requiresDuplicateDetection', 'enablePartitioning'] as const;
const FORWARDING = ['forwardDeadLetteredMessagesTo', 'forwardTo'] as const;

/** The broker's refusal as a mistake of who configured the entity; undefined when it is none. */
export function refusedEntity(
  entity: RefusableEntity,
  limits: Limits,
  error: ServiceBusError,
): ConfigError | undefined {
  switch (error.reason) {
    case 'argument':
    case 'argument-out-of-range':
    case 'quota-exceeded':
      return badForwarding(entity, error) ?? inTheWordsOf(error, 'entity-beyond-limits', entity);
    case 'not-allowed':
      return badForwarding(entity, error) ?? beyondTier(entity, limits, error) ?? fixed(entity, error);
    case 'entity-already-exists':
      return nameInUse(entity, error);
    default:
      return undefined;
  }
}

function inTheWordsOf(error: ServiceBusError, kind: ConfigErrorKind, entity: RefusableEntity): ConfigError {
  return new ConfigError(kind, error.message, [], error, { entity: nameOf(entity), property: undefined });
}

/** FWD-02. */
function badForwarding(entity: RefusableEntity, cause: ServiceBusError): ConfigError | undefined {
  const property = FORWARDING.find((name) => name === cause.property);
  if (property === undefined) return undefined;
  const refused = { entity: nameOf(entity), property };
  return new ConfigError('bad-forwarding', cause.message, [], cause, refused);
}

function beyondTier(
  entity: RefusableEntity,
  limits: Limits,
  cause: ServiceBusError,
): ConfigError | undefined {
  if (entity.kind === 'topic' && !limits.hasTopics) {
    const message = `${capital(describe(entity))} cannot be, because the tier ${tierOf(limits)} does not have topics`;
    const refused = { entity: nameOf(entity), property: undefined };
    return new ConfigError('entity-beyond-tier', message, [], cause, refused);
  }
  const property = lackedBy(limits).find((name) => {
    const value = propertyOf(entity, name);
    return value !== undefined && value !== false;
  });
  if (property === undefined) return undefined;
  const message =
    `${property} of ${describe(entity)} is ${propertyOf(entity, property)}, ` +
    `and the tier ${tierOf(limits)} does not have it`;
  return new ConfigError('entity-beyond-tier', message, [], cause, { entity: nameOf(entity), property });
}

function lackedBy({ hasSessions, hasDuplicateDetection, hasForwarding }: Limits): Property[] {
  return [
    ...(hasSessions ? [] : (['requiresSession'] as const)),
    ...(hasDuplicateDetection ? [] : (['requiresDuplicateDetection'] as const)),
    ...(hasForwarding ? [] : FORWARDING),
  ];
}

/** The one with these features, whether its sizes apply or not. */
function tierOf({ hasSessions, hasDuplicateDetection }: Limits): string | undefined {
  return TIERS.find((tier) => {
    const limits = LIMITS_OF_TIER[tier];
    return limits.hasSessions === hasSessions && limits.hasDuplicateDetection === hasDuplicateDetection;
  });
}

/** A boolean that is not the wanted one is the other one. */
function fixed(entity: RefusableEntity, cause: ServiceBusError): ConfigError {
  const property = FIXED.find((name) => name === cause.property);
  if (property === undefined) return inTheWordsOf(cause, 'entity-fixed', entity);
  const wanted = propertyOf(entity, property);
  const message =
    `${capital(describe(entity))} was created by an earlier start with ${property} ${!wanted}, ` +
    `which cannot become ${wanted}`;
  return new ConfigError('entity-fixed', message, [], cause, { entity: nameOf(entity), property });
}

/** ENT-03: within one configuration a name is given once, so the other one is older. */
function nameInUse(entity: RefusableEntity, cause: ServiceBusError): ConfigError {
  const other = entity.kind === 'queue' ? 'topic' : 'queue';
  const message = `${capital(describe(entity))} cannot be created: an earlier start has made a ${other} of that name`;
  return new ConfigError('name-in-use', message, [], cause, { entity: nameOf(entity), property: undefined });
}

function propertyOf({ description }: RefusableEntity, property: Property): string | boolean | undefined {
  const values: Partial<Record<Property, string | boolean | undefined>> = description;
  return values[property];
}

function nameOf(entity: RefusableEntity): EntityName {
  const { name } = entity.description;
  return entity.kind === 'subscription' ? { topicName: entity.topicName, name } : { name };
}

function describe(entity: RefusableEntity): string {
  const { topicName, name } = nameOf(entity);
  return `${entity.kind} '${topicName === undefined ? '' : `${topicName}/`}${name}'`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
