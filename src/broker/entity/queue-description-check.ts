// Which descriptions a queue may have: names, ranges (semantics B.20.1), and what can no longer be changed.

import { NEVER } from '../instant.js';
import type { Limits } from '../limits.js';
import { type ErrorReason, ServiceBusError } from '../service-bus-error.js';
import type { QueueDescription } from './queue-description.js';

const MAX_NAME_LENGTH = 260;
/** ENT-01; `~` is not in Azure's documentation, but its portal takes it. */
const NAME = /^[A-Za-z0-9](?:[\w\-./~]*[A-Za-z0-9])?$/;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const MAX_INT32 = 2 ** 31 - 1;
const MAX_USER_METADATA_LENGTH = 1024;

type NumberName = {
  [K in keyof QueueDescription]-?: QueueDescription[K] extends number | undefined ? K : never;
}[keyof QueueDescription];

type Range = { readonly name: NumberName; readonly min: number; readonly max: number };

const RANGES: readonly Range[] = [
  { name: 'lockDurationMs', min: 1, max: 5 * MINUTE },
  { name: 'maxDeliveryCount', min: 1, max: MAX_INT32 }, // DLV-09
  { name: 'maxSizeInMegabytes', min: 1, max: MAX_INT32 },
  // Differs from Azure: it starts at 20 s, but files of the official emulator may go down to 5 s.
  { name: 'duplicateDetectionHistoryTimeWindowMs', min: 5 * SECOND, max: 7 * DAY },
  { name: 'defaultMessageTimeToLiveMs', min: SECOND, max: NEVER }, // TTL-13
  { name: 'autoDeleteOnIdleMs', min: 5 * MINUTE, max: NEVER }, // IDL-01
];

/** Throws argument, naming the value and the range. */
export function checkQueueDescription(description: QueueDescription, limits: Limits): void {
  const { name, userMetadata = '' } = description;
  if (name.length > MAX_NAME_LENGTH || !NAME.test(name)) {
    throw failure(
      'argument',
      name,
      `'${name}' cannot be the name of a queue: up to ${MAX_NAME_LENGTH} letters, digits, '.', '-', '_', '~' and '/', ` +
        'a letter or digit first and last.',
    );
  }
  for (const range of RANGES) checkRange(description, range);
  const max = limits.maxMessageSizeCeilingBytes / 1024;
  checkRange(description, { name: 'maxMessageSizeInKilobytes', min: 1, max });
  if (userMetadata.length > MAX_USER_METADATA_LENGTH) {
    const text = `userMetadata of queue '${name}' is longer than ${MAX_USER_METADATA_LENGTH} characters.`;
    throw failure('argument', name, text);
  }
  checkIsThere(description);
}

function checkRange(description: QueueDescription, { name, min, max }: Range): void {
  const value = description[name];
  if (value === undefined || (value >= min && value <= max && isWhole(value))) return;
  const text = `${name} of queue '${description.name}' is ${value}; it must be a whole number from ${min} to ${max}.`;
  throw failure('argument', description.name, text);
}

function isWhole(value: number): boolean {
  return Number.isInteger(value) || value === NEVER;
}

/** What would lead messages elsewhere, or keep some out, is refused as long as the broker cannot do it. */
function checkIsThere(description: QueueDescription): void {
  const { name, forwardTo, forwardDeadLetteredMessagesTo, requiresDuplicateDetection } = description;
  const wanted = [
    forwardTo !== undefined && 'forwardTo',
    forwardDeadLetteredMessagesTo !== undefined && 'forwardDeadLetteredMessagesTo',
    requiresDuplicateDetection && 'requiresDuplicateDetection',
  ].find((property) => property !== false);
  if (wanted === undefined) return;
  throw failure('not-implemented', name, `${wanted} is not there yet; remove it from queue '${name}'.`);
}

/** Throws not-allowed for what is fixed when a queue is created. */
export function checkQueueUpdate(before: QueueDescription, after: QueueDescription): void {
  for (const fixed of ['requiresSession', 'requiresDuplicateDetection', 'enablePartitioning'] as const) {
    if (before[fixed] === after[fixed]) continue;
    const text = `${fixed} of queue '${before.name}' is ${before[fixed]} and cannot be changed.`;
    throw failure('not-allowed', before.name, text);
  }
}

export function isSameDescription(a: QueueDescription, b: QueueDescription): boolean {
  const names = Object.keys({ ...a, ...b }) as (keyof QueueDescription)[];
  return names.every((name) => a[name] === b[name]);
}

function failure(reason: ErrorReason, queueName: string, text: string): ServiceBusError {
  return new ServiceBusError(reason, text, queueName);
}
