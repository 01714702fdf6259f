// The files of this package beside its code. They are found by their place: Node takes milliseconds to resolve a package from within it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** This file is two folders deep in the package, and so is the file of `dist` that it becomes a part of. */
const PACKAGE = join(import.meta.dirname, '../..');

let version: string | undefined;

export function packageFile(name: string): string {
  return join(PACKAGE, name);
}

export function ownVersion(): string {
  version ??= String(JSON.parse(readFileSync(packageFile('package.json'), 'utf8')).version);
  return version;
}
