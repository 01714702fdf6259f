// Finds the sample programs in a checkout or a copy of the SDK's `samples/v7`.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

export type SampleFile = {
  /** As in our table: path below `javascript` or `typescript/src`, without its ending. */
  readonly name: string;
  readonly ending: '.js' | '.ts';
  readonly path: string;
};

const PROGRAM = /^(?<name>.+?)(?<!\.d)(?<ending>\.js|\.ts)$/;
const NO_SAMPLES_IN = new Set(['node_modules', 'dist']);

/** Takes `samples/v7`, its `javascript` or `typescript`, or the folder with the programs itself. */
export function findSamples(folder: string): SampleFile[] {
  const parts = [join(folder, 'javascript'), join(folder, 'typescript', 'src'), join(folder, 'src')];
  const roots = parts.filter((part) => existsSync(part));
  return (roots.length > 0 ? roots : [folder]).flatMap((root) => programsBelow(root));
}

export function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

function programsBelow(root: string): SampleFile[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .flatMap((path) => {
      const steps = relative(root, path).split(sep);
      const program = PROGRAM.exec(steps.join('/'))?.groups;
      const ending = program?.ending;
      if (program?.name === undefined || (ending !== '.js' && ending !== '.ts')) {
        return [];
      }
      return steps.some((step) => NO_SAMPLES_IN.has(step)) ? [] : [{ name: program.name, ending, path }];
    });
}
