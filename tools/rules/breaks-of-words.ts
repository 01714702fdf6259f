// Breaks of single words: an operator, a number, a text.

import type { Break } from './breaks.js';
import { findWords, type MaskedSource, type Span } from './masked-source.js';

/** Operators stand between spaces, which tells them from brackets of types and from arrows. */
const SWAPS: readonly (readonly [pattern: RegExp, swaps: Readonly<Record<string, readonly string[]>>])[] = [
  [
    /(?<= )(?:[=!]==|[<>]=?)(?=\s)/g,
    {
      '===': ['!=='],
      '!==': ['==='],
      '<': ['<=', '>='],
      '>=': ['>', '<'],
      '>': ['>=', '<='],
      '<=': ['<', '>'],
    },
  ],
  [/(?<= )(?:&&|\|\||\?\?)(?=\s)/g, { '&&': ['||'], '||': ['&&'], '??': ['&&'] }],
  [/(?<= )[-+*/%](?=\s)/g, { '+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['*'] }],
  [/(?<= )[-+]=(?=\s)/g, { '+=': ['-='], '-=': ['+='] }],
  [/\+\+|--/g, { '++': ['--'], '--': ['++'] }],
  [/\b(?:true|false)\b/g, { true: ['false'], false: ['true'] }],
  [/(?<=[\s(])!(?=[\w#(])/g, { '!': [''] }],
  [/(?<=\bMath\.)(?:min|max)\b/g, { min: ['max'], max: ['min'] }],
  [
    /(?<=\.)(?:some|every|shift|pop)\b/g,
    { some: ['every'], every: ['some'], shift: ['pop'], pop: ['shift'] },
  ],
];

const NUMBER = /(?<![\w.$#])(?:0x[\da-f]+|\d[\d_]*)(?![\w.])/g;
/** `NEVER`, but not `STATE.active`. */
const CONSTANT = /(?<![\w.$#])[A-Z][A-Z\d_]+(?![\w.(:$])/g;
/** Of what is chosen, put in order or made alike. */
const STEP = /\??\.(?:filter|sort|toSorted|reverse|toReversed|slice|trim|toLowerCase|toUpperCase)\(/g;

export function findOperators(source: MaskedSource, code: Span): Break[] {
  return SWAPS.flatMap(([pattern, swaps]) =>
    findWords(source, code, pattern).flatMap(({ start, end, found }) =>
      (swaps[found] ?? []).map((replacement) => ({ start, end, replacement, coarseness: 0 })),
    ),
  );
}

export function findNumbers(source: MaskedSource, code: Span): Break[] {
  const numbers = findWords(source, code, NUMBER).map(({ start, end, found }) => {
    return { start, end, replacement: String(Number(found.replaceAll('_', '')) + 1), coarseness: 1 };
  });
  const constants = findWords(source, code, CONSTANT).map(({ start, end }) => {
    return { start, end, replacement: '0', coarseness: 1 };
  });
  return [...numbers, ...constants];
}

export function findSteps(source: MaskedSource, code: Span): Break[] {
  return findWords(source, code, STEP).flatMap(({ start, end }) => {
    const close = source.closingBracket(end - 1);
    return close === undefined ? [] : [{ start, end: close + 1, replacement: '', coarseness: 1 }];
  });
}

export function findLiterals({ text, literals }: MaskedSource, { start, end }: Span): Break[] {
  const inside = literals.filter((literal) => literal.start >= start && literal.end <= end);
  return inside.map((literal) => {
    const replacement = breakLiteral(text.slice(literal.start, literal.end));
    return { ...literal, replacement, coarseness: 2 };
  });
}

function breakLiteral(literal: string): string {
  if (literal.startsWith('/')) return '/broken/';
  if (!literal.startsWith('`')) return "'broken'";
  // What is computed in a template stays; one word of its own is changed.
  return literal.replace(/(?<![${\w.])[A-Za-z]{3,}(?![^{}]*\})/, 'broken');
}
