// The streams of a command, and the form of what it prints there.

import type { Paint } from './colour.js';
import type { Write } from './output.js';

export type CommandOutput = {
  readonly stdout: Write;
  readonly stderr: Write;
  readonly isJson: boolean;
  /** Default: no colour. */
  readonly paint?: Paint | undefined;
};
