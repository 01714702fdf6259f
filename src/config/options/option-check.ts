// Checks the options of `startEmulator` before anything starts, because JavaScript does not check their types.

import { suggestion } from '../../description/suggestion.js';
import { ConfigError } from '../config-error.js';
import type { EmulatorOptions } from './emulator-options.js';
import { OPTIONS, type Option } from './option-table.js';
import { mustBe, type OptionType } from './option-types.js';

type Table = typeof OPTIONS;
type NameInCode = {
  [Name in keyof Table]: Table[Name] extends { readonly inCode: infer InCode }
    ? Exclude<InCode, false>
    : Table[Name] extends { readonly setting: infer Setting }
      ? Setting
      : Name;
}[keyof Table];

/** Compiles only if the table has all of EmulatorOptions; `checkOptions` compiles only if it has no other option. */
const TYPES: Readonly<Record<keyof EmulatorOptions, OptionType>> = typesInCode();

/** Throws a ConfigError. */
export function checkOptions(options: EmulatorOptions): void {
  mustBe("an object such as { queues: ['orders'] }", isObject)('the argument of startEmulator', options);
  // Such as `queue` for `queues`.
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(TYPES, name));
  if (unknown !== undefined) {
    const hint = suggestion(unknown, Object.keys(TYPES));
    throw new ConfigError('bad-option', `there is no option '${unknown}'.${hint}`);
  }
  for (const name of Object.keys(TYPES) as NameInCode[]) {
    const value = options[name];
    if (value !== undefined) TYPES[name].check?.(name, value);
  }
  const { cert, key } = options;
  if ((cert === undefined) !== (key === undefined)) {
    const [given, missing] = key === undefined ? ['cert', 'key'] : ['key', 'cert'];
    throw new ConfigError('bad-option', `${given} is of no use without ${missing}: give both or none`);
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typesInCode(): Readonly<Record<NameInCode, OptionType>> {
  const types: Record<string, OptionType> = {};
  for (const [name, { type, setting = name, inCode = setting }] of Object.entries<Option>(OPTIONS)) {
    if (inCode !== false) types[inCode] = type;
  }
  return types as Record<NameInCode, OptionType>;
}
