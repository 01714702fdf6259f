// `npm run names`: puts other names in place of those under which the project is published, or prints where they stand.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Names, placesOf, problemsOf, renamed, type TextFile } from './names.js';
import { PROJECT, readProjectFiles } from './project-files.js';

const USAGE = `npm run names -- --owner <name>                   the owner of the repository and of the image
npm run names -- --repository <owner/name>        both, if they differ
npm run names -- --image <registry/owner/name>    the image
npm run names -- --check                          prints where each name stands, and changes nothing`;
/** Where the names are listed; the command changes it with the other files. */
const LIST = 'tools/publish/names.json';

const { values } = parseArgs({
  options: {
    owner: { type: 'string' },
    repository: { type: 'string' },
    image: { type: 'string' },
    check: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const { owner, repository, image, check } = values;
const present: Names = JSON.parse(readFileSync(join(PROJECT, LIST), 'utf8'));
if (check) printPlaces();
else if (values.help || (owner ?? repository ?? image) === undefined) console.log(USAGE);
else replace();

function printPlaces(): void {
  for (const { path, line, name } of placesOf(present, readProjectFiles()))
    console.log(`${path}:${line}  ${name}`);
}

function replace(): void {
  const wanted: Names = {
    repository: repository ?? withOwner(present.repository, owner),
    image: image ?? withOwner(present.image, owner?.toLowerCase()),
  };
  const files = readProjectFiles();
  const problems = [...problemsOf(wanted), ...takenNames(wanted, files)];
  if (problems.length > 0) {
    console.error(`Nothing was changed.\n${problems.join('\n')}`);
    process.exitCode = 1;
    return;
  }
  const changed = renamed(files, present, wanted);
  for (const { path, text } of changed) {
    writeFileSync(join(PROJECT, path), text);
    console.log(`changed ${path}`);
  }
  console.log(
    `The repository is ${wanted.repository}, the image ${wanted.image}: ${changed.length} files changed.`,
  );
}

/** A new name that stands somewhere already could not be told from what the command writes, and could never be replaced again. */
function takenNames(wanted: Names, files: readonly TextFile[]): string[] {
  const known = Object.values(present);
  return placesOf(wanted, files)
    .filter(({ name }) => !known.includes(name))
    .map(
      ({ path, line, name }) =>
        `${name} stands in ${path}:${line} already. Choose another name, or remove it there.`,
    );
}

/** The same name with another owner, the part before the last one. */
function withOwner(name: string, owner: string | undefined): string {
  return owner === undefined ? name : name.replace(/[^/]+(?=\/[^/]+$)/, owner);
}
