// What was asked in a turn and what was answered, command by command.

import type { Command } from '../../src/broker/command.js';
import type { Result } from '../../src/broker/result.js';

export type Part = { readonly command: Command; readonly result: Result };

/** Of a step its commands, none if it was refused; of any other command itself. */
export function partsOfStep(command: Command, result: Result): readonly Part[] {
  if (command.kind !== 'step') return [{ command, result }];
  if (result.kind !== 'step') return [];
  return result.results.flatMap((one, index) => {
    const asked = command.commands[index];
    return asked === undefined ? [] : [{ command: asked, result: one }];
  });
}
