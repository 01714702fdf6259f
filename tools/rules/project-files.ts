// The files of the project: where it is, and which of them are sources and which are tests.

import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, resolve, sep } from 'node:path';

export type ProjectFiles = {
  readonly directory: string;
  /** A file by its path from the project on, with slashes. */
  read(path: string): string;
};

export const PROJECT = projectAt(resolve(import.meta.dirname, '../..'));

const TEST_FOLDERS = ['test', 'compat-tests'];

export function projectAt(directory: string): ProjectFiles {
  return { directory, read: (path) => readFileSync(join(directory, path), 'utf8') };
}

export function listTestFiles(project: ProjectFiles): string[] {
  return listTestSources(project).filter((path) => path.endsWith('.test.ts'));
}

/** Test files and what they share. */
export function listTestSources(project: ProjectFiles): string[] {
  return TEST_FOLDERS.flatMap((folder) => list(project, folder)).filter((path) => path.endsWith('.ts'));
}

export function listSourceFiles(project: ProjectFiles): string[] {
  return list(project, 'src').filter((path) => path.endsWith('.ts') && !/\.(d|test)\.ts$/.test(path));
}

function list({ directory }: ProjectFiles, folder: string): string[] {
  const entries = readdirSync(join(directory, folder), { recursive: true, encoding: 'utf8' });
  return entries.map((entry) => posix.join(folder, ...entry.split(sep))).sort();
}
