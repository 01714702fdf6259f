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
    // Such as `queue` for `queues`.
    if (type === undefined) {
      throw new JitneyError(
        'bad-option',
        `there is no option '${name}'.${suggestion(name, [...TYPES.keys()])}`,
      );
    }
    if (value !== undefined) type.check?.(name, value);
  }
  const { cert, key } = options;
  if ((cert === undefined) !== (key === undefined)) {
    const [given, missing] = key === undefined ? ['cert', 'key'] : ['key', 'cert'];
    throw new JitneyError('bad-option', `${given} is of no use without ${missing}: give both or none`);
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
