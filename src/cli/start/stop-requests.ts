// Requests to stop a process: signals, and the end of the npm process that started it.

import { readFileSync } from 'node:fs';
import { setInterval } from 'node:timers/promises';

type SignalSource = {
  on(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
};
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type StopSignal = (typeof STOP_SIGNALS)[number];

/** The exit codes that stand for a signal in shells. */
export const EXIT_CODES: Readonly<Record<StopSignal, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Resolves with the name of the first signal (Ctrl-C, `docker stop`, a closed terminal); the second one calls `exitNow`. */
export function onStopSignal(source: SignalSource, exitNow: (exitCode: number) => void): Promise<StopSignal> {
  return new Promise((resolve) => {
    let isRequested = false;
    const listener = (signal: StopSignal) => {
      if (isRequested) exitNow(EXIT_CODES[signal]);
      isRequested = true;
      resolve(signal);
    };
    for (const signal of STOP_SIGNALS) source.on(signal, listener);
  });
}

const LOOK_MS = 300;

/**
 * Resolves when the npm process that started this one has ended; never without npm. npm's shell ends without passing a signal on, and stays
 * if npm is killed. Does not keep the process alive.
 */
export async function whenOrphaned(
  environment: Readonly<Record<string, string | undefined>>,
  parentId: () => number,
): Promise<string> {
  if (environment.npm_lifecycle_event === undefined) return new Promise(() => {});
  const shell = parentId();
  const npm = npmAbove(shell);
  const hasEnded = () => parentId() !== shell || (npm !== undefined && parentOf(shell) !== npm);
  for await (const _ of setInterval(LOOK_MS, undefined, { ref: false })) {
    if (hasEnded()) return 'npm, which started it, has ended';
  }
  return new Promise(() => {});
}

/** The parent of npm's shell, if that is npm itself: the parent of another shell may end while its programs go on in the background. */
function npmAbove(shell: number): number | undefined {
  const id = parentOf(shell);
  return id !== undefined && readOf(id, 'cmdline')?.startsWith('npm') ? id : undefined;
}

/** Undefined where the system has no files about processes, as only Linux has: elsewhere npm's shell becomes the program itself. */
function parentOf(id: number): number | undefined {
  const status = readOf(id, 'stat');
  // The name of the program is in parentheses and may hold any characters. The state and the parent follow it.
  const [, parent] = status?.slice(status.lastIndexOf(')') + 2).split(' ') ?? [];
  return parent === undefined ? undefined : Number(parent);
}

function readOf(id: number, file: 'stat' | 'cmdline'): string | undefined {
  try {
    return readFileSync(`/proc/${id}/${file}`, 'latin1');
  } catch {
    return undefined;
  }
}
