// How often a message was delivered, in words that do not contradict each other: a count of failed deliveries is 0 while the first is under
// way, and stays 0 if the first one is dead-lettered.

import { numberText } from './format.js';

export type Delivered = {
  readonly state: string;
  /** Deliveries that have ended without success. */
  readonly deliveryCount: number;
  readonly reason?: string | undefined;
  /** Missing if nobody held the message when it became a dead letter. */
  readonly lastHolder?: string | undefined;
  /** Missing for a message that is no dead letter. */
  readonly deadLetteredTime?: string | undefined;
};

/** The one reason for which the last delivery is counted as a failed one before the message becomes a dead letter. */
const COUNTED = 'MaxDeliveryCountExceeded';

/** The delivery in which it became a dead letter, or is held now; undefined for one that is in no delivery. */
export function deliveryNumber({
  state,
  deliveryCount,
  reason,
  lastHolder,
  ...of
}: Delivered): number | undefined {
  if (of.deadLetteredTime === undefined) return state === 'locked' ? deliveryCount + 1 : undefined;
  return lastHolder === undefined || reason === COUNTED ? undefined : deliveryCount + 1;
}

/** `3 of 10`; of a dead letter `on the 1st`. */
export function deliveriesText(delivered: Delivered, max: number | undefined): string {
  const number = deliveryNumber(delivered);
  if (number !== undefined && delivered.deadLetteredTime !== undefined) return `on the ${ordinal(number)}`;
  const count = numberText(number ?? delivered.deliveryCount);
  return max === undefined ? count : `${count} of ${numberText(max)}`;
}

/** `1st`, `2nd`, `11th` */
export function ordinal(number: number): string {
  const isTeen = number % 100 >= 11 && number % 100 <= 13;
  const end = isTeen ? undefined : ['th', 'st', 'nd', 'rd'][number % 10];
  return `${numberText(number)}${end ?? 'th'}`;
}
