// Checks the description of an entity: its name, ranges, the tier's features, properties fixed at creation, and forwarding
// destinations.

import { NEVER } from '../instant.js';
import type { Limits } from '../limits.js';
import { ServiceBusError } from '../service-bus-error.js';
import { checkAuthorizationRules } from './authorization-rule.js';
import {
  type DescribedEntity,
  type EntityDescription,
  type EntityType,
  FIXED_PROPERTIES,
  type FixedProperty,
  pathOf,
} from './entity.js';
import { isSubscriptionPath } from './entity-path.js';
import {
  describeQueue,
  INNER_NAME_PATTERN,
  isInRange,
  MAX_NAME_LENGTH,
  MAX_USER_METADATA_LENGTH,
  NAME_PATTERN,
  type NumberField,
  QUEUE_RANGES,
  type QueueDescription,
  type Range,
} from './queue-description.js';
import { isInLimits, parseSubscriberName } from './subscriber.js';

const MAX_SUBSCRIPTION_NAME_LENGTH = 50;

/** Throws argument or not-allowed, naming the value and its range. */
export function checkDescription(entity: DescribedEntity, limits: Limits): void {
  const { type } = entity;
  const description = asQueue(entity);
  const { name, userMetadata = '' } = description;
  if (type === 'topic' && !limits.hasTopics) {
    const text = `'${name}' is a topic, and this tier does not have topics; choose another tier.`;
    throw new ServiceBusError('not-allowed', text, { entityPath: name, about: 'tier' });
  }
  checkName(entity);
  for (const field of Object.keys(QUEUE_RANGES) as NumberField[]) {
    checkRange(description, field, rangeOf(field, limits), type);
  }
  if (userMetadata.length > MAX_USER_METADATA_LENGTH) {
    const text = `userMetadata of ${type} '${name}' is longer than ${MAX_USER_METADATA_LENGTH} characters.`;
    const { length } = userMetadata;
    const data = { property: 'userMetadata', value: length, limit: MAX_USER_METADATA_LENGTH };
    throw new ServiceBusError('argument', text, { entityPath: name, ...data });
  }
  checkAuthorizationRules(description.authorizationRules, type, name);
  checkTier(description, limits, type);
}

/** A queue's description has all the properties that are checked. The name of a subscription is the one within its topic. */
function asQueue({ description }: DescribedEntity): QueueDescription {
  return { ...describeQueue(description.name), ...description };
}

/** ENT-01. */
function checkName(entity: DescribedEntity): void {
  const { name } = entity.description;
  const isSubscription = entity.type === 'subscription';
  const limit = isSubscription ? MAX_SUBSCRIPTION_NAME_LENGTH : MAX_NAME_LENGTH;
  const pattern = isSubscription ? INNER_NAME_PATTERN : NAME_PATTERN;
  const isReserved = entity.type === 'topic' && isSubscriptionPath(name);
  const identity = isSubscription ? parseSubscriberName(name) : undefined;
  if (identity !== undefined && isInLimits(identity)) return; // JMS-15
  if (name.length <= limit && pattern.test(name) && !isReserved) return;
  const allowed = isSubscription
    ? "'.', '-', '_' and '~', and not dots alone"
    : "'.', '-', '_', '~' and '/', no part of it empty or of dots alone";
  const text = `'${name}' cannot be the name of a ${entity.type}: up to ${limit} letters, digits, ${allowed}.`;
  const entityPath = isSubscription ? entity.topicName : name;
  throw new ServiceBusError('argument', text, { entityPath, property: 'name', value: name, limit });
}

function rangeOf(field: NumberField, limits: Limits): Range {
  const range = QUEUE_RANGES[field];
  if (field !== 'maxMessageSizeInKilobytes') return range;
  return { ...range, most: Math.floor(limits.maxMessageSizeCeilingBytes / 1024) };
}

function checkRange(description: QueueDescription, field: NumberField, range: Range, type: EntityType): void {
  const value = description[field];
  // This is the only number that may be undefined: the tier's limit then applies.
  if (value === undefined && field === 'maxMessageSizeInKilobytes') return;
  if (value !== undefined && isInRange(value, range)) return;
  const { least, most } = range;
  const text = `${field} of ${type} '${description.name}' is ${value}; it must be a whole number from ${least} to ${most}.`;
  throw new ServiceBusError('argument', text, {
    entityPath: description.name,
    property: field,
    value,
    least,
    limit: most,
  });
}

