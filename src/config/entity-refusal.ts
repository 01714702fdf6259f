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

/** The broker's refusal as a mistake of who configured the entity; undefined when it is none. */
export function refusedEntity(
  entity: RefusableEntity,
  limits: Limits,
  error: ServiceBusError,
): ConfigError | undefined {
  switch (error.data.about) {
    case 'forwarding':
      return refused(entity, error.data.property, { kind: 'bad-forwarding', cause: error }); // FWD-02
    case 'tier':
      return beyondTier(entity, limits, error);
    case 'fixed-property':
      return fixed(entity, error);
    case 'name-in-use':
      return nameInUse(entity, error);
    default:
      return inTheWordsOf(error, entity);
  }
}

function inTheWordsOf(error: ServiceBusError, entity: RefusableEntity): ConfigError | undefined {
  const { limit, least } = error.data;
  const kind = limit === undefined && least === undefined ? 'entity-refused' : 'entity-beyond-limits';
  switch (error.reason) {
    case 'argument':
    case 'argument-out-of-range':
    case 'quota-exceeded':
    case 'not-allowed':
    case 'entity-already-exists':
      return refused(entity, undefined, { kind, cause: error });
    default:
      return undefined;
  }
}

function beyondTier(entity: RefusableEntity, limits: Limits, cause: ServiceBusError): ConfigError {
  const { property, value } = cause.data;
  const message =
    property === undefined
      ? `${capital(describe(entity))} cannot be, because the tier ${tierOf(limits)} does not have topics`
      : `${property} of ${describe(entity)} is ${value}, and the tier ${tierOf(limits)} does not have it`;
  return refused(entity, property, { kind: 'entity-beyond-tier', message, cause });
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
  const { property, value } = cause.data;
  const message =
    `${capital(describe(entity))} was created by an earlier start with ${property} ${!value}, ` +
    `which cannot become ${value}`;
  return refused(entity, property, { kind: 'entity-fixed', message, cause });
}

/** ENT-03: within one configuration a name is given once, so the other one is older. */
function nameInUse(entity: RefusableEntity, cause: ServiceBusError): ConfigError {
  const other = entity.kind === 'queue' ? 'topic' : 'queue';
  const message = `${capital(describe(entity))} cannot be created: an earlier start has made a ${other} of that name`;
  return refused(entity, undefined, { kind: 'name-in-use', message, cause });
}

type Words = { readonly kind: ConfigErrorKind; readonly message?: string; readonly cause: ServiceBusError };

/** In the words of the broker where there are none of ours. */
function refused(
  entity: RefusableEntity,
  property: string | undefined,
  { kind, cause, message = cause.message }: Words,
): ConfigError {
  return new ConfigError(kind, message, [], cause, { entity: nameOf(entity), property });
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
