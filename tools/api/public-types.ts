// The public types of all entries as text: the built declarations without comments, sorted, so that a change of what users compile against
// is seen as a change of one file.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Statement } from '@typescript/typescript6';

// A CommonJS package of 9 MB whose names Node's loader of ES modules would have to look for.
const ts: typeof import('@typescript/typescript6') = createRequire(import.meta.url)(
  '@typescript/typescript6',
);
const DIST = new URL('../../dist/', import.meta.url);
export const ACCEPTED = fileURLToPath(new URL('public-types.txt', import.meta.url));
/** Each import path with its declarations. Those with two files have the same in both, for `import` and `require`. */
const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  jitney: ['emulator.d.ts', 'emulator.d.cts'],
  'jitney/vitest': ['vitest.d.ts', 'vitest.d.cts'],
  'jitney/jest': ['jest.d.cts'],
  'jitney/testing': ['testing.d.cts'],
  'jitney/global-setup': ['global-setup.d.cts'],
  'jitney/testcontainers': ['testcontainers.d.cts'],
};
const HEADING = /^# (.*)$/m;
const TITLE = 'What users of the package compile against. Written by `npm run api -- --accept`.\n';

/** Reads `dist`. A declaration is a paragraph, below the heading of its entry. */
export async function publicTypes(): Promise<string> {
  const entries = Object.entries(ENTRIES).map(async ([entry, files]) => {
    const texts = await Promise.all(files.map(declarationsOf));
    const [first = '', second = first] = texts;
    if (first !== second) throw new Error(`${files.join(' and ')} declare different types`);
    return `\n# ${entry}\n\n${first}`;
  });
  return TITLE + (await Promise.all(entries)).join('');
}

/** Says for each declaration that differs what has come and what has gone. */
export function differencesOf(before: string, after: string): string[] {
  const [old, own] = [paragraphsOf(before), paragraphsOf(after)];
  const headings = [...new Set([...old.keys(), ...own.keys()])].sort();
  return headings.flatMap((heading) => {
    const [oldLines, ownLines] = [old.get(heading) ?? [], own.get(heading) ?? []];
    if (oldLines.join('\n') === ownLines.join('\n')) return [];
    const gone = oldLines.filter((line) => !ownLines.includes(line)).map((line) => `- ${line}`);
    const come = ownLines.filter((line) => !oldLines.includes(line)).map((line) => `+ ${line}`);
    const lines = gone.length + come.length === 0 ? ['  the order of its lines'] : [...gone, ...come];
    return [`${heading}\n${lines.join('\n')}`];
  });
}

async function declarationsOf(file: string): Promise<string> {
  const text = await readFile(new URL(file, DIST), 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false);
  const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed });
  const printed = source.statements.map((statement: Statement) =>
    printer.printNode(ts.EmitHint.Unspecified, statement, source).replace(/\.cjs(?=['"];$)/, '.js'),
  );
  return printed
    .sort()
    .map((one) => `${one}\n\n`)
    .join('')
    .trimEnd()
    .concat('\n');
}

/** By entry and first line, without the brace that opens a body. Overloads share their first words and become one. */
function paragraphsOf(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  let entry = '';
  for (const paragraph of text.trim().split('\n\n')) {
    const title = HEADING.exec(paragraph)?.[1];
    if (title !== undefined) entry = title;
    const name = /^(?:export |declare )*(?:\w+) (?:\{|\w+)/.exec(paragraph)?.[0].replace(/ \{$/, '') ?? '';
    const heading = `${entry}: ${name}`;
    found.set(heading, [...(found.get(heading) ?? []), ...paragraph.split('\n')]);
  }
  return found;
}
