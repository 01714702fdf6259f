// Guards the function `log` of a program, which may throw: the emulator goes on, and the program learns of the first error.

import type { EmulatorOptions } from './options/emulator-options.js';

type LogFunction = NonNullable<EmulatorOptions['log']>;

/** Returns the options with a `log` that never throws. The first error becomes a warning of the process; each line is still given. */
export function withGuardedLog(options: EmulatorOptions): EmulatorOptions {
  return options.log === undefined ? options : { ...options, log: guarded(options.log) };
}

function guarded(log: LogFunction): LogFunction {
  let hasFailed = false;
  return (level, message, details) => {
    try {
      log(level, message, details);
    } catch (error) {
      if (hasFailed) return;
      hasFailed = true;
      process.emitWarning(
        `The function 'log' of an emulator threw an error at a line of level '${level}'. The emulator goes on; further errors of 'log' are not shown: ${faultText(error)}`,
        'JitneyWarning',
      );
    }
  };
}

export function faultText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
