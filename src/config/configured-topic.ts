// A configured topic with its subscriptions and their rules, complete and checked.

import type {
  SubscriptionDescription,
  TopicDescription,
} from '../broker/contract/entities/topic-description.js';
import type { RuleDescription } from '../broker/contract/rule-description.js';
import {
  type GivenSubscriptionProperties,
  type GivenTopicProperties,
  SUBSCRIPTION_PROPERTIES,
  TOPIC_PROPERTIES,
} from '../description/entity-properties.js';
import { propertiesOf } from '../description/entity-property.js';
import { shown, ValueError } from '../description/value-error.js';
import type { GivenTopic } from './given-entities.js';

export type ConfiguredTopic = {
  readonly description: TopicDescription;
  readonly subscriptions: readonly ConfiguredSubscription[];
};

export type ConfiguredSubscription = {
  readonly description: SubscriptionDescription;
  /** Undefined: not configured. A new subscription then gets `$Default` (TOP-02), and an existing one keeps its rules. */
  readonly rules: readonly RuleDescription[] | undefined;
};

export function givenTopicOf({ description, subscriptions }: ConfiguredTopic): GivenTopic {
  return {
    ...propertiesOf<GivenTopicProperties>(description, TOPIC_PROPERTIES),
    name: description.name,
    subscriptions: subscriptions.map(({ description, rules }) => ({
      ...propertiesOf<GivenSubscriptionProperties>(description, SUBSCRIPTION_PROPERTIES),
      name: description.name,
      ...(rules === undefined ? {} : { rules }),
    })),
  };
}

/** Refuses names that differ at most in case (ENT-02). Throws a ValueError. */
export function refuseRepeatedNames(what: string, names: readonly string[]): void {
  const repeated = names.find((name, index) => indexOfName(name, names) < index);
  if (repeated !== undefined) throw new ValueError(`${what} ${shown(repeated)} is given twice`);
}

/** The first index of each name in lower case, for each list of names that was searched. */
const INDEXES = new WeakMap<readonly string[], ReadonlyMap<string, number>>();

/** The index of a name, in any case (ENT-02, TOP-11); -1 when it is missing. The list must not change: it is searched only once. */
export function indexOfName(name: string, names: readonly string[]): number {
  let index = INDEXES.get(names);
  if (index === undefined) {
    // Reversed, because the last entry of a key counts in a Map and we want the first.
    index = new Map(names.map((one, at) => [one.toLowerCase(), at] as const).reverse());
    INDEXES.set(names, index);
  }
  return index.get(name.toLowerCase()) ?? -1;
}
