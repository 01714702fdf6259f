// Runs a command to its end, and keeps count of what was good, what was not, and what could not be done.

import { execFile } from 'node:child_process';

export type Outcome = {
  readonly isGood: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** Both, and why it could not be run. */
  readonly text: string;
};

const LIMIT_MS = 300_000;
const MOST_OUTPUT_BYTES = 16 * 1024 * 1024;
const MOST_LINES = 30;

export function run(
  command: string,
  words: readonly string[],
  directory: string,
  environment: Readonly<Record<string, string>> = {},
  limitMs = LIMIT_MS,
): Promise<Outcome> {
  // Started by npm itself, it would hand its own settings on to the npm that is started here.
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_(?!config_)/.test(name));
  const env = { ...Object.fromEntries(inherited), NO_COLOR: '1', ...environment };
  const options = { cwd: directory, env, timeout: limitMs, maxBuffer: MOST_OUTPUT_BYTES };
  return new Promise((resolve) => {
    execFile(command, words, options, (error, stdout, stderr) => {
      const text = `${stdout}${stderr}`.trim() || (error?.message ?? '');
      resolve({ isGood: error === null, stdout, stderr, text });
    });
  });
}

export class Tally {
  readonly #counts = { good: 0, bad: 0, leftOut: 0 };

  add(what: string, isGood: boolean, why = ''): void {
    this.#counts[isGood ? 'good' : 'bad'] += 1;
    console.log(isGood ? `good      ${what}` : `NOT GOOD  ${what}\n${lastLines(why)}`);
  }

  limit(what: string, count: number, most: number): void {
    this.add(`${count} ${what}, at most ${most}`, count <= most);
  }

  leftOut(what: string, why: string): void {
    this.#counts.leftOut += 1;
    console.log(`left out  ${what}\n${lastLines(why)}`);
  }

  /** Prints the counts; answers with the exit code. */
  end(): 0 | 1 {
    const { good, bad, leftOut } = this.#counts;
    console.log(`${good} good, ${bad} not good, ${leftOut} left out`);
    return bad === 0 ? 0 : 1;
  }
}

function lastLines(text: string): string {
  return text
    .split('\n')
    .slice(-MOST_LINES)
    .map((line) => `          ${line}`)
    .join('\n');
}
