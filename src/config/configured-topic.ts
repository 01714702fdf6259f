// A topic with its subscriptions and their rules, as a user has asked for them: complete and checked.

import type { SubscriptionDescription, TopicDescription } from '../broker/entity/topic-description.js';
import type { RuleDescription } from '../broker/rules/rule-description.js';
import { shown, ValueError } from '../description/value-error.js';
import type { GivenTopic } from './options.js';

export type ConfiguredTopic = {
  readonly description: TopicDescription;
  readonly subscriptions: readonly ConfiguredSubscription[];
};

export type ConfiguredSubscription = {
  readonly description: SubscriptionDescription;
  /** Undefined: nothing is said about them. A new subscription then has `$Default` (TOP-02), one that exists what it has. */
  readonly rules: readonly RuleDescription[] | undefined;
};

/** As a program would give it. */
export function givenTopicOf({ description, subscriptions }: ConfiguredTopic): GivenTopic {
  return {
    ...description,
    subscriptions: subscriptions.map(({ description, rules }) => ({
      ...description,
      ...(rules === undefined ? {} : { rules }),
    })),
  };
}

/** ENT-02: names that differ only in case are one name. Throws a ValueError. */
export function refuseRepeatedNames(what: string, names: readonly string[]): void {
  const repeated = names.find((name, index) => indexOfName(name, names) < index);
  if (repeated !== undefined) throw new ValueError(`${what} ${shown(repeated)} is given twice`);
}

/** ENT-02, TOP-11: in whatever case; -1 when it is not there. */
export function indexOfName(name: string, names: readonly string[]): number {
  return names.findIndex((one) => one.toLowerCase() === name.toLowerCase());
}
