// The rules of the house that a machine can check; each says of one file what is wrong with it.

import type { SourceFile } from './source-file.js';

const MOST_LINES = 400;
const MOST_FUNCTION_LINES = 60;

export function findMissingHeader({ path, lines }: SourceFile): string[] {
  const start = lines[0]?.startsWith('#!') === true ? 1 : 0;
  const end = lines.findIndex((line, index) => index >= start && !line.startsWith('// '));
  const header = lines.slice(start, end < 0 ? lines.length : end).join(' ');
  return /[.:?]$/.test(header) ? [] : [`${path} does not start with a comment that is a sentence`];
}

export function findLongFile({ path, lines }: SourceFile): string[] {
  return lines.length > MOST_LINES ? [`${path} has ${lines.length} lines`] : [];
}

/** Relies on the formatter: a body ends where a line of its first line's indentation starts with a brace. */
export function findLongFunctions({ path, lines }: SourceFile): string[] {
  return lines.flatMap((line, start) => {
    if (!opensFunction(line)) return [];
    const indentation = /^ */.exec(line)?.[0] ?? '';
    const length = lines.slice(start).findIndex((end) => end.startsWith(`${indentation}}`)) + 1;
    return length > MOST_FUNCTION_LINES ? [`${path}:${start + 1} is a function of ${length} lines`] : [];
  });
}

function opensFunction(line: string): boolean {
  if (/^\s*(if|else|for|while|do|switch|try|catch|class|export class|\}|\/\/)\b/.test(line)) return false;
  return /(=>|\)|\)(?:: .+)) \{$/.test(line);
}

export function findUnconventionalName({ path }: SourceFile): string[] {
  const name = path.split('/').at(-1) ?? '';
  return /^[a-z0-9]+(-[a-z0-9]+)*(\.d)?\.ts$/.test(name) ? [] : [`${path} is not in kebab-case`];
}

/** Words of other brokers, and of Service Bus's past, for which the house has its own. Compared word by word. */
const REFUSED_WORDS: readonly string[] = [
  ...['exchange', 'envelope', 'visibility timeout', 'invisible', 'lease', 'nack', 'requeue', 'redeliver'],
  ...['dlq', 'dlx', 'dao', 'wal', 'error queue', 'ack mode', 'unit of work'],
];

export function findRefusedWords({ path, words }: SourceFile): string[] {
  const spoken = ` ${splitIntoWords(`${path} ${words}`).join(' ')} `;
  return REFUSED_WORDS.filter((word) => spoken.includes(` ${word} `)).map((word) => `${path} says "${word}"`);
}

/** `visibilityTimeout` and `visibility-timeout` are "visibility timeout". */
function splitIntoWords(text: string): string[] {
  const spaced = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[^A-Za-z0-9]+/g, ' ');
  return spaced.toLowerCase().trim().split(' ');
}

/** The broker waits for nothing, reads no clock, rolls no dice, and knows no protocol. */
const NOT_IN_BROKER: readonly RegExp[] = [
  ...[/\bawait\b/, /\basync\b/, /\bPromise\b/],
  ...[/\bsetTimeout\b/, /\bsetInterval\b/, /\bsetImmediate\b/, /\bDate\b/, /\bperformance\b/],
  ...[/\bMath\.random\b/, /\bcrypto\b/, /\bBuffer\b/, /\bprocess\b/, /\bconsole\b/, /\bglobalThis\b/],
  ...[
    /amqp/i,
    /\bhttps?\b/i,
    /link-?credit/i,
    /disposition/i,
    /performative/i,
    /\battach frame\b/i,
    /status-?code/i,
  ],
];

export function findBrokerImpurities({ path, code }: SourceFile): string[] {
  if (!path.startsWith('broker/')) return [];
  return NOT_IN_BROKER.filter((word) => word.test(code)).map((word) => `${path} has ${word}`);
}
