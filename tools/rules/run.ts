// `npm run rules`: which rules lack a test or a line that cites them; with `--break N`, whether tests notice broken code.

import { parseArgs } from 'node:util';
import { Random } from '../../test/simulation/random.js';
import { findGaps } from './gaps.js';
import { tellJudgement } from './judgement.js';
import { readRules } from './parse-rules.js';
import { ProjectCopy } from './project-copy.js';
import { PROJECT } from './project-files.js';
import type { Rule, RuleBook } from './rule-book.js';
import { type BreakerOptions, RuleBreaker } from './rule-breaker.js';

const MOST_BREAKS = 20;

const OPTIONS = {
  break: { type: 'string' },
  rule: { type: 'string', multiple: true },
  seed: { type: 'string' },
  breaks: { type: 'string' },
  help: { type: 'boolean' },
} as const;

const USAGE = `npm run rules                   names the rules in force that lack a test, or a line of the source that cites them
npm run rules -- --break 20     draws 20 rules, breaks the code that cites each, and watches the tests that name it
npm run rules -- --break all    does so with all rules in force
  --rule ID     takes this rule; may be repeated
  --seed N      draws and breaks as in the run that told this number
  --breaks N    gives a rule up after so many breaks; ${MOST_BREAKS} if not said`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: OPTIONS });
  const book = readRules();
  if (values.help === true) {
    console.log(USAGE);
  } else if (values.break === undefined && values.rule === undefined) {
    process.exitCode = tellGaps(book) ? 0 : 1;
  } else {
    const seed = wholeNumber(values.seed ?? String(Math.floor(Math.random() * 2 ** 31)), 'seed');
    const mostBreaks = wholeNumber(values.breaks ?? String(MOST_BREAKS), 'breaks');
    const rules =
      values.rule?.map((id) => findInForce(book, id)) ?? draw(book, values.break ?? '', new Random(seed));
    console.log(`seed ${seed}: ${rules.length} of ${book.inForce.length} rules in force`);
    process.exitCode = (await breakRules(rules, book, { seed, mostBreaks })) ? 0 : 1;
  }
}

function tellGaps(book: RuleBook): boolean {
  const { untested, uncited } = findGaps(PROJECT, book);
  const list = (rules: readonly Rule[]) => rules.map(({ id, sentence }) => `\n  ${id}: ${sentence}`).join('');
  console.log(`named by no test: ${untested.length}${list(untested)}`);
  console.log(`cited by no line of the source: ${uncited.length}${list(uncited)}`);
  return untested.length + uncited.length === 0;
}

function draw(book: RuleBook, count: string, random: Random): Rule[] {
  const left = book.inForce;
  const most = count === 'all' ? left.length : Math.min(wholeNumber(count, 'break'), left.length);
  if (most === left.length) return left;
  return Array.from({ length: most }, () => left.splice(random.integer(left.length), 1)).flat();
}

function findInForce(book: RuleBook, id: string): Rule {
  const rule = book.inForce.find((one) => one.id === id);
  if (rule === undefined) throw new Error(`${id} is no rule in force`);
  return rule;
}

async function breakRules(drawn: readonly Rule[], book: RuleBook, options: BreakerOptions): Promise<boolean> {
  // A statement of an article is broken through the rules it comes down to.
  const rules = [...new Set(drawn.flatMap((rule) => book.testedBy(rule)))];
  const copy = new ProjectCopy(PROJECT.directory);
  process.once('exit', () => copy.remove());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const breaker = new RuleBreaker(copy, options);
  await breaker.prepare(rules);
  const lost: string[] = [];
  for (const [index, rule] of rules.entries()) {
    const judgement = await breaker.judge(rule);
    if (judgement.kind !== 'held') lost.push(rule.id);
    console.log(`${index + 1} of ${rules.length}: ${rule.id} ${tellJudgement(judgement)}`);
  }
  console.log(lost.length === 0 ? 'all are held' : `not held: ${lost.join(', ')}`);
  return lost.length === 0;
}

function wholeNumber(text: string, option: string): number {
  const value = Number(text);
  if (text !== '' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new Error(`--${option} must be a whole number, not '${text}'`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
