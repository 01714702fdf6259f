// The settings in force, each with its origin: a flag, a variable or a default.

import { DEFAULT_CONFIG_FILE } from './configured-entities.js';
import { type Environment, FLAG_OPTIONS, type FlagOption, type Flags, originOf } from './environment.js';
import type { Option, ShownValue } from './options/option.js';
import { OPTIONS } from './options/option-table.js';
import { settingName } from './setting-choice.js';
import type { Settings } from './settings.js';

export type EffectiveValue = {
  readonly name: string;
  /** Null: the setting has no value. */
  readonly value: ShownValue;
  /** The origin: a flag, a variable, a location in a file, or the name of a default. */
  readonly from: string;
};

export const DEFAULT = 'default';

/** `data` says whether `memory` is on; `effectiveEntities` lists the entities. */
const SHOWN_ELSEWHERE: readonly string[] = ['memory', 'queue', 'topic'];

/** Lists the settings under the names of their flags in camel case. */
export function effectiveSettings(
  settings: Settings,
  flags: Flags,
  environment: Environment,
): readonly EffectiveValue[] {
  return FLAG_OPTIONS.filter((name) => !SHOWN_ELSEWHERE.includes(name)).map((name) => {
    const from = originOfSetting(name, settings, (option) => originOf(option, flags, environment));
    return { name, value: shownValue(name, settings), from: from ?? DEFAULT };
  });
}

/** The origins by the names of the options of `startEmulator`. */
export function originsOf(
  settings: Settings,
  flags: Flags,
  environment: Environment,
): Readonly<Record<string, string>> {
  const origins = effectiveSettings(settings, flags, environment).map(
    ({ name, from }) => [settingName(name as FlagOption), from] as const,
  );
  return Object.fromEntries(origins);
}

function shownValue(name: FlagOption, settings: Settings): ShownValue {
  if (name === 'config') return settings.configJson?.name ?? settings.configFile ?? null;
  const { type }: Option = OPTIONS[name];
  const values: Readonly<Record<string, unknown>> = settings;
  const value = values[settingName(name)];
  return type.show === undefined ? ((value as ShownValue | undefined) ?? null) : type.show(value);
}

type OriginOf = (option: FlagOption) => string | undefined;

function originOfSetting(name: FlagOption, settings: Settings, origin: OriginOf): string | undefined {
  switch (name) {
    case 'data':
      return settings.dataDirectory === undefined ? origin('memory') : origin('data');
    case 'config':
      return originOfConfig(settings, origin);
    default:
      return origin(name);
  }
}

function originOfConfig({ configFile, configJson }: Settings, origin: OriginOf): string | undefined {
  if (configJson !== undefined) return configJson.name;
  const from = origin('config');
  if (from !== undefined || configFile === undefined || configFile === DEFAULT_CONFIG_FILE) return from;
  return 'the place where the official emulator has its own';
}
