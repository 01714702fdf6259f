// The arguments of `npm run languages`.

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Language } from './language.js';
import { chooseScenarios, type Scenario } from './scenarios.js';

export const USAGE = `Usage: npm run languages -- [--only <ids>] [--scenario <ids>] [--examples] [--require <ids>] [--jitney <main.js>] [--table <file>]

  --only      Run only these languages, separated by commas: python,go.
  --scenario  Run only these scenarios, separated by commas.
  --examples  Run only the examples with their tests; with --scenario they are left out.
  --require   Fail if one of these languages cannot run here; without it, it is left out.
  --jitney    The dist/cli/main.js of another build.
  --table     Write the table of a whole run into this page, in place of the one there.`;

export class UsageError extends Error {}

export type Order = {
  readonly languages: readonly Language[];
  readonly scenarios: readonly Scenario[];
  /** Whether the examples are run. */
  readonly examples: boolean;
  readonly required: readonly string[];
  readonly jitney?: string;
  readonly table?: string;
};

/** Throws a UsageError in words for the person who typed it. */
export function readOrder(commandLine: readonly string[], known: readonly Language[]): Order {
  const { only = [], scenario = [], examples, require: required = [], jitney, table } = parse(commandLine);
  const chosen = splitAll(only);
  for (const id of [...chosen, ...splitAll(required)]) {
    if (known.some((language) => language.id === id)) continue;
    throw new UsageError(`There is no language ${id}; there are ${known.map((one) => one.id).join(', ')}.`);
  }
  if (jitney !== undefined && !existsSync(jitney)) {
    throw new UsageError(`--jitney ${jitney}: there is no such file.`);
  }
  if (table !== undefined && only.length + scenario.length + Number(examples ?? 0) > 0) {
    throw new UsageError('--table wants a whole run: leave out --only, --scenario and --examples.');
  }
  if (examples === true && scenario.length > 0) {
    throw new UsageError('--examples runs no scenarios: leave out --scenario.');
  }
  return {
    languages: known.filter(
      ({ id, run }) =>
        (chosen.length === 0 || chosen.includes(id)) && (scenario.length === 0 || run !== undefined),
    ),
    scenarios: examples === true ? [] : translate(() => chooseScenarios(splitAll(scenario))),
    examples: scenario.length === 0,
    required: splitAll(required),
    ...(jitney === undefined ? {} : { jitney: resolve(jitney) }),
    ...(table === undefined ? {} : { table }),
  };
}

function parse(commandLine: readonly string[]) {
  const list = { type: 'string', multiple: true } as const;
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = { only: list, scenario: list, examples: flag, require: list, jitney: text, table: text };
  return translate(() => parseArgs({ args: [...commandLine], options }).values);
}

function translate<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function splitAll(values: readonly string[]): readonly string[] {
  return values.flatMap((value) => value.split(',')).filter((value) => value !== '');
}
