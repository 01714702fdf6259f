// The programs of the benchmark as plain JavaScript: made by the same compiler as the product, so that no loader slows one of them.

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type ProgramName =
  | 'bare-broker'
  | 'bare-listener'
  | 'null-broker'
  | 'plain-client'
  | 'recorded-broker'
  | 'sdk-client'
  | 'stock-rhea'
  | 'topic-client'
  | 'usage-probe'
  | 'way-in-client';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Everything the benchmark writes: built programs and the data of the brokers, on the disk the project is on. */
export const SCRATCH = join(ROOT, 'node_modules/.cache/jitney-bench');

export const JITNEY = join(ROOT, 'dist/cli/main.js');

export function programPath(name: ProgramName): string {
  return join(SCRATCH, 'tools/bench/programs', `${name}.js`);
}

export function buildPrograms(): void {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', join(ROOT, 'tools/bench')], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the programs of the benchmark do not compile:\n${stdout}`);
  mkdirSync(SCRATCH, { recursive: true });
  writeFileSync(join(SCRATCH, 'package.json'), '{ "type": "module" }\n');
}
