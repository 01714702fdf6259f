// Runs a language's program and hears from it how each scenario went, also when it crashes or hangs halfway.

import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { RunningProcess } from '../support/running-process.js';
import { lastLines } from './language.js';

export type Outcome =
  | { readonly kind: 'passed'; readonly detail?: string | undefined }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'left-out'; readonly why: string };

export type ProgramOptions = {
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  /** For each scenario; the start of the program counts as part of its first. */
  readonly timeLimitMs: number;
  readonly onOutcome: (id: string, outcome: Outcome) => void;
};

const POLL_MS = 20;
/** So many processes in a row that answer nothing, and no more are started. */
const FRUITLESS_LIMIT = 2;

const answerSchema = z.object({
  scenario: z.string(),
  ok: z.boolean().optional(),
  detail: z.string().optional(),
  /** The reason for which the program could not try it. */
  leftOut: z.string().optional(),
});

/** Every scenario has an outcome in the end: one that stops the program fails, and the others run in a new process. */
export async function runProgram(
  command: readonly string[],
  ids: readonly string[],
  options: ProgramOptions,
): Promise<void> {
  let left = [...ids];
  let fruitlessCount = 0;
  while (left.length > 0) {
    const run = await runOnce(command, left, options);
    fruitlessCount = run.unanswered.length === left.length ? fruitlessCount + 1 : 0;
    const [stopped, ...others] = run.unanswered;
    if (stopped === undefined) return;
    options.onOutcome(stopped, { kind: 'failed', why: run.why });
    left = others;
    if (fruitlessCount < FRUITLESS_LIMIT) continue;
    for (const id of left)
      options.onOutcome(id, { kind: 'failed', why: `not tried, as before it ${run.why}` });
    return;
  }
}

async function runOnce(
  [name = '', ...rest]: readonly string[],
  ids: readonly string[],
  { env, workingDirectory, timeLimitMs, onOutcome }: ProgramOptions,
): Promise<{ readonly unanswered: readonly string[]; readonly why: string }> {
  const program = new RunningProcess([...rest, ...ids], { command: name, env, workingDirectory });
  const unanswered = new Set(ids);
  let heardCount = 0;
  let deadline = Date.now() + timeLimitMs;
  const hear = () => {
    const lines = program.stdout.split('\n').slice(0, -1);
    for (const line of lines.slice(heardCount)) {
      const answer = readAnswer(line);
      if (answer === undefined || !unanswered.delete(answer.id)) continue;
      deadline = Date.now() + timeLimitMs;
      onOutcome(answer.id, answer.outcome);
    }
    heardCount = lines.length;
  };
  while (program.isRunning && Date.now() < deadline) {
    await delay(POLL_MS);
    hear();
  }
  const hung = program.isRunning;
  program.signal('SIGKILL');
  const { code, signal } = await program.exited;
  hear();
  const end = hung
    ? `the program said nothing for ${timeLimitMs / 1000} s`
    : `the program ended with ${code === null ? signal : `exit code ${code}`} before it answered`;
  const said = lastLines(program.stderr);
  return { unanswered: [...unanswered], why: said === '' ? end : `${end}:\n${said}` };
}

/** undefined: the line is not an answer, but something that a library printed. */
function readAnswer(line: string): { readonly id: string; readonly outcome: Outcome } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { data } = answerSchema.safeParse(value);
  if (data === undefined) return undefined;
  const { scenario: id, ok, detail, leftOut } = data;
  if (leftOut !== undefined) return { id, outcome: { kind: 'left-out', why: leftOut } };
  if (ok === true) return { id, outcome: { kind: 'passed', detail } };
  return { id, outcome: { kind: 'failed', why: detail ?? 'it did not say why' } };
}
