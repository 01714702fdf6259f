// Every regular expression goes through a text once: what a client writes may be long, and made to keep one busy.

import { transformSync } from 'esbuild';
import { parseAst } from 'rollup/parseAst';
import { expect, test } from 'vitest';
import { SECRET_TEXT } from '../src/codec/frame-text.js';
import { SECRETS } from '../src/watch/hidden-secrets.js';
import { readSourceFiles } from './support/source-file.js';

/** An expression that begins anew at each character of a run takes 2 s of the processor and more; one that does not, milliseconds. */
const LENGTH = 50_000;
const LIMIT_MS = 1000;
/** Characters that classes such as `\s` and `[^/]` take. */
const USUAL = [...' 1aA/.-:'];

/** The literals of all files, and those that are put together of parts. */
const expressions = new Map<string, RegExp>([
  ['that hides secrets in records', SECRETS],
  ['that hides secrets in frames', SECRET_TEXT],
]);
for (const { path, lines } of readSourceFiles()) {
  const { code: script } = transformSync(lines.join('\n'), {
    loader: path.endsWith('x') ? 'tsx' : 'ts',
    jsx: 'automatic',
  });
  for (const { pattern, flags } of literalsIn(parseAst(script))) {
    expressions.set(`/${pattern}/${flags} in ${path}`, new RegExp(pattern, flags));
  }
}

test('the regular expressions of the sources are found', () => {
  expect(expressions.size).toBeGreaterThan(200);
});

test.each([...expressions].filter(([, { source }]) => hasRepetition(source)))(
  'the expression %s goes through runs of what it looks for once',
  (_, expression) => {
    const before = process.cpuUsage();
    for (const text of runsFor(expression.source)) {
      text.replace(expression, '');
      expect(process.cpuUsage(before).user / 1000).toBeLessThan(LIMIT_MS);
    }
  },
);

type Literal = { readonly pattern: string; readonly flags: string };

function literalsIn(node: unknown): Literal[] {
  if (typeof node !== 'object' || node === null) return [];
  if ('regex' in node) return [node.regex as Literal];
  return Object.values(node).flatMap(literalsIn);
}

function hasRepetition(source: string): boolean {
  return /[*+]|,\}/.test(source.replace(/\\./g, ''));
}

/** Long runs of the words and characters of an expression, alone, in turns, and behind a word; none of them ends as it may want. */
function* runsFor(source: string): Generator<string> {
  const plain = source.replaceAll('\\/', '/').replace(/\(\?(?:[:=!]|<[=!]|<\w+>)/g, '(');
  const words = [...new Set(plain.match(/[\w/%<:="' -]+/g))].slice(0, 8);
  const characters = [...new Set([...USUAL, ...words.flatMap((word) => word.slice(0, 2).split(''))])];
  const units = [
    ...characters,
    ...words,
    ...words.flatMap((word) => characters.map((character) => word + character)),
  ];
  for (const unit of units) yield run(unit);
  for (const word of words.slice(0, 2)) {
    for (const character of characters) yield word + run(character);
  }
}

function run(unit: string): string {
  return `${unit.repeat(LENGTH / unit.length)}\0`;
}
