// Checks the names of queues, topics, subscriptions and rules (ENT-01).

import { isSubscriptionPath } from '../broker/contract/entities/entity-path.js';
import {
  INNER_NAME_PATTERN,
  MAX_NAME_LENGTH,
  NAME_PATTERN,
} from '../broker/contract/entities/queue-description.js';
import { isInLimits, parseSubscriberName } from '../broker/contract/entities/subscriber.js';
import { shown, ValueError } from './value-error.js';

export const MAX_INNER_NAME_LENGTH = 50;
const INNER_NAME_RULE = 'must hold only A-Z, a-z, 0-9, "-", "_", "." and "~", and not only dots';

/** Returns the name of a queue or a topic. The name of a queue may have the form of a subscription's path. Throws a ValueError. */
export function checkEntityName(name: string): string {
  refuseLongName(name, MAX_NAME_LENGTH);
  if (!NAME_PATTERN.test(name)) {
    throw new ValueError(
      'must hold only A-Z, a-z, 0-9, "-", "_", ".", "~" and "/", with no part that is empty or has only dots, ' +
        `not ${shown(name)}`,
    );
  }
  return name;
}

/** Returns the name of a topic. Throws a ValueError. */
export function checkTopicName(name: string): string {
  if (!isSubscriptionPath(name)) return checkEntityName(name);
  throw new ValueError(
    `must be a name without "/Subscriptions/", by which subscriptions are addressed, not ${shown(name)}`,
  );
}

/** Returns the name of a subscription, which may be a durable one of a JMS program (JMS-17). Throws a ValueError. */
export function checkSubscriptionName(name: string): string {
  const subscriber = parseSubscriberName(name);
  if (subscriber?.isDurable === true && isInLimits(subscriber)) return name;
  refuseLongName(name, MAX_INNER_NAME_LENGTH);
  if (!INNER_NAME_PATTERN.test(name)) throw new ValueError(`${INNER_NAME_RULE}, not ${shown(name)}`);
  return name;
}

/** Returns the name of a rule. Throws a ValueError. */
export function checkRuleName(name: string): string {
  refuseLongName(name, MAX_INNER_NAME_LENGTH);
  if (INNER_NAME_PATTERN.test(name) || /^\$Default$/i.test(name)) return name;
  throw new ValueError(`${INNER_NAME_RULE}, or $Default, not ${shown(name)}`);
}

function refuseLongName(name: string, longest: number): void {
  if (name.length <= longest) return;
  throw new ValueError(`must have at most ${longest} characters, but it has ${name.length}`);
}

/** Checks a name that a program gives, which may be any value. Throws a ValueError. */
export function readName(name: unknown, check: (name: string) => string): string {
  if (typeof name !== 'string') throw new ValueError(`must be a text, not ${shown(name)}`);
  return check(name);
}
