// The rule that an exported name means one thing in all of the source, so that a search for it finds one declaration.

import type { SourceFile } from './source-file.js';

const EXPORTED = /^export (?:abstract |async )?(?:class|const|function\*?|interface|let|type) (\w+)/gm;

/** Exports that EXPORTED does not see; the package entry alone may list names. */
const UNSEEN = /^export (?:type )?(?:\{(?![^}]*\} from)|declare\b|const [{[])/m;

export function findUnseenExports({ path, code }: SourceFile): string[] {
  return path !== 'emulator.ts' && UNSEEN.test(code) ? [`${path} has an export without a declared name`] : [];
}

/** The entries for test frameworks have the same names for the same, and a test loads one of them. */
const OF_ONE_FRAMEWORK = /^testing\/(?:jest|other-runners|vitest)\.ts$/;

/** A type and a value of one file may share a name; a name that is exported again is not another. The page is a program of its own. */
export function findSharedNames(files: readonly SourceFile[]): string[] {
  const isOfPage = ({ path }: SourceFile) => path.startsWith('dashboard/');
  return [
    ...namesInTwo(files.filter(isOfPage)),
    ...namesInTwo(files.filter((file) => !isOfPage(file) && !OF_ONE_FRAMEWORK.test(file.path))),
  ];
}

function namesInTwo(files: readonly SourceFile[]): string[] {
  const pathsOf = new Map<string, Set<string>>();
  for (const { path, code } of files) {
    for (const [, name = ''] of code.matchAll(EXPORTED)) {
      pathsOf.set(name, (pathsOf.get(name) ?? new Set()).add(path));
    }
  }
  return [...pathsOf]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `${name} is exported by ${[...paths].toSorted().join(' and ')}`);
}
