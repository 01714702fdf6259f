// Which descriptions a queue may have: its limits, what is there yet, and what can no longer be changed.

import { NEVER } from '../instant.js';
import type { Limits } from '../limits.js';
import { ServiceBusError } from '../service-bus-error.js';
import { checkAuthorizationRules } from './authorization-rule.js';
import { checkFixed } from './fixed-properties.js';
import type { QueueDescription } from './queue-description.js';
import {
  isInRange,
  MAX_NAME_LENGTH,
  MAX_USER_METADATA_LENGTH,
  NAME_PATTERN,
  type NumberField,
  QUEUE_RANGES,
  type Range,
} from './queue-limits.js';

/** Throws argument, naming the value and the range. */
export function checkQueueDescription(
  description: QueueDescription,
  limits: Limits,
  what: 'queue' | 'topic' | 'subscription' = 'queue',
): void {
  const { name, userMetadata = '' } = description;
  if (
    name.length > MAX_NAME_LENGTH ||
    name.toLowerCase().includes('/subscriptions/') ||
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
  // What the tier allows is the only number that may be left open.
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

/** What the tier does not have. The default of no end is not asked for: the tier's own maximum then applies (S1-13). */
function checkTier(description: QueueDescription, limits: Limits, what: string): void {
  const { name, requiresSession, requiresDuplicateDetection, defaultMessageTimeToLiveMs } = description;
  const { forwardTo, forwardDeadLetteredMessagesTo } = description;
  const ofTier = { entityPath: name, about: 'tier' } as const;
  const missing =
    (requiresSession && !limits.hasSessions && 'requiresSession') || // SES-01
    (requiresDuplicateDetection && !limits.hasDuplicateDetection && 'requiresDuplicateDetection'); // DUP-01
  const destination = forwardDeadLetteredMessagesTo ?? forwardTo;
  if (destination !== undefined && !limits.hasForwarding) {
    const text = `${what} '${name}' is to forward its messages, and this tier does not have it; choose another tier or leave it out.`;
    const property =
      forwardDeadLetteredMessagesTo === undefined ? 'forwardTo' : 'forwardDeadLetteredMessagesTo';
    throw new ServiceBusError('not-allowed', text, { ...ofTier, property, value: destination }); // FWD-02
  }
  if (missing) {
    const text = `${missing} of ${what} '${name}' is true, and this tier does not have it; choose another tier or leave it out.`;
    throw new ServiceBusError('not-allowed', text, { ...ofTier, property: missing, value: true });
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

/** Throws not-allowed for what is fixed when a queue is created (PRT-01, DUP-01). */
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

/** Of the lists of plain data that descriptions hold. */
function isSameList(a: unknown, b: unknown): boolean {
  return Array.isArray(a) && Array.isArray(b) && JSON.stringify(a) === JSON.stringify(b);
}
