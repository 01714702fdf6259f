// Breaks of statements: a condition turned round, a call left out, a value spoilt, a function left at once.

import type { Break } from './breaks.js';
import { findWords, type MaskedSource, type Span } from './masked-source.js';

const CONDITION = /\b(if|while) \(/g;
/** A name, or a call without brackets in its arguments, before the `?` of a choice. */
const CHOICE = /(?<![\w.#$])[\w.#$]+(?:\([^()\n]*\))?(?=\s+\? )/g;
/** The start of a line that calls, assigns, counts or leaves. */
const EFFECT =
  /^[ \t]*((?:throw|return|continue|break|delete|await|for)\b|(?!(?:const|let|if|for|while|switch|case|default|else|export|import|type|function|class)\b)[\w$#.]+(?:\?\.|[.([]|!?\.| [-+*/|&?]*= |\+\+|--))/gm;
const RETURN = /\breturn (?=\S)/g;
const PROPERTY = /(?<=\w: )[\w.#$]+(?:\([^()\n]*\))?(?=,| \}|$)/gm;
const ARROW = /(?<==> )!?[\w.#$]+(?:\([^()\n]*\))?(?=[,;)]|$)/gm;
const INITIAL = /(?<=\b(?:const|let) \w+(?:: [\w<>[\] |]+)? = )[^;{}]+(?=;)/g;
/** A signature or an arrow, and the brace of its body. */
const BODY = /(?:=>|\)(?:: [^={}]+)?) \{$/gm;

export function findConditions(source: MaskedSource, code: Span): Break[] {
  const conditions = findWords(source, code, CONDITION).flatMap(({ end, found }) => {
    const close = source.closingBracket(end - 1);
    if (close === undefined) return [];
    const condition = { start: end, end: close };
    const text = source.text.slice(end, close);
    const never = { ...condition, replacement: `false && (${text})`, coarseness: 1 };
    // A loop that is turned round would hardly end.
    return found.startsWith('while')
      ? [never]
      : [{ ...condition, replacement: `!(${text})`, coarseness: 0 }, never];
  });
  const choices = findWords(source, code, CHOICE).map(({ start, end }) => {
    return { start, end, replacement: `!${source.text.slice(start, end)}`, coarseness: 0 };
  });
  return [...conditions, ...choices];
}

export function findDroppable(source: MaskedSource, code: Span): Break[] {
  return findWords(source, code, EFFECT).map((match) => {
    const { start, end } = source.statementFrom(match.end - match.found.trimStart().length);
    const replacement = source.text.slice(start, end).replace(/[^\n]/g, '');
    return { start, end, replacement: `;${replacement}`, coarseness: 1 };
  });
}

/** Turned round where they may be true or false, one more where they may be numbers. */
export function findValues(source: MaskedSource, code: Span): Break[] {
  const returned = findWords(source, code, RETURN).map(({ end }) => ({
    start: end,
    end: source.statementFrom(end).end - 1,
  }));
  const others = [PROPERTY, ARROW, INITIAL].flatMap((pattern) => findWords(source, code, pattern));
  const values = [...returned, ...others];
  return values.flatMap(({ start, end }) => {
    const text = source.text.slice(start, end);
    return [`(${text}) + 1`, `!(${text})`].map((replacement) => ({ start, end, replacement, coarseness: 2 }));
  });
}

export function findEarlyReturns(source: MaskedSource, code: Span): Break[] {
  return findWords(source, code, BODY).map(({ end }) => {
    return { start: end, end, replacement: ' return undefined as never;', coarseness: 3 };
  });
}
