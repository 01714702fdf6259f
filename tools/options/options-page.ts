// Builds docs/options.md from the table of options.

import type { Option } from '../../src/config/options/option.js';
import { OPTION_GROUPS } from '../../src/config/options/option-table.js';

const HEAD = `# Options

- On the command line: \`npx jitney <options>\` where the package is installed. In a clone, \`npm start -- <options>\`, or \`npx jitney\`, which builds the package the first time. \`jitney --help\` prints the same list.
- In the environment: each option has a variable. A flag wins over its variable; an empty variable counts as not set.
- In code: \`startEmulator({ ... })\`. Its defaults suit a test; the table names them where they differ.
- A repeatable option is an array in code, and separated by commas in its variable.
- \`npx jitney config\` prints the settings of a start, and where each value comes from.
`;

export function buildOptionsPage(): string {
  return [HEAD, ...Object.entries(OPTION_GROUPS).map(section)].join('\n');
}

function section([group, options]: readonly [string, Readonly<Record<string, Option>>]): string {
  return `## ${group}

| Option | Variable | In code | Default | |
|---|---|---|---|---|
${Object.entries(options).map(row).join('\n')}
`;
}

function row([name, option]: readonly [string, Option]): string {
  const { flag, variables = [], type, docs } = option;
  const cells = [
    flag === undefined ? '' : code(flag.replace(/^-\w, /, '')),
    variables.map(code).join(', '),
    inCode(name, option),
    defaults(option),
    type.given === 'list' ? `${docs}; repeatable` : docs,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`.replaceAll(/ {2,}/g, ' ');
}

/** The value beside a flag that turns something off. */
function inCode(name: string, { type, setting = name, isInCode = true }: Option): string {
  if (!isInCode) return '';
  if (type.given !== 'switch' || type.missing === false) return code(setting);
  return code(`${setting}: ${type.missing === true ? 'false' : "'off'"}`);
}

function defaults({
  default: value,
  defaultText,
  defaultInCode,
  defaultTextInCode = literal(defaultInCode),
}: Option): string {
  const shown = defaultText ?? (typeof value === 'number' ? String(value) : value && code(String(value)));
  return [shown ?? '', ...(defaultTextInCode === undefined ? [] : [`in code ${defaultTextInCode}`])].join(
    '; ',
  );
}

function literal(value: string | number | undefined): string | undefined {
  return typeof value === 'string' ? code(`'${value}'`) : value?.toString();
}

function code(text: string): string {
  return `\`${text}\``;
}
