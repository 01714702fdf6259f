// The built-in roles of Azure for the data of Service Bus, and the rights they give.

import { ACCESS_RIGHTS, type AccessRight } from '../broker/entity/authorization-rule.js';

export const DATA_OWNER = 'Azure Service Bus Data Owner';
export const DATA_SENDER = 'Azure Service Bus Data Sender';
export const DATA_RECEIVER = 'Azure Service Bus Data Receiver';

const RIGHTS = new Map<string, readonly AccessRight[]>([
  [DATA_OWNER, ACCESS_RIGHTS],
  [DATA_SENDER, ['Send']],
  [DATA_RECEIVER, ['Listen']],
]);

/** Those of all roles together; a role that is not known gives none. */
export function rightsOfRoles(roles: readonly string[]): readonly AccessRight[] {
  return [...new Set(roles.flatMap((role) => RIGHTS.get(role) ?? []))];
}
