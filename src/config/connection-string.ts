// The connection string of a running emulator, in the one form that every official SDK knows as an emulator's.

import type { GivenPolicy } from './options.js';

/** The name a client on this machine best uses for an address that was listened on. */
export function clientHost(host: string): string {
  if (/^(localhost|0\.0\.0\.0|::|127\.0\.0\.1)$/i.test(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

/** The official emulator's, which is no secret. */
const EVERYBODYS: Policy = {
  keyName: 'RootManageSharedAccessKey',
  rights: ['Manage'],
  primaryKey: 'SAS_KEY_VALUE',
};

type Policy = Pick<GivenPolicy, 'keyName' | 'rights' | 'primaryKey'>;

/** With the first of the namespace's policies that may do everything, or else with the first. */
export function formatConnectionString(
  host: string,
  port: number,
  policies: readonly Policy[] = [EVERYBODYS],
): string {
  const policy = policies.find(({ rights }) => rights.includes('Manage')) ?? policies[0] ?? EVERYBODYS;
  return (
    `Endpoint=sb://${clientHost(host)}:${port};SharedAccessKeyName=${policy.keyName};` +
    `SharedAccessKey=${policy.primaryKey};UseDevelopmentEmulator=true;`
  );
}
