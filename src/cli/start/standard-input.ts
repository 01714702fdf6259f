// The end of standard input, by which a program that has started Jitney lets it know that it has ended.

import { fstatSync } from 'node:fs';
import { JitneyError } from '../../jitney-error.js';

const STANDARD_INPUT = 0;

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
