// The two generations of @azure/service-bus that samples run on.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Sdk = keyof typeof PACKAGES;

/** Where they are among our packages. */
const PACKAGES = { stable: '@azure/service-bus', preview: 'service-bus-beta' } as const;

export const SDKS = Object.keys(PACKAGES) as readonly Sdk[];
export const OUR_PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url));

export function folderOf(sdk: Sdk): string {
  return join(OUR_PACKAGES, PACKAGES[sdk]);
}

export function versionOf(sdk: Sdk): string {
  const { version } = JSON.parse(readFileSync(join(folderOf(sdk), 'package.json'), 'utf8'));
  return String(version);
}
