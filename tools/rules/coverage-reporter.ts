// Tells at the end of a test run how many rules its tests hold; a run of all tests fails when a rule is held by none.

import { resolve } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { measureCoverage } from './coverage.js';
import { readRules } from './parse-rules.js';
import { listTestFiles, PROJECT } from './project-files.js';

export class CoverageReporter implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const coverage = measureCoverage(readRules(), modules.flatMap(titlesOfPassed));
    this.#say(`\n ${coverage.summary}`);
    for (const mistake of coverage.mistakes) this.#say(`   ${mistake}`);
    if (!this.#isWhole(modules)) return;
    if (coverage.missing.length > 0) this.#say(`   no test holds ${coverage.missing.join(', ')}`);
    if (coverage.missing.length > 0 || coverage.mistakes.length > 0) process.exitCode = 1;
  }

  /** Whether every test there is was to run. */
  #isWhole(modules: readonly TestModule[]): boolean {
    const { watch, testNamePattern } = this.#vitest?.config ?? {};
    if (watch === true || testNamePattern !== undefined) return false;
    // Vitest writes slashes on every system.
    const ran = new Set(modules.map(({ moduleId }) => resolve(moduleId)));
    return listTestFiles(PROJECT).every((path) => ran.has(resolve(PROJECT.directory, path)));
  }

  #say(text: string): void {
    this.#vitest?.logger.log(text);
  }
}

function titlesOfPassed(module: TestModule): string[] {
  return Array.from(module.children.allTests('passed'), ({ name }) => name);
}
