// Which text counts for a setting: that of its flag, else that of its variable. What is wrong with it is told by that name.

import { named, ValueError } from '../description/value-error.js';
import { ConfigError } from './config-error.js';
import { type Environment, type Flags, variableFor } from './environment.js';
import { readYesOrNo, splitList } from './setting-readers.js';

/** Given as a flag without a value, and as a variable with one. */
export type Switch = 'memory' | 'reset' | 'releaseLocksOnDetach' | 'noTls' | 'noTokenEndpoint';
/** Given as flags that are repeated, and as a variable with commas. */
type ListSetting = 'queue' | 'topic' | 'certHost' | 'policy';
export type TextSetting = Exclude<keyof Flags, Switch | ListSetting>;

export class SettingChoice {
  readonly flags: Flags;
  readonly environment: Environment;

  constructor(flags: Flags, environment: Environment) {
    this.flags = flags;
    this.environment = environment;
  }

  /** Each throws a ConfigError. */
  text<T, Default>(setting: TextSetting, read: (text: string) => T, otherwise: Default): T | Default {
    const flag = this.flags[setting];
    if (flag !== undefined) return checked('bad-option', flagName(setting), () => read(flag));
    const variable = variableFor(setting, this.environment);
    if (variable === undefined) return otherwise;
    return checked('bad-variable', variable.name, () => read(variable.text));
  }

  switch(setting: Switch): boolean {
    if (this.flags[setting] === true) return true;
    const variable = variableFor(setting, this.environment);
    return variable !== undefined && checked('bad-variable', variable.name, () => readYesOrNo(variable.text));
  }

  list(setting: ListSetting): readonly string[];
  list<T>(setting: ListSetting, read: (item: string) => T): readonly T[];
  list(setting: ListSetting, read: (item: string) => unknown = (item) => item): readonly unknown[] {
    const flag = this.flags[setting];
    if (flag !== undefined) return checked('bad-option', flagName(setting), () => flag.map(read));
    const variable = variableFor(setting, this.environment);
    if (variable === undefined) return [];
    return checked('bad-variable', variable.name, () => splitList(variable.text).map(read));
  }

  origin(setting: keyof Flags): string | undefined {
    return originOf(setting, this.flags, this.environment);
  }
}

/** The flag or variable that says it; undefined when nobody does. */
export function originOf(setting: keyof Flags, flags: Flags, environment: Environment): string | undefined {
  return flags[setting] === undefined ? variableFor(setting, environment)?.name : flagName(setting);
}

/** `httpPort` is given as `--http-port`. */
export function flagName(setting: string): string {
  return `--${setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function checked<T>(kind: 'bad-option' | 'bad-variable', name: string, read: () => T): T {
  try {
    return named(name, read);
  } catch (error) {
    if (error instanceof ValueError) throw new ConfigError(kind, error.message, [], error);
    throw error;
  }
}
