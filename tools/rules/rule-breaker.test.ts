// A made-up project is broken: of its rules two are held, and the others each lack something.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IS_THOROUGH } from '../../test/support/thorough.js';
import { findGaps } from './gaps.js';
import { type Judgement, tellJudgement } from './judgement.js';
import { parseRules } from './parse-rules.js';
import { ProjectCopy } from './project-copy.js';
import { PROJECT, projectAt } from './project-files.js';
import { RuleBreaker } from './rule-breaker.js';

const BOOK = parseRules(`
| Rule | What holds | Source |
|---|---|---|
| AAA-01 | Nobody takes more than there is. | held |
| AAA-02 | What is left is told. | its test notices nothing |
| AAA-03 | A stock is a number. | no code obeys it |
| AAA-04 | Taking nothing is allowed. | no test |
| AAA-05 | A stock cannot be borrowed. | no line |
| M91 | What is taken is gone. | AAA-01, AAA-02 |
`);

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "type": "module" }',
  'vitest.config.ts': 'export default {};',
  'src/stock.ts': `// Takes from a stock.

// AAA-03
export type Stock = number;

export function take(stock: Stock, count: number): Stock {
  if (count === 0) return stock; // AAA-04
  if (count > stock) return 0; // AAA-01
  return stock - count; // AAA-02
}
`,
  'test/stock.test.ts': `import { expect, it } from 'vitest';
import { take } from '../src/stock.js';
import { testBorrowing } from './borrowing.js';
it('gives no more than there is [AAA-01]', () => { expect(take(1, 2)).toBe(0); });
it('tells what is left [AAA-02]', () => { take(5, 2); });
it('is taken away [M91]', () => { expect(take(5, 2)).toBe(3); });
it('is a number [AAA-03]', () => { expect(take(5, 2)).toBe(3); });
testBorrowing();
`,
  'test/borrowing.ts': `import { expect, it } from 'vitest';
import { take } from '../src/stock.js';
export function testBorrowing(): void {
  it('is not borrowed [AAA-05]', () => { expect(take(5, 2)).toBe(3); });
}
`,
  'compat-tests/read-me.txt': '',
};

/** Each needs runs of vitest, one for each break. */
const ONLY_THOROUGH = ['AAA-02', 'M91'];
const JUDGED = BOOK.rules.filter(({ id }) => IS_THOROUGH || !ONLY_THOROUGH.includes(id));

let directory = '';
let copy: ProjectCopy;
const judgements = new Map<string, Judgement>();

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'made-up-'));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  symlinkSync(join(PROJECT.directory, 'node_modules'), join(directory, 'node_modules'));
  copy = new ProjectCopy(directory);
  const breaker = new RuleBreaker(copy, { mostBreaks: 2, seed: 1 });
  await breaker.prepare(JUDGED);
  for (const rule of JUDGED) judgements.set(rule.id, await breaker.judge(rule));
}, 60_000);

afterAll(() => {
  copy.remove();
  rmSync(directory, { recursive: true });
});

function told(id: string): string {
  const judgement = judgements.get(id);
  return judgement === undefined ? 'was not judged' : tellJudgement(judgement);
}

describe('a rule', () => {
  it('is held when the test that names it notices broken code', () => {
    expect(told('AAA-01')).toMatch(
      /^is held: src\/stock\.ts:8, .+ is noticed by "gives no more than there is \[AAA-01\]" \(test\/stock\.test\.ts\)$/,
    );
  });

  it.runIf(IS_THOROUGH)('that no line cites is broken where the rules are that it follows from', () => {
    expect(told('M91')).toMatch(/^is held: src\/stock\.ts:[89], /);
  });

  it.runIf(IS_THOROUGH)('is not held when no break is noticed', () => {
    expect(told('AAA-02')).toBe('IS NOT HELD: none of 2 breaks of src/stock.ts:9 was noticed');
  });

  it('is not held when it is cited where nothing can be broken', () => {
    expect(told('AAA-03')).toBe('IS NOT HELD: there is nothing to break at src/stock.ts:3');
  });

  it('is not held without a test', () => {
    expect(told('AAA-04')).toBe('IS NOT HELD: no test that passes names it');
  });

  it('is not held without a line that cites it', () => {
    expect(told('AAA-05')).toBe('IS NOT HELD: no line of the source cites it');
  });
});

it('the copy is mended after each break', () => {
  expect(copy.read('src/stock.ts')).toBe(FILES['src/stock.ts']);
});

it('rules without a test or a line are found without running anything', () => {
  const { untested, uncited } = findGaps(projectAt(directory), BOOK);
  expect(untested.map(({ id }) => id)).toEqual(['AAA-04']);
  expect(uncited.map(({ id }) => id)).toEqual(['AAA-05']);
});
