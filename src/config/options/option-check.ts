// Checks the options of `startEmulator` before anything starts, because JavaScript does not check their types.

import { suggestion } from '../../description/suggestion.js';
import { JitneyError } from '../../jitney-error.js';
import type { EmulatorOptions } from './emulator-options.js';
import type { Option, OptionType } from './option.js';
import { OPTIONS } from './option-table.js';
import { mustBe } from './option-types.js';

/** By the names in EmulatorOptions. */
const TYPES: ReadonlyMap<string, OptionType> = new Map(
  Object.entries<Option>(OPTIONS)
    .filter(([, { isInCode = true }]) => isInCode)
    .map(([name, { type, setting = name }]) => [setting, type]),
);

/** Throws a JitneyError. */
export function checkOptions(options: EmulatorOptions): void {
  mustBe("an object such as { queues: ['orders'] }", isObject)('the argument of startEmulator', options);
  for (const [name, value] of Object.entries(options)) {
    const type = TYPES.get(name);
    if (type === undefined)
      throw new JitneyError('bad-option', `there is no option '${name}'.${remedy(name)}`);
    if (value !== undefined) type.check?.(name, value);
  }
  const { cert, key } = options;
  if ((cert === undefined) !== (key === undefined)) {
    const [given, missing] = key === undefined ? ['cert', 'key'] : ['key', 'cert'];
    throw new JitneyError('bad-option', `${given} is of no use without ${missing}: give both or none`);
  }
}

/** Says what to write in place of an unknown name: it may be one of the command line, such as `data` for `dataDirectory`, or misspelt. */
function remedy(name: string): string {
  const flag = name.replace(/^--/, '').replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const option = Object.entries<Option>(OPTIONS).find(([each]) => each === flag)?.[1];
  if (option === undefined) return suggestion(name, [...TYPES.keys()]);
  const { isInCode = true, setting = flag } = option;
  if (isInCode) return ` Did you mean '${setting}'?`;
  if (flag === 'memory') return ' Leave it out: without dataDirectory, everything is in memory.';
  return ' Only the command line has it: leave it out.';
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
