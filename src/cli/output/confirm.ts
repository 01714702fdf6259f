// Asks a question on a terminal that is answered with yes or no.

import { createInterface } from 'node:readline/promises';
import { JitneyError } from '../../jitney-error.js';

type Terminal = {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Ends the question with a JitneyError of kind `interrupted`. */
  readonly interrupted: AbortSignal;
};

/** Asks a question; true if the answer is yes. */
export type Confirm = (question: string) => Promise<boolean>;

/** True only for `y` or `yes`. */
export function confirmOn({ input, output, interrupted }: Terminal): Confirm {
  return async (question) => {
    // The terminal edits the line itself, so that Ctrl-C is a signal as usual.
    const lines = createInterface({ input, output, terminal: false });
    try {
      const answer = await lines.question(`${question} [y/N] `, { signal: interrupted });
      return /^y(es)?$/i.test(answer.trim());
    } catch (error) {
      throw interrupted.aborted ? new JitneyError('interrupted', 'Interrupted', { cause: error }) : error;
    } finally {
      lines.close();
    }
  };
}
