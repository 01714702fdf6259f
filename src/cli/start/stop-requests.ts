// Requests to stop a process: signals, the end of its standard input, and the end of the npm process that started it.

import { fstatSync } from 'node:fs';
import { setInterval } from 'node:timers/promises';
import { JitneyError } from '../../jitney-error.js';

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
const STANDARD_INPUT = 0;

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

/**
 * Resolves when standard input has ended: a pipe does however the program at its other end has ended, also by SIGKILL. What comes before that is
 * dropped. Throws a JitneyError if it is no pipe: a terminal would only end with Ctrl-D, and a file or /dev/null at once.
 */
export function whenInputEnds(input: NodeJS.ReadStream): Promise<string> {
  const stats = fstatSync(STANDARD_INPUT);
  if (input.isTTY) throw noPipe('a terminal');
  if (stats.isFile()) throw noPipe('a file');
  if (stats.isCharacterDevice()) throw noPipe('none, such as /dev/null');
  return new Promise((resolve) => {
    const ended = () => resolve('standard input has ended');
    input.once('end', ended).once('error', ended).resume();
  });
}

function noPipe(seen: string): JitneyError {
  return new JitneyError(
    'bad-option',
    `--until-stdin-ends needs a pipe as standard input, and it is ${seen}: give one in the program that starts ` +
      "Jitney, such as stdin=PIPE in Python, StdinPipe() in Go or stdio: ['pipe', …] in Node, or leave the option out",
  );
}
