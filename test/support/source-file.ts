// A source file as the tidy rules look at it: its room, its imports, and its code without what only people read.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, resolve, sep } from 'node:path';

export type Import = { readonly target: string; readonly isTypeOnly: boolean };

export class SourceFile {
  /** From `src` on, with slashes. */
  readonly path: string;
  readonly lines: readonly string[];
  /** Without comments. */
  readonly code: string;
  /** Without comments and the text of strings; what is computed inside of a template is kept. */
  readonly words: string;

  constructor(path: string, text: string) {
    this.path = path;
    this.lines = text.replace(/\n$/, '').split('\n');
    this.code = text.replace(TOKENS, (token) => (token.startsWith('/') ? ' ' : token));
    this.words = text.replace(TOKENS, (token) => {
      if (!token.startsWith('`')) return token.startsWith('/') ? ' ' : "''";
      return Array.from(token.matchAll(/\$\{([^}]*)\}/g), ([, expression]) => ` ${expression} `).join('');
    });
  }

  /** Of its own files as a path from `src` on, of packages as written. */
  get imports(): Import[] {
    return Array.from(this.code.matchAll(IMPORT), ([statement, ...specifiers]) => {
      const specifier = specifiers.find((one) => one !== undefined) ?? '';
      const target = specifier.startsWith('.')
        ? sourceOf(posix.join(posix.dirname(this.path), specifier))
        : specifier;
      return { target, isTypeOnly: /^(import|export) type\b/.test(statement) };
    });
  }
}

const TOKENS = /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g;

/** `import ... from 'x'`, `export ... from 'x'`, `import 'x'` and `import('x')`. */
const IMPORT =
  /\b(?:import|export)\b[^'";()]*?\bfrom\s*'([^']+)'|(?<![':])\bimport\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g;

const SOURCE_DIRECTORY = resolve(import.meta.dirname, '../../src');

/** The file of an import: of the page, one with markup if there is one of that name. */
function sourceOf(path: string): string {
  const withMarkup = path.replace(/\.js$/, '.tsx');
  return existsSync(join(SOURCE_DIRECTORY, withMarkup)) ? withMarkup : path.replace(/\.js$/, '.ts');
}

/** The tests of the page lie beside its files. */
const OF_TESTS = /\.test\.tsx?$|[\\/]testing[\\/]/;

export function readSourceFiles(): SourceFile[] {
  const entries = readdirSync(SOURCE_DIRECTORY, { recursive: true, encoding: 'utf8' });
  return entries
    .filter((entry) => /\.tsx?$/.test(entry) && !OF_TESTS.test(entry))
    .map((entry) => resolve(SOURCE_DIRECTORY, entry))
    .map((file) => {
      const path = relative(SOURCE_DIRECTORY, file).split(sep).join('/');
      return new SourceFile(path, readFileSync(file, 'utf8'));
    });
}
