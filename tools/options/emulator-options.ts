// Builds src/config/options/emulator-options.ts, the type of the options of `startEmulator`, from the table of options.

import type { Option } from '../../src/config/options/option.js';
import { OPTIONS } from '../../src/config/options/option-table.js';

const HEAD = `// The options of \`startEmulator\`. Made from the table of options: change that, and run npm run fix.

import type { GivenPolicy, GivenQueue, GivenTopic } from '../given-entities.js';
import type { GivenMessage } from '../given-message.js';
import type { GivenNamespace } from '../given-namespaces.js';
import type { LineLevel, LogDetails } from './log-options.js';

/** Options of \`startEmulator\`. Each has a default that suits a test; an unknown name or a wrong value is a JitneyError. */
export type EmulatorOptions = {
`;
const WIDTH = 110;

export function buildEmulatorOptions(): string {
  const options = Object.entries<Option>(OPTIONS).filter(([, { isInCode = true }]) => isInCode);
  return `${HEAD}${options.map(property).join('')}};\n`;
}

function property([name, option]: readonly [string, Option]): string {
  const { type, setting = name } = option;
  return `${comment(sentences(option))}  readonly ${setting}?: ${type.typescript};\n`;
}

/** Links of the page are left out, because they lead nowhere from a type. */
function sentences(option: Option): string {
  const text = option.docs.replaceAll(/ See \[[^\]]*\]\([^)]*\)|; see \[[^\]]*\]\([^)]*\)/g, '');
  const plain = text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/\.$/, '');
  const missing = defaultOf(option);
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.${missing === undefined ? '' : ` Default: ${missing}.`}`;
}

function defaultOf({ type, ...option }: Option): string | undefined {
  const { defaultTextInCode, defaultInCode, defaultText, default: value } = option;
  if (defaultTextInCode !== undefined) return defaultTextInCode;
  if (defaultInCode !== undefined) return literal(defaultInCode);
  if (defaultText !== undefined) return defaultText;
  if (value !== undefined) return literal(value);
  return type.given === 'switch' ? literal(type.missing) : undefined;
}

function literal(value: unknown): string {
  return `\`${typeof value === 'string' ? `'${value}'` : value}\``;
}

export function comment(text: string): string {
  const line = `  /** ${text} */\n`;
  if (line.length <= WIDTH) return line;
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length + '   *'.length > WIDTH) lines.push(` ${word}`);
    else lines[lines.length - 1] = longer;
  }
  return `  /**\n${lines.map((each) => `   *${each}\n`).join('')}   */\n`;
}
