// Translates the broker's refusal of a configured entity into a JitneyError of the matching kind.

import type { DescribedEntity } from '../broker/contract/entities/entity.js';
import { LIMITS_OF_TIER, type Limits } from '../broker/contract/limits.js';
import type { ServiceBusError } from '../broker/contract/service-bus-error.js';
import { type EntityName, JitneyError, type JitneyErrorKind } from '../jitney-error.js';
import { TIERS } from './options/behaviour-options.js';

/** The refusal as a mistake in the configuration; undefined when the configuration is not the cause. */
export function refusedEntity(
  entity: DescribedEntity,
  limits: Limits,
  error: ServiceBusError,
): JitneyError | undefined {
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
      return refusedByBroker(error, entity);
  }
}

function refusedByBroker(error: ServiceBusError, entity: DescribedEntity): JitneyError | undefined {
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

function beyondTier(entity: DescribedEntity, limits: Limits, cause: ServiceBusError): JitneyError {
  const { property, value } = cause.data;
  const message =
    property === undefined
      ? `${capital(describe(entity))} cannot be, because the tier ${tierOf(limits)} does not have topics`
      : `${property} of ${describe(entity)} is ${value}, and the tier ${tierOf(limits)} does not have it`;
  return refused(entity, property, { kind: 'entity-beyond-tier', message, cause });
}

/** The tier with these features, whether its limits of size apply or not. */
function tierOf({ hasSessions, hasDuplicateDetection }: Limits): string | undefined {
  return TIERS.find((tier) => {
    const limits = LIMITS_OF_TIER[tier];
    return limits.hasSessions === hasSessions && limits.hasDuplicateDetection === hasDuplicateDetection;
  });
}

/** Fixed properties are booleans, so the stored value is the opposite of the configured one. */
function fixed(entity: DescribedEntity, cause: ServiceBusError): JitneyError {
  const { property, value } = cause.data;
  const message = `${capital(describe(entity))} exists with ${property} ${!value}, which cannot become ${value}`;
  return refused(entity, property, { kind: 'entity-fixed', message, cause });
}

/** ENT-03 */
function nameInUse(entity: DescribedEntity, cause: ServiceBusError): JitneyError {
  const other = entity.type === 'queue' ? 'topic' : 'queue';
  const message = `${capital(describe(entity))} cannot be created: there is a ${other} of that name already`;
  return refused(entity, undefined, { kind: 'name-in-use', message, cause });
}

type RefusalDetails = {
  readonly kind: JitneyErrorKind;
  readonly message?: string;
  readonly cause: ServiceBusError;
};

/** Without a `message`, the broker's own is used. */
function refused(
  entity: DescribedEntity,
  property: string | undefined,
  { kind, cause, message = cause.message }: RefusalDetails,
): JitneyError {
  return new JitneyError(kind, message, { cause, refused: { entity: nameOf(entity), property } });
}

function nameOf(entity: DescribedEntity): EntityName {
  const { name } = entity.description;
  return entity.type === 'subscription' ? { topicName: entity.topicName, name } : { name };
}

function describe(entity: DescribedEntity): string {
  const { topicName, name } = nameOf(entity);
  return `${entity.type} '${topicName === undefined ? '' : `${topicName}/`}${name}'`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
