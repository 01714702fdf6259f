// The rules of the house that a machine can check; each says of one file what is wrong with it.

import type { SourceFile } from './source-file.js';

const MOST_FUNCTION_LINES = 60;

export function findMissingHeader({ path, lines }: SourceFile): string[] {
  const start = lines[0]?.startsWith('#!') === true ? 1 : 0;
  const end = lines.findIndex((line, index) => index >= start && !line.startsWith('// '));
  const header = lines.slice(start, end < 0 ? lines.length : end).join(' ');
  return /[.:?]$/.test(header) ? [] : [`${path} does not start with a comment that is a sentence`];
}

/** Relative clauses without a noun: a reader learns too late what they are about. */
const ODD_OPENING = /^(?:\/\*\*|\/\/) (Of|What|Whence|Whoever|That|Those)\b/;

/** A comment of several lines is looked at where it opens. */
export function findOddComments({ path, lines }: SourceFile): string[] {
  return lines.flatMap((line, index) => {
    const text = line.trim();
    const previous = lines[index - 1]?.trim() ?? '';
    if (text.startsWith('//') && previous.startsWith('//')) return [];
    const opening = text === '/**' ? `/** ${lines[index + 1]?.replace(/^ *\* /, '') ?? ''}` : text;
    const word = ODD_OPENING.exec(opening)?.[1];
    return word === undefined ? [] : [`${path}:${index + 1} has a comment that opens with "${word}"`];
  });
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
  return /^[a-z0-9]+(-[a-z0-9]+)*(\.d)?\.tsx?$/.test(name) ? [] : [`${path} is not in kebab-case`];
}

/** Words of other brokers, and of Service Bus's past, for which the house has its own. Compared word by word. */
const REFUSED_WORDS: readonly string[] = [
  ...['exchange', 'envelope', 'visibility timeout', 'invisible', 'lease', 'nack', 'requeue', 'redeliver'],
  ...['dlq', 'dlx', 'dao', 'wal', 'error queue', 'ack mode', 'unit of work'],
];

/** Words that a newcomer cannot look up, and the field's words for the same. Compared word by word. */
const PRIVATE_WORDS: Readonly<Record<string, string>> = {
  told: 'reported, entry or feed',
  meant: 'route, requested or effective',
  asks: 'pending requests',
  asked: 'requested or pending',
  luggage: 'message metadata',
  door: 'server',
  entrance: 'protocol sniffer',
  visitor: 'origin',
  welcome: 'accept or allowed',
  impatience: 'timeout',
  goodbye: 'close reason',
  illness: 'failure',
  liveness: 'heartbeat',
  ingress: 'back-pressure',
  outlet: 'delivery queue',
  trial: 'dry run',
  whoever: 'a noun',
  whence: 'source',
  'careful setup': 'dry run',
  'fitting error': 'what it does',
  'kept elements': 'unknown elements',
  'passing time': 'due work',
  'session table': 'AMQP sessions',
  'trust answer': 'CA certificate endpoint',
};

export function findRefusedWords(file: SourceFile): string[] {
  return findWords(file, REFUSED_WORDS).map((word) => `${file.path} says "${word}"`);
}

export function findPrivateWords(file: SourceFile): string[] {
  return findWords(file, Object.keys(PRIVATE_WORDS)).map((word) => {
    return `${file.path} says "${word}" (${PRIVATE_WORDS[word]})`;
  });
}

function findWords({ path, words }: SourceFile, refused: readonly string[]): string[] {
  const spoken = ` ${splitIntoWords(`${path} ${words}`).join(' ')} `;
  return refused.filter((word) => spoken.includes(` ${word} `) || spoken.includes(` ${word}s `));
}

/** `visibilityTimeout` and `visibility-timeout` are "visibility timeout". */
function splitIntoWords(text: string): string[] {
  const spaced = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[^A-Za-z0-9]+/g, ' ');
  return spaced.toLowerCase().trim().split(' ');
}

/** The broker waits for nothing, reads no clock, rolls no dice, and knows no protocol. `Date.UTC(...)` and `new Date(ms)` are arithmetic. */
const NOT_IN_BROKER: readonly RegExp[] = [
  ...[/\bawait\b/, /\basync\b/, /\bPromise\b/],
  ...[/\bsetTimeout\b/, /\bsetInterval\b/, /\bsetImmediate\b/, /\bperformance\b/],
  ...[
    /(?<!\bnew )\bDate\b(?!\.UTC\()/,
    /\bnew Date\b(?!\([^)])/,
    /\.[gs]et(?:FullYear|Month|Date|Hours|Minutes)\b/,
  ],
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
