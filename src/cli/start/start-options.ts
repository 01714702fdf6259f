// The options of `jitney start` as commander sees them, with their help.

import { type Command, Option } from 'commander';
import { FLAG_OPTIONS, type FlagOption } from '../../config/environment.js';
import type { Option as TableOption } from '../../config/options/option.js';
import { OPTION_GROUPS, OPTIONS } from '../../config/options/option-table.js';

const EXAMPLES = `
Every option can also be given by a variable: --http-port by JITNEY_HTTP_PORT, --queue by
JITNEY_QUEUES and --topic by JITNEY_TOPICS (both separated by commas), and so on. A flag wins
over its variable. JITNEY_CONFIG_JSON holds a whole Config.json in place of a file.

Examples:
  jitney
  jitney --memory --queue orders --queue 'billing?lockDuration=PT30S&maxDeliveryCount=5'
  jitney --topic events/audit+mail --topic news/all
`;

export function describeStartOptions(program: Command): Command {
  for (const [group, options] of Object.entries(OPTION_GROUPS)) {
    // The options of the log are listed together with --version and --help.
    program.optionsGroup(group === 'Log' ? 'Options:' : `${group}:`);
    for (const name of FLAG_OPTIONS.filter((each) => each in options)) program.addOption(startOption(name));
  }
  return program.addHelpText('after', EXAMPLES);
}

export function startOption(name: FlagOption): Option {
  const { flag = '', type, help, default: value, defaultText }: TableOption = OPTIONS[name];
  const shownDefault = defaultText ?? (type.given === 'switch' ? undefined : value);
  const sentence = type.given === 'list' ? `${help}; repeatable` : help;
  const option = new Option(flag, shownDefault === undefined ? sentence : `${sentence} [${shownDefault}]`);
  // Otherwise commander would take `--no-x` for the opposite of an option x that is on by default.
  option.negate = false;
  return type.given === 'list' ? option.argParser(collect) : option;
}

function collect(item: string, before: readonly string[] = []): string[] {
  return [...before, item];
}
