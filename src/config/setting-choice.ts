// Reads an option from its flag, or else from its variable, or else takes its default. Errors name the flag or variable.

import {
  type Environment,
  FLAG_OPTIONS,
  type FlagOption,
  type Flags,
  flagName,
  originOf,
  variableFor,
} from './environment.js';
import type { Option, OptionType } from './options/option.js';
import { OPTIONS } from './options/option-table.js';
import { refusing } from './options/option-types.js';
import { readYesOrNo, splitList } from './setting-readers.js';

type Table = typeof OPTIONS;

/** The result of `read` for an option: a value of its type, or its default. */
type OptionValue<Name extends FlagOption> =
  | ReturnType<Table[Name]['type']['read']>
  | (Table[Name] extends { readonly default: infer Default } ? Default : Table[Name]['type']['missing']);

type SettingName<Name extends FlagOption> = Table[Name] extends {
  readonly setting: infer Setting extends string;
}
  ? Setting
  : Name;

export type OptionValues = {
  readonly [Name in FlagOption as SettingName<Name>]: OptionValue<Name>;
};

export function settingName<Name extends FlagOption>(name: Name): SettingName<Name> {
  const { setting = name }: Option = OPTIONS[name];
  return setting as SettingName<Name>;
}

export class SettingChoice {
  readonly flags: Flags;
  readonly environment: Environment;

  constructor(flags: Flags, environment: Environment) {
    this.flags = flags;
    this.environment = environment;
  }

  /** The values of all options but those `except`. Throws a JitneyError, as does `read`. */
  readAll<Except extends FlagOption>(except: readonly Except[]): Omit<OptionValues, SettingName<Except>> {
    const names = FLAG_OPTIONS.filter((name) => !except.some((one) => one === name));
    const values = Object.fromEntries(names.map((name) => [settingName(name), this.read(name)]));
    return values as OptionValues;
  }

  read<Name extends FlagOption>(name: Name): OptionValue<Name> {
    const { type, default: fallback }: Option = OPTIONS[name];
    // The compiler does not follow a name into its own entry of the table.
    return (this.#given(name, type) ?? fallback ?? type.missing) as OptionValue<Name>;
  }

  /** The flag or variable that gives an option; undefined when neither does. */
  origin(name: FlagOption): string | undefined {
    return originOf(name, this.flags, this.environment);
  }

  #given(name: FlagOption, type: OptionType): unknown {
    const flag = this.flags[name];
    if (flag !== undefined) return refusing('bad-option', flagName(name), () => type.read?.(flag));
    const variable = variableFor(name, this.environment);
    if (variable === undefined) return undefined;
    return refusing('bad-variable', variable.name, () => type.read?.(fromVariable(variable.text, type)));
  }
}

function fromVariable(text: string, { given }: OptionType): string | boolean | readonly string[] {
  switch (given) {
    case 'switch':
      return readYesOrNo(text);
    case 'list':
      return splitList(text);
    default:
      return text;
  }
}
