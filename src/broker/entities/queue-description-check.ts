// Checks the description of a queue: ranges, the tier's features, properties fixed at creation, and forwarding destinations.

import { NEVER } from '../instant.js';
import type { Limits } from '../limits.js';
import { ServiceBusError } from '../service-bus-error.js';
import { checkAuthorizationRules } from './authorization-rule.js';
import { isSubscriptionPath, subscriptionPathOf } from './entity-path.js';
import {
  isInRange,
  MAX_NAME_LENGTH,
  MAX_USER_METADATA_LENGTH,
  NAME_PATTERN,
  type NumberField,
  QUEUE_RANGES,
  type QueueDescription,
  type Range,
} from './queue-description.js';

/** Throws argument, naming the value and the range. */
export function checkQueueDescription(
  description: QueueDescription,
  limits: Limits,
  what: 'queue' | 'topic' | 'subscription' = 'queue',
): void {
  const { name, userMetadata = '' } = description;
  if (
    name.length > MAX_NAME_LENGTH ||
    (what === 'topic' && isSubscriptionPath(name)) ||
    !NAME_PATTERN.test(name)
  ) {
    const text =
      `'${name}' cannot be the name of a ${what}: up to ${MAX_NAME_LENGTH} letters, digits, '.', '-', '_', '~' and '/', ` +
      'no part of it empty or of dots alone.';
    throw new ServiceBusError('argument', text, {
      entityPath: name,
      property: 'name',
      value: name,
      limit: MAX_NAME_LENGTH,
    });
  }
  for (const field of Object.keys(QUEUE_RANGES) as NumberField[]) {
    checkRange(description, field, rangeOf(field, limits), what);
  }
  if (userMetadata.length > MAX_USER_METADATA_LENGTH) {
    const text = `userMetadata of ${what} '${name}' is longer than ${MAX_USER_METADATA_LENGTH} characters.`;
    const { length } = userMetadata;
    const data = { property: 'userMetadata', value: length, limit: MAX_USER_METADATA_LENGTH };
    throw new ServiceBusError('argument', text, { entityPath: name, ...data });
  }
  checkAuthorizationRules(description.authorizationRules, what, name);
  checkTier(description, limits, what);
}

function rangeOf(field: NumberField, limits: Limits): Range {
  const range = QUEUE_RANGES[field];
  if (field !== 'maxMessageSizeInKilobytes') return range;
  return { ...range, most: Math.floor(limits.maxMessageSizeCeilingBytes / 1024) };
}

function checkRange(description: QueueDescription, field: NumberField, range: Range, what: string): void {
  const value = description[field];
  // This is the only number that may be undefined: the tier's limit then applies.
  if (value === undefined && field === 'maxMessageSizeInKilobytes') return;
  if (value !== undefined && isInRange(value, range)) return;
  const { least, most } = range;
  const text = `${field} of ${what} '${description.name}' is ${value}; it must be a whole number from ${least} to ${most}.`;
  throw new ServiceBusError('argument', text, {
    entityPath: description.name,
    property: field,
    value,
    least,
    limit: most,
  });
}

/** Throws for properties that the tier lacks. An infinite default time to live is accepted: the tier's maximum applies (S1-13). */
function checkTier(description: QueueDescription, limits: Limits, what: string): void {
  const { name, requiresSession, requiresDuplicateDetection, defaultMessageTimeToLiveMs } = description;
  const { forwardTo, forwardDeadLetteredMessagesTo } = description;
  const tierRefusal = { entityPath: name, about: 'tier' } as const;
  const missing =
    (requiresSession && !limits.hasSessions && 'requiresSession') || // SES-01
    (requiresDuplicateDetection && !limits.hasDuplicateDetection && 'requiresDuplicateDetection'); // DUP-01
  const destination = forwardDeadLetteredMessagesTo ?? forwardTo;
  if (destination !== undefined && !limits.hasForwarding) {
    const text = `${what} '${name}' is to forward its messages, and this tier does not have it; choose another tier or leave it out.`;
    const property =
      forwardDeadLetteredMessagesTo === undefined ? 'forwardTo' : 'forwardDeadLetteredMessagesTo';
    throw new ServiceBusError('not-allowed', text, { ...tierRefusal, property, value: destination }); // FWD-02
  }
  if (missing) {
    const text = `${missing} of ${what} '${name}' is true, and this tier does not have it; choose another tier or leave it out.`;
    throw new ServiceBusError('not-allowed', text, { ...tierRefusal, property: missing, value: true });
  }
  if (defaultMessageTimeToLiveMs <= limits.maxTimeToLiveMs || defaultMessageTimeToLiveMs === NEVER) return;
  const text =
    `defaultMessageTimeToLiveMs of ${what} '${name}' is ${defaultMessageTimeToLiveMs}; ` +
    `in this tier it may be up to ${limits.maxTimeToLiveMs}.`;
  throw new ServiceBusError('argument', text, {
    entityPath: name,
    property: 'defaultMessageTimeToLiveMs',
    value: defaultMessageTimeToLiveMs,
    limit: limits.maxTimeToLiveMs,
  });
}

/** Throws not-allowed for a change of a property that is fixed at creation (PRT-01, DUP-01). */
export function checkQueueUpdate(before: QueueDescription, after: QueueDescription): void {
  checkFixed(
    ['requiresSession', 'requiresDuplicateDetection', 'enablePartitioning'],
    { before, after },
    {
      type: 'Queue',
      path: before.name,
    },
  );
}

export function isSameDescription<T extends object>(a: T, b: T): boolean {
  const names = Object.keys({ ...a, ...b }) as (keyof T)[];
  return names.every((name) => a[name] === b[name] || isSameList(a[name], b[name]));
}

/** Compares lists of plain data. */
function isSameList(a: unknown, b: unknown): boolean {
  return Array.isArray(a) && Array.isArray(b) && JSON.stringify(a) === JSON.stringify(b);
}

type Forwarding = Pick<
  QueueDescription,
  'name' | 'forwardTo' | 'forwardDeadLetteredMessagesTo' | 'requiresSession'
> &
  Partial<Pick<QueueDescription, 'enablePartitioning'>>;

/**
 * Checks that a queue, or a subscription of this topic, forwards to an existing queue or topic, which may be itself or its own
 * topic (FWD-02). `exists` finds a queue or topic by name. Throws argument or not-allowed.
 */
export function checkForwarding(
  { name, forwardTo, forwardDeadLetteredMessagesTo, requiresSession, enablePartitioning = false }: Forwarding,
  topicName: string | undefined,
  exists: (name: string) => boolean,
): void {
  const path = topicName === undefined ? name : subscriptionPathOf(topicName, name);
  const what = `${topicName === undefined ? 'queue' : 'subscription'} '${path}'`;
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
} as const;

type FixedProperty = keyof typeof REFUSALS;

/** Throws not-allowed if one of the fields differs (SES-01, PRT-01, DUP-01). `path` is the entity's. */
export function checkFixed<Field extends FixedProperty>(
  fields: readonly Field[],
  { before, after }: Readonly<Record<'before' | 'after', Readonly<Record<Field, boolean>>>>,
  { type, path }: { readonly type: 'Queue' | 'Topic' | 'Subscription'; readonly path: string },
): void {
  const field = fields.find((one) => before[one] !== after[one]);
  if (field === undefined) return;
  const hint = `${field} of '${path}' is ${before[field]}: delete it and create it anew.`;
  const data = { entityPath: path, about: 'fixed-property', property: field, value: after[field] } as const;
  throw new ServiceBusError('not-allowed', `${REFUSALS[field](type)} ${hint}`, data);
}
