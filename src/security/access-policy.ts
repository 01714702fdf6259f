// Access policies and their keys. The namespace has policies, which an option sets, and each queue and topic has its own.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { Command } from '../broker/contract/command.js';
import {
  ACCESS_RIGHTS,
  type AccessRight,
  type AuthorizationRule,
} from '../broker/contract/entities/authorization-rule.js';
import { nameKey } from '../broker/contract/entities/entity-path.js';
import type { Result } from '../broker/contract/result.js';

/** The parts of an authorization rule that checks need. */
export type AccessPolicy = Pick<AuthorizationRule, 'keyName' | 'rights' | 'primaryKey'> & {
  readonly secondaryKey?: string;
};

/** Reads the policies of a queue or topic; none if it does not exist. */
export type EntityPolicies = (entityName: string) => Promise<readonly AccessPolicy[]>;

const NO_POLICIES: readonly AccessPolicy[] = [];

export function findPolicy(policies: readonly AccessPolicy[], keyName: string): AccessPolicy | undefined {
  return policies.find((policy) => nameKey(policy.keyName) === nameKey(keyName));
}

/** The rights of a policy; Manage includes Send and Listen. */
export function rightsOf({ rights }: AccessPolicy): readonly AccessRight[] {
  return rights.includes('Manage') ? ACCESS_RIGHTS : rights;
}

/** Reads the policies again for each token, so that a changed policy applies from the next one on. */
export function entityPolicyReader(ask: (command: Command) => Promise<Result>): EntityPolicies {
  return async (entityName) => {
    if (entityName === '') return NO_POLICIES;
    const found = await ask({ kind: 'get-entity', entityPath: entityName });
    if (found.kind !== 'entity-info' || found.entity.type === 'subscription') return NO_POLICIES;
    return found.entity.description.authorizationRules;
  };
}

/** Whether one of the two keys matches. An empty key never matches. */
export function hasKey(
  { primaryKey, secondaryKey = '' }: AccessPolicy,
  matches: (key: string) => boolean,
): boolean {
  return [primaryKey, secondaryKey].some((key) => key !== '' && matches(key));
}

/** Compares digests in constant time, so that the duration reveals nothing about the secrets. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digestOf(given), digestOf(expected));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