/** Throws for properties that the tier lacks. An infinite default time to live is accepted: the tier's maximum applies (S1-13). */
function checkTier(description: QueueDescription, limits: Limits, type: EntityType): void {
  const { name, requiresSession, requiresDuplicateDetection, defaultMessageTimeToLiveMs } = description;
  const { forwardTo, forwardDeadLetteredMessagesTo } = description;
  const tierRefusal = { entityPath: name, about: 'tier' } as const;
  const missing =
    (requiresSession && !limits.hasSessions && 'requiresSession') || // SES-01
    (requiresDuplicateDetection && !limits.hasDuplicateDetection && 'requiresDuplicateDetection'); // DUP-01
  const destination = forwardDeadLetteredMessagesTo ?? forwardTo;
  if (destination !== undefined && !limits.hasForwarding) {
    const text = `${type} '${name}' is to forward its messages, and this tier does not have it; choose another tier or leave it out.`;
    const property =
      forwardDeadLetteredMessagesTo === undefined ? 'forwardTo' : 'forwardDeadLetteredMessagesTo';
    throw new ServiceBusError('not-allowed', text, { ...tierRefusal, property, value: destination }); // FWD-02
  }
  if (missing) {
    const text = `${missing} of ${type} '${name}' is true, and this tier does not have it; choose another tier or leave it out.`;
    throw new ServiceBusError('not-allowed', text, { ...tierRefusal, property: missing, value: true });
  }
  if (defaultMessageTimeToLiveMs <= limits.maxTimeToLiveMs || defaultMessageTimeToLiveMs === NEVER) return;
  const text =
    `defaultMessageTimeToLiveMs of ${type} '${name}' is ${defaultMessageTimeToLiveMs}; ` +
    `in this tier it may be up to ${limits.maxTimeToLiveMs}.`;
  throw new ServiceBusError('argument', text, {
    entityPath: name,
    property: 'defaultMessageTimeToLiveMs',
    value: defaultMessageTimeToLiveMs,
    limit: limits.maxTimeToLiveMs,
  });
}

export function isSameDescription<T extends object>(a: T, b: T): boolean {
  const names = Object.keys({ ...a, ...b }) as (keyof T)[];
  return names.every((name) => a[name] === b[name] || isSameList(a[name], b[name]));
}

/** Compares lists of plain data. */
function isSameList(a: unknown, b: unknown): boolean {
  return Array.isArray(a) && Array.isArray(b) && JSON.stringify(a) === JSON.stringify(b);
}

/**
 * Checks that a queue or subscription forwards to an existing queue or topic, which may be itself or its own topic (FWD-02).
 * `exists` finds a queue or topic by name. Throws argument or not-allowed.
 */
export function checkForwarding(entity: DescribedEntity, exists: (name: string) => boolean): void {
  if (entity.type === 'topic') return;
  const path = pathOf(entity);
  const what = `${entity.type} '${path}'`;
  const { forwardTo, forwardDeadLetteredMessagesTo, requiresSession, enablePartitioning } = asQueue(entity);
  if (forwardTo !== undefined && requiresSession && !enablePartitioning) {
    const text = `${what} requires sessions, and such an entity cannot forward its messages, unless it is a partitioned queue.`; // SES-19
    const data = { entityPath: path, about: 'forwarding', property: 'forwardTo', value: forwardTo } as const;
    throw new ServiceBusError('not-allowed', text, data);
  }
  for (const [field, destination] of Object.entries({ forwardTo, forwardDeadLetteredMessagesTo })) {
    if (destination === undefined) continue;
    if (exists(destination)) continue;
    const text = `${field} of ${what} is '${destination}', and there is no such queue or topic; create it first.`;
    const data = { entityPath: path, about: 'forwarding', property: field, value: destination } as const;
    throw new ServiceBusError('argument', text, data);
  }
}

/** Clients of Azure match on this first sentence, which names the property. */
const REFUSALS = {
  requiresSession: (type: string) =>
    `The value for the RequiresSession property of an existing ${type} cannot be changed.`,
  requiresDuplicateDetection: (type: string) =>
    `The value for the requires duplicate detection property of an existing ${type} cannot be changed.`,
  enablePartitioning: (type: string) => `Partitioning cannot be changed for ${type}.`,
} as const satisfies Readonly<Record<FixedProperty, (type: string) => string>>;

/** Throws not-allowed for a change of a property that is fixed at creation. */
export function checkUpdate(before: EntityDescription, entity: DescribedEntity): void {
  const fixed: Readonly<Partial<Record<FixedProperty, boolean>>> = before;
  const after: typeof fixed = entity.description;
  const property = FIXED_PROPERTIES[entity.type].find((one) => fixed[one] !== after[one]);
  if (property === undefined) return;
  const entityPath = pathOf(entity);
  const type = entity.type.charAt(0).toUpperCase() + entity.type.slice(1);
  const hint = `${property} of '${entityPath}' is ${fixed[property]}: delete it and create it anew.`;
  const data = { entityPath, about: 'fixed-property', property, value: after[property] } as const;
  throw new ServiceBusError('not-allowed', `${REFUSALS[property](type)} ${hint}`, data);
}
