// How a program of this machine reaches a running emulator, in the one form that every official SDK knows as an emulator's.

import { ROOT_RULE } from '../broker/entity/authorization-rule.js';
import type { GivenPolicy } from './options.js';

/** The name a client on this machine best uses for an address that was listened on. */
export function clientHost(host: string): string {
  if (/^(localhost|0\.0\.0\.0|::|127\.0\.0\.1)$/i.test(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** Of the namespace's policies the first that may do everything, or else the first; the root rule where there are none. */
export function clientPolicy(policies: readonly GivenPolicy[] = []): GivenPolicy {
  return policies.find(({ rights }) => rights.includes('Manage')) ?? policies[0] ?? ROOT_RULE;
}

export function formatConnectionString(
  host: string,
  port: number,
  policies?: readonly GivenPolicy[],
): string {
  const { keyName, primaryKey } = clientPolicy(policies);
  return (
    `Endpoint=sb://${clientHost(host)}:${port};SharedAccessKeyName=${keyName};` +
    `SharedAccessKey=${primaryKey};UseDevelopmentEmulator=true;`
  );
}
