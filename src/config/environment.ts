// The flags and environment variables of a start, and which of them gives an option.

import { suggestion } from '../description/suggestion.js';
import type { GivenBy, Option } from './options/option.js';
import { OPTIONS } from './options/option-table.js';

export type Environment = Readonly<Record<string, string | undefined>>;

type Table = typeof OPTIONS;

export type FlagOption = {
  [Name in keyof Table]: Table[Name] extends { readonly flag: string } ? Name : never;
}[keyof Table];

export const FLAG_OPTIONS = Object.entries<Option>(OPTIONS)
  .filter(([, { flag }]) => flag !== undefined)
  .map(([name]) => name as FlagOption);

/** The options as flags give them, as unchecked text. */
export type Flags = {
  readonly [Name in FlagOption]?: GivenBy[Table[Name]['type']['given']];
};

export type Variable = { readonly name: string; readonly text: string };

/** The variable that gives an option. An empty one counts as missing, because compose files pass empty variables. */
export function variableFor(option: keyof Table, environment: Environment): Variable | undefined {
  const { variables = [] }: Option = OPTIONS[option];
  for (const name of variables) {
    const text = environment[name];
    if (text !== undefined && text !== '') return { name, text };
  }
  return undefined;
}

/** The flag or variable that gives an option; undefined when neither does. */
export function originOf(option: FlagOption, flags: Flags, environment: Environment): string | undefined {
  return flags[option] === undefined ? variableFor(option, environment)?.name : flagName(option);
}

export function flagName(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Warns of unknown `JITNEY_` variables. The official image's others (ACCEPT_EULA, SQL_SERVER, ...) are silently ignored. */
export function warnUnknownVariables(environment: Environment): string[] {
  const known = Object.values<Option>(OPTIONS).flatMap(({ variables = [] }) => variables);
  return Object.keys(environment)
    .filter((name) => name.startsWith('JITNEY_') && !known.includes(name))
    .map((name) => `The variable ${name} is not known and does nothing.${suggestion(name, known)}`);
}
