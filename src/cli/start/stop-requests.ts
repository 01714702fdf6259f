// Requests to stop a process: signals, and the end of the npm process that started it.

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
 * Resolves when the npm process that started this one has ended; never without npm. When an `npm start` is killed, npm's shell ends
 * without passing the signal on. Does not keep the process alive.
 */
export async function whenOrphaned(
  environment: Readonly<Record<string, string | undefined>>,
  parentId: () => number,
): Promise<string> {
  if (environment.npm_lifecycle_event === undefined) return new Promise(() => {});
  const first = parentId();
  for await (const _ of setInterval(LOOK_MS, undefined, { ref: false })) {
    if (parentId() !== first) return 'npm, which started it, has ended';
  }
  return new Promise(() => {});
}
