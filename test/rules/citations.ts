// Where the code cites rules: at the end of a line, on the line above, or in the comment above a function.

import type { MaskedSource, Span } from './masked-source.js';
import { idsInText } from './rule-ids.js';

export type Citation = {
  readonly id: string;
  /** Of the number itself, counted from 1. */
  readonly line: number;
  /** The code that obeys the rule. */
  readonly code: Span;
};

/** The comment that heads a file says what the file is for; it cites no line, so it does not count. */
export function findCitations(source: MaskedSource): Citation[] {
  return source.comments.flatMap((comment) => {
    const text = source.text.slice(comment.start, comment.end);
    if (isHeader(source.text, comment)) return [];
    return idsInText(text).map((id) => {
      const line = source.lineAt(comment.start + text.indexOf(id));
      return { id, line, code: obeyingCode(source, comment) };
    });
  });
}

function isHeader(text: string, comment: Span): boolean {
  return /^(?:#!.*\n)?(?:\/\/.*\n)*$/.test(text.slice(0, comment.start));
}

/** The line a comment ends, with what it opens; or the statement or function that follows the comment. */
function obeyingCode(source: MaskedSource, comment: Span): Span {
  const lineStart = source.startOfLine(comment.start);
  const before = source.mask.slice(lineStart, comment.start);
  if (before.trim() === '') return source.statementFrom(skipSpace(source.mask, comment.end));
  const start = skipSpace(source.mask, startOfCondition(source, lineStart));
  if (/[{([]\s*$/.test(before)) return source.statementFrom(start);
  return { start, end: lineStart + before.trimEnd().length };
}

/** A line that depends on the one above belongs to it. */
function startOfCondition(source: MaskedSource, lineStart: number): number {
  const above = source.startOfLine(lineStart - 1);
  const isCondition = /^\s*(?:\} else )?(?:if|for|while) \(.*\)\s*$/.test(
    source.mask.slice(above, lineStart),
  );
  return isCondition ? above : lineStart;
}

function skipSpace(mask: string, from: number): number {
  const found = mask.slice(from).search(/\S/);
  return found < 0 ? mask.length : from + found;
}
