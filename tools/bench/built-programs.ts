// The programs of the benchmark as plain JavaScript, so that no loader slows one of them.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export type ProgramName = 'null-broker' | 'plain-client' | 'sdk-client';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Everything the benchmark writes: built programs and the data of the brokers, on the disk the project is on. */
export const SCRATCH = join(ROOT, 'node_modules/.cache/jitney-bench');

export const JITNEY = join(ROOT, 'dist/cli/main.js');

export function programPath(name: ProgramName): string {
  return join(SCRATCH, 'programs', `${name}.mjs`);
}

export async function buildPrograms(): Promise<void> {
  await build({
    entryPoints: [join(ROOT, 'tools/bench/programs/*.ts')],
    outdir: join(SCRATCH, 'programs'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
  });
}
