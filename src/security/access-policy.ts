// The policies that keys belong to: those of the namespace, which whoever runs the emulator chooses, and those of each queue and topic.

import type { Command } from '../broker/command.js';
import {
  ACCESS_RIGHTS,
  type AccessRight,
  type AuthorizationRule,
} from '../broker/entity/authorization-rule.js';
import { nameKey } from '../broker/entity/entity-path.js';
import type { Result } from '../broker/result.js';

/** What is asked of a rule of authorization. */
export type AccessPolicy = Pick<AuthorizationRule, 'keyName' | 'rights' | 'primaryKey'> & {
  readonly secondaryKey?: string;
};

/** The policies of the queue or topic of this name; none when there is no such entity. */
export type EntityPolicies = (entityName: string) => Promise<readonly AccessPolicy[]>;

const NO_POLICIES: readonly AccessPolicy[] = [];

export function findPolicy(policies: readonly AccessPolicy[], keyName: string): AccessPolicy | undefined {
  return policies.find((policy) => nameKey(policy.keyName) === nameKey(keyName));
}

/** Who may manage may also send and listen. */
export function rightsOf({ rights }: AccessPolicy): readonly AccessRight[] {
  return rights.includes('Manage') ? ACCESS_RIGHTS : rights;
}

/** Asked anew for each token: a policy that is changed counts from the next one on. */
export function askedEntityPolicies(ask: (command: Command) => Promise<Result>): EntityPolicies {
  return async (entityName) => {
    if (entityName === '') return NO_POLICIES;
    const queue = await ask({ kind: 'get-queue-info', name: entityName });
    if (queue.kind === 'queue-info') return queue.queue.description.authorizationRules;
    const topic = await ask({ kind: 'get-topic-info', name: entityName });
    return topic.kind === 'topic-info' ? topic.topic.description.authorizationRules : NO_POLICIES;
  };
}
