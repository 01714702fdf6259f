// The options of `jitney start` as commander sees them, with their help.

import { type Command, Option } from 'commander';
import { FLAG_OPTIONS, type FlagOption } from '../../config/environment.js';
import { OPTION_GROUPS, OPTIONS, type Option as TableOption } from '../../config/options/option-table.js';

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
  for (const group of OPTION_GROUPS) {
    // The option of the log is listed beside --version and --help.
    program.optionsGroup(group === 'Log' ? 'Options:' : `${group}:`);
    for (const name of helpOrder(group)) program.addOption(startOption(name));
  }
  return program.addHelpText('after', EXAMPLES);
}

function helpOrder(group: TableOption['group']): readonly FlagOption[] {
  const names = FLAG_OPTIONS.filter((name) => OPTIONS[name].group === group);
  const leads = (name: FlagOption) => ('leadsHelp' in OPTIONS[name] ? 0 : 1);
  return names.toSorted((one, other) => leads(one) - leads(other));
}

export function startOption(name: FlagOption): Option {
  const { flag = '', type, help, helpDefault, default: value }: TableOption = OPTIONS[name];
  const shownDefault = helpDefault ?? (type.given === 'switch' ? undefined : value);
  const option = new Option(flag, shownDefault === undefined ? help : `${help} [${shownDefault}]`);
  // Commander would take `--no-x` for the opposite of an option x that is on by default.
  option.negate = false;
  return type.given === 'list' ? option.argParser(collect) : option;
}

/** Collects the values of a repeated option. */
function collect(item: string, before: readonly string[] = []): string[] {
  return [...before, item];
}
