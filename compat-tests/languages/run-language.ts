// Takes one language through all its scenarios, with a crash of the broker between the two phases.

import type { Language } from './language.js';
import { type Outcome, runProgram } from './program.js';
import type { Scenario } from './scenarios.js';
import type { Servers } from './servers.js';

export type LanguageResult = {
  readonly language: Language;
  /** The reason for which nothing of it ran, and whether that is a fault. */
  readonly notRun?: { readonly why: string; readonly isFault: boolean };
  readonly outcomes: ReadonlyMap<string, Outcome>;
};

export type RunOptions = {
  readonly scenarios: readonly Scenario[];
  readonly startServers: () => Promise<Servers>;
  readonly timeLimitMs: number;
  readonly onOutcome: (id: string, outcome: Outcome) => void;
};

export async function runLanguage(language: Language, options: RunOptions): Promise<LanguageResult> {
  const outcomes = new Map<string, Outcome>();
  const { run: program } = language;
  if (program === undefined) return { language, outcomes };
  const missing = await language.findMissing();
  if (missing !== undefined) return { language, outcomes, notRun: { why: missing, isFault: false } };
  try {
    await language.install();
  } catch (error) {
    const why = `its packages could not be installed: ${error instanceof Error ? error.message : error}`;
    return { language, outcomes, notRun: { why, isFault: true } };
  }
  const note = (id: string, outcome: Outcome) => {
    outcomes.set(id, outcome);
    options.onOutcome(id, outcome);
  };
  await using servers = await options.startServers();
  const run = (scenarios: readonly Scenario[]) =>
    runProgram(
      program,
      scenarios.map(({ id }) => id),
      {
        env: { ...language.env, ...servers.env },
        workingDirectory: language.folder,
        timeLimitMs: options.timeLimitMs,
        onOutcome: note,
      },
    );
  const possible = leaveOut(language, options.scenarios, note);
  await run(possible.filter(({ restartOf }) => restartOf === undefined));
  const afterRestart = possible.filter(({ restartOf }) => restartOf !== undefined);
  if (afterRestart.length > 0) {
    await servers.restart();
    await run(afterRestart);
  }
  return { language, outcomes };
}

/** The scenarios that the library can do. */
function leaveOut(
  { description: { leftOut } }: Language,
  scenarios: readonly Scenario[],
  note: RunOptions['onOutcome'],
): readonly Scenario[] {
  return scenarios.filter(({ id, restartOf }) => {
    const why = leftOut[id] ?? (restartOf === undefined ? undefined : leftOut[restartOf]);
    if (why !== undefined) note(id, { kind: 'left-out', why });
    return why === undefined;
  });
}
