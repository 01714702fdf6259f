// Builds docs/options.md from the table of options.

import { OPTION_GROUPS, OPTIONS, type Option } from '../../src/config/options/option-table.js';

const HEAD = `# Options

- On the command line: \`npx jitney <options>\` where the package is installed or in a clone, or \`npm start -- <options>\` in a clone. \`jitney --help\` prints the same list.
- In the environment: each option has a variable. A flag wins over its variable; an empty variable counts as not set.
- In code: \`startEmulator({ ... })\`. Its defaults suit a test; the table names them where they differ.
- \`npx jitney config\` prints the settings of a start, and where each value comes from.
`;

export function buildOptionsPage(): string {
  return [HEAD, ...OPTION_GROUPS.map(section)].join('\n');
}

function section(group: Option['group']): string {
  const rows = Object.entries<Option>(OPTIONS).filter(([, option]) => option.group === group);
  return `## ${group}

| Option | Variable | In code | Default | |
|---|---|---|---|---|
${rows.map(([name, option]) => row(name, option)).join('\n')}
`;
}

function row(name: string, option: Option): string {
  const { flag, variables = [], docs } = option;
  const cells = [
    flag === undefined ? '' : code(flag.replace(/^-\w, /, '')),
    variables.map(code).join(', '),
    inCode(name, option),
    defaults(option),
    docs,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`.replaceAll(/ {2,}/g, ' ');
}

function inCode(name: string, { type, setting = name, inCode: renamed }: Option): string {
  if (renamed === false) return '';
  const codeName = renamed ?? setting;
  return code(type.given === 'switch' && type.missing === 'on' ? `${codeName}: 'off'` : codeName);
}

function defaults({ default: value, defaultInCode, docsDefault }: Option): string {
  if (docsDefault !== undefined) return docsDefault;
  const shown = value === undefined ? '' : typeof value === 'number' ? String(value) : code(String(value));
  if (defaultInCode === undefined) return shown;
  return `${shown}; in code ${typeof defaultInCode === 'string' ? code(`'${defaultInCode}'`) : defaultInCode}`;
}

function code(text: string): string {
  return `\`${text}\``;
}
