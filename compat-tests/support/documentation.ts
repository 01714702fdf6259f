// The pages that a user or a contributor reads: those at the root, in `docs` and of the examples, each with its code blocks.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type MarkdownBlock, markdownBlocks } from './markdown-blocks.js';

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

export type Page = {
  /** From the project's folder, such as `docs/testing.md`. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly MarkdownBlock[];
};

const AT_THE_ROOT = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];

/** The README first. */
export async function readPages(): Promise<Page[]> {
  const pagesIn = async (folder: string) => {
    const files = (await readdir(join(PROJECT, folder))).filter((file) => file.endsWith('.md'));
    return files.sort().map((file) => `${folder}/${file}`);
  };
  const paths = [
    ...AT_THE_ROOT,
    ...(await pagesIn('docs')),
    ...(await pagesIn('docs/decisions')),
    'examples/README.md',
  ];
  return Promise.all(
    paths.map(async (path) => {
      const text = await readFile(join(PROJECT, path), 'utf8');
      return { path, text, blocks: markdownBlocks(text) };
    }),
  );
}
