// Breaks the code that cites a rule, one way after the other, until a test that names the rule notices.

import { Random } from '../../test/simulation/random.js';
import type { Judgement } from './judgement.js';
import type { ProjectCopy } from './project-copy.js';
import type { Rule } from './rule-book.js';
import { runProgram } from './run-program.js';
import { type SourceBreak, SourceBreaks } from './source-breaks.js';
import { namesRule, runTests, type TestResult } from './test-run.js';
import { readTitles } from './titles.js';
import { findSuspects, isAssertion } from './verdict.js';

export type BreakerOptions = {
  /** A rule is given up after so many. */
  readonly mostBreaks: number;
  /** Says in which order a rule is broken, whatever other rules are. */
  readonly seed: number;
};

const ALL_TESTS_MS = 30 * 60_000;
/** For the tests of one rule, and what their duration may be multiplied by: a broken program may run for ever. */
const BROKEN_TESTS_MS = 45_000;
const MOST_SLOWDOWN = 5;
const BUNDLE_MS = 60_000;
/** Tests that take longer are left out where others name the rule as well. */
const SLOW_TEST_MS = 15_000;

export class RuleBreaker {
  readonly #copy: ProjectCopy;
  readonly #breaks: SourceBreaks;
  readonly #options: BreakerOptions;
  /** How the tests end while nothing is broken. */
  #before: readonly TestResult[] = [];

  constructor(copy: ProjectCopy, options: BreakerOptions) {
    this.#copy = copy;
    this.#breaks = new SourceBreaks(copy);
    this.#options = options;
  }

  /** Runs what names one of these rules once; to be called before they are judged. */
  async prepare(rules: readonly Rule[]): Promise<void> {
    const ids = rules.map(({ id }) => id);
    const naming = [...readTitles(this.#copy)].filter(([, named]) => ids.some((id) => named.has(id)));
    const files = naming.map(([path]) => path);
    if (files.length > 0) this.#before = await this.#run(files, ids, ALL_TESTS_MS);
  }

  async judge(rule: Rule): Promise<Judgement> {
    const tests = this.#testsOf(rule.id);
    if (tests.length === 0) return { kind: 'untested' };
    const places = this.#breaks.placesOf(rule);
    if (places.length === 0) return { kind: 'uncited' };
    const { mostBreaks, seed } = this.#options;
    const breaks = this.#breaks.of(rule, new Random(seed)).slice(0, mostBreaks);
    if (breaks.length === 0) return { kind: 'unbreakable', places };
    for (const one of breaks) {
      const by = await this.#findWitness(rule, one, tests);
      if (by !== undefined) return { kind: 'held', by, break: one };
    }
    return { kind: 'unnoticed', places, breakCount: breaks.length };
  }

  async #findWitness(
    { id }: Rule,
    { path, text }: SourceBreak,
    tests: readonly TestResult[],
  ): Promise<TestResult | undefined> {
    const files = [...new Set(tests.map(({ file }) => file))];
    const durationMs = tests.reduce((sum, test) => sum + test.durationMs, 0);
    const timeoutMs = BROKEN_TESTS_MS + MOST_SLOWDOWN * durationMs;
    return this.#copy.with(path, text, async () => {
      const after = await this.#run(files, [id], timeoutMs);
      const [suspect] = findSuspects(id, this.#before, after);
      if (suspect === undefined || isAssertion(suspect)) return suspect;
      const neighbours = await this.#run([suspect.file], [], timeoutMs);
      return neighbours.some(({ hasPassed }) => hasPassed) ? suspect : undefined;
    });
  }

  /** Those that pass and take the least: of the built product only when no others name the rule. */
  #testsOf(id: string): TestResult[] {
    const named = this.#before.filter((test) => test.hasPassed && namesRule(test, id));
    const inProcess = named.filter(({ file }) => !isOfBuiltProduct(file));
    const chosen = inProcess.length > 0 ? inProcess : named;
    const quick = chosen.filter(({ durationMs }) => durationMs < SLOW_TEST_MS);
    return quick.length > 0 ? quick : chosen;
  }

  async #run(files: readonly string[], ids: readonly string[], timeoutMs: number): Promise<TestResult[]> {
    if (files.some(isOfBuiltProduct)) await this.#bundle();
    return runTests({ directory: this.#copy.directory, files, ids, timeoutMs });
  }

  /** As `npm start` does: that it has the right types is not asked of a broken program. */
  async #bundle(): Promise<void> {
    const command = [process.execPath, 'tools/build.mjs', '--only-what-runs'];
    await runProgram(command, { directory: this.#copy.directory, timeoutMs: BUNDLE_MS });
  }
}

function isOfBuiltProduct(file: string): boolean {
  return /(?:^|[\\/])compat-tests[\\/]/.test(file);
}
