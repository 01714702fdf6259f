// The connection string of an emulator for programs on this machine, in the form that every official SDK accepts for emulators.

import { ROOT_RULE } from '../broker/contract/entities/authorization-rule.js';
import { DEFAULT_NAMESPACE, joinKeyName, splitKeyName } from '../description/namespace-name.js';
import type { GivenPolicy } from './given-entities.js';

/** The host name by which clients on this machine reach a listening address. */
export function clientHost(host: string): string {
  if (/^(localhost|0\.0\.0\.0|::|127\.0\.0\.1)$/i.test(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** Whether only programs on this machine reach a listening address. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127\.[\d.]+|::1)$/i.test(host);
}

/** The first policy with the right Manage, or else the first policy; the root rule if there are none. One for a further namespace is left out. */
export function clientPolicy(policies: readonly GivenPolicy[] = []): GivenPolicy {
  const own = policies.filter(({ keyName }) => splitKeyName(keyName).namespace === undefined);
  return own.find(({ rights }) => rights.includes('Manage')) ?? own[0] ?? ROOT_RULE;
}

export function formatConnectionString(
  host: string,
  port: number,
  policies?: readonly GivenPolicy[],
  namespace: string = DEFAULT_NAMESPACE,
): string {
  const { keyName, primaryKey } = clientPolicy(policies);
  return (
    `Endpoint=sb://${clientHost(host)}:${port};SharedAccessKeyName=${joinKeyName(keyName, namespace)};` +
    `SharedAccessKey=${primaryKey};UseDevelopmentEmulator=true;`
  );
}
