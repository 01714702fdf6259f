// The words of each step in a message's history.

import type { IconName } from '../../parts/icon.js';
import { durationText, numberText, spokenPath, timeText } from '../../state/format.js';
import type { PageEvent } from '../../state/page-event.js';

export type Step = {
  readonly icon: IconName;
  readonly title: string;
  readonly text: string;
  readonly isBad?: boolean;
};

const numbered = ({ sequenceNumber = 0 }: PageEvent) => `#${numberText(sequenceNumber)}`;
const held = ({ heldMs = 0 }: PageEvent) => `after ${durationText(heldMs)}`;
const counted = ({ deliveryCount = 0, maxDeliveryCount }: PageEvent) =>
  maxDeliveryCount === undefined ? '' : `, delivery ${deliveryCount} of ${maxDeliveryCount}`;
const sizeAndPlace = (event: PageEvent) =>
  `in ${spokenPath(event.path ?? '')} as ${numbered(event)}, ${numberText(event.sizeBytes ?? 0)} bytes`;
const target = ({ destination = '', newNumber = 0 }: PageEvent) =>
  `to ${spokenPath(destination)} as #${numberText(newNumber)}`;

const STEPS: Readonly<Record<string, (event: PageEvent) => Step>> = {
  accepted: (event) => ({ icon: 'accepted', title: 'Accepted', text: sizeAndPlace(event) }),
  enqueued: (event) => ({ icon: 'accepted', title: 'Enqueued', text: sizeAndPlace(event) }),
  scheduled: (event) => ({
    icon: 'scheduled',
    title: 'Scheduled',
    text: `for ${timeText(event.enqueueAt ?? 0)} as ${numbered(event)}`,
  }),
  activated: (event) => ({ icon: 'active', title: 'Activated', text: `as ${numbered(event)}` }),
  routed: (event) => ({
    icon: 'rule',
    title: 'Routed',
    text: `to ${spokenPath(event.path ?? '')} by rule '${event.rule ?? ''}' as ${numbered(event)}`,
  }),
  unmatched: () => ({
    icon: 'rule',
    title: 'Matched no rule',
    text: 'no subscription took it',
    isBad: true,
  }),
  forwarded: ({ destination = '' }) => ({
    icon: 'forward',
    title: 'Forwarded',
    text: `to ${spokenPath(destination)}`,
  }),
  moved: (event) => ({ icon: 'forward', title: 'Moved', text: target(event) }),
  resubmitted: (event) => ({ icon: 'forward', title: 'Resubmitted', text: target(event) }),
  locked: ({ deliveryCount = 0, lockToken = '' }) => ({
    icon: 'locked',
    title: 'Locked',
    text: `delivery ${deliveryCount + 1}, lock ${lockToken}…`,
  }),
  consumed: () => ({ icon: 'check', title: 'Received and deleted', text: '' }),
  renewed: ({ lockedUntil = 0 }) => ({
    icon: 'locked',
    title: 'Lock renewed',
    text: `until ${timeText(lockedUntil)}`,
  }),
  completed: (event) => ({ icon: 'check', title: 'Completed', text: held(event) }),
  abandoned: (event) => ({
    icon: 'undo',
    title: 'Abandoned',
    text: `${held(event)}${counted(event)}`,
    isBad: true,
  }),
  'lock-expired': (event) => ({
    icon: 'warning',
    title: 'Lock expired',
    text: `${held(event)}${counted(event)}`,
    isBad: true,
  }),
  released: (event) => ({ icon: 'undo', title: 'Released', text: held(event) }),
  deferred: (event) => ({ icon: 'deferred', title: 'Deferred', text: held(event) }),
  'dead-lettered': ({ reason = 'without a reason', description }) => ({
    icon: 'dead',
    title: 'Dead-lettered',
    text: description === undefined ? reason : `${reason}: ${description}`,
    isBad: true,
  }),
  expired: () => ({ icon: 'scheduled', title: 'Expired', text: 'its time to live is over', isBad: true }),
};

/** A step in words. Every kind of event that names a message has one; others show their name. */
export function stepOf(event: PageEvent): Step {
  const words = STEPS[event.kind];
  return words?.(event) ?? { icon: 'info', title: event.kind.replaceAll('-', ' '), text: '' };
}
