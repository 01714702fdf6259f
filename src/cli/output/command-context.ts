// The process as a command sees it. Each command takes the parts that it uses.

import type { Environment } from '../../config/environment.js';
import type { Paint } from './colour.js';
import type { Print, Write } from './output.js';

export type CommandContext = {
  readonly environment: Environment;
  readonly stdout: Write;
  readonly stderr: Write;
  /** For data that must be written before anything else happens. */
  readonly print: Print;
  /** Colour on standard output. Default: none. */
  readonly paint?: Paint | undefined;
  /** Whether a person reads standard error. */
  readonly isTerminal: boolean;
  /** The next line of standard input. */
  readonly readAnswer: () => Promise<string>;
  /** Reads standard input to its end. */
  readonly readInput: () => Promise<Uint8Array>;
  readonly openInput: () => AsyncIterable<Uint8Array>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Aborted by Ctrl-C. */
  readonly interrupted: AbortSignal;
  /** Resolves with the exit code when the user ends the command, or the reader of its output has gone. */
  readonly whenEnded: () => Promise<number>;
};

/** The streams of a command, and the form of what it prints there. */
export type CommandOutput = Pick<CommandContext, 'stdout' | 'stderr' | 'paint'> & {
  readonly isJson: boolean;
};
