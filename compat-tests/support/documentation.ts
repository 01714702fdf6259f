// The pages that a user reads: the README, `docs` and the page of the examples, each with its code blocks.

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

/** The README first. */
export async function readPages(): Promise<Page[]> {
  const files = (await readdir(join(PROJECT, 'docs'))).filter((file) => file.endsWith('.md')).sort();
  const paths = ['README.md', ...files.map((file) => `docs/${file}`), 'examples/README.md'];
  return Promise.all(
    paths.map(async (path) => {
      const text = await readFile(join(PROJECT, path), 'utf8');
      return { path, text, blocks: markdownBlocks(text) };
    }),
  );
}
