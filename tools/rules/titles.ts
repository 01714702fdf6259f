// Which rules the tests of a file name, as far as can be told without running them: by titles, and by data titles are made of.

import { posix } from 'node:path';
import { MaskedSource } from './masked-source.js';
import { listTestFiles, listTestSources, type ProjectFiles } from './project-files.js';
import { idsOfTitle, isRuleId } from './rule-ids.js';

const IMPORTED = /\bfrom '(\.[^']+)\.js'/g;

/** Each test file with the numbers in it and in the files it imports, for tests may be shared. */
export function readTitles(project: ProjectFiles): Map<string, ReadonlySet<string>> {
  const shared = new Set(listTestSources(project));
  const reach = (path: string, found: Set<string>): Set<string> => {
    if (!shared.has(path) || found.has(path)) return found;
    found.add(path);
    for (const [, specifier = ''] of project.read(path).matchAll(IMPORTED)) {
      reach(`${posix.join(posix.dirname(path), specifier)}.ts`, found);
    }
    return found;
  };
  return new Map(
    listTestFiles(project).map((path) => {
      const files = [...reach(path, new Set())];
      return [path, new Set(files.flatMap((file) => idsInTitles(project.read(file))))];
    }),
  );
}

function idsInTitles(text: string): string[] {
  return new MaskedSource(text).literals.flatMap(({ start, end }) => {
    const literal = text.slice(start + 1, end - 1);
    return isRuleId(literal) ? [literal] : idsOfTitle(literal).filter(isRuleId);
  });
}
