// Loads a package that people install beside Jitney if they want what it does.

import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Loads the package from where Jitney is installed, or from the folder in which the command runs: `npx` and a global installation
 * lie elsewhere. Undefined if it is in neither; throws what the package throws.
 */
export function loadOptional(name: string): unknown {
  for (const place of [import.meta.url, join(process.cwd(), 'package.json')]) {
    const load = createRequire(place);
    if (isThere(load, name)) return load(name);
  }
  return undefined;
}

function isThere({ resolve }: NodeJS.Require, name: string): boolean {
  try {
    resolve(name);
    return true;
  } catch {
    return false;
  }
}
