// The flags of a start, read without commander: to load it and to describe all commands to it would take each start 5 ms.

import { FLAG_OPTIONS, type FlagOption, type Flags } from '../../config/environment.js';
import type { GivenBy, Option } from '../../config/options/option.js';
import { OPTIONS } from '../../config/options/option-table.js';

/** The default command, which also runs without its name. */
export const START = 'start';

type Value = GivenBy[keyof GivenBy];

/**
 * The flags of a start if all words are its options, written in full: `-q orders`, `--queue orders` or `--queue=orders`. Undefined for
 * anything else, such as another command or a mistake, which commander reads.
 */
export function flagsOfStart(words: readonly string[]): Flags | undefined {
  const options = optionsByFlag();
  const flags: { [Name in FlagOption]?: Value } = {};
  const rest = words[0] === START ? words.slice(1) : [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, long = word, text] = word.match(/^(--[^=]+)=(.*)$/s) ?? [];
    const option = options.get(long);
    if (option === undefined) return undefined;
    const { name, given } = option;
    const value = given === 'switch' ? text === undefined : (text ?? rest.shift());
    if (value === undefined || value === false) return undefined;
    flags[name] = given === 'list' ? [...((flags[name] ?? []) as string[]), value as string] : value;
  }
  return flags as Flags;
}

/** The options by each of their flags: `-q, --queue <spec>` has two. */
function optionsByFlag(): ReadonlyMap<string, { readonly name: FlagOption; readonly given: keyof GivenBy }> {
  const named = FLAG_OPTIONS.flatMap((name) => {
    const { flag = '', type }: Option = OPTIONS[name];
    const flags = flag.split(/[ ,]+/).filter((each) => each.startsWith('-'));
    return flags.map((each) => [each, { name, given: type.given }] as const);
  });
  return new Map(named);
}
