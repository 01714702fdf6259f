// Ctrl-C, `docker stop` and a closed terminal: the first signal asks for a clean stop, the second one ends the process at once.

export type SignalSource = {
  on(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
};
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

const EXIT_CODES: Readonly<Record<StopSignal, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Resolves with the name of the first signal; `exitNow` is called at the second. */
export function onStopSignal(source: SignalSource, exitNow: (exitCode: number) => void): Promise<StopSignal> {
  return new Promise((resolve) => {
    let asked = false;
    const listener = (signal: StopSignal) => {
      if (asked) exitNow(EXIT_CODES[signal]);
      asked = true;
      resolve(signal);
    };
    source.on('SIGINT', listener);
    source.on('SIGTERM', listener);
    source.on('SIGHUP', listener);
  });
}
