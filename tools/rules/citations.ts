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

/**
 * The line a comment ends, with what it opens; or the statement or function that follows the comment. What depends on a
 * condition is obeyed by the condition too.
 */
function obeyingCode(source: MaskedSource, comment: Span): Span {
  const lineStart = source.startOfLine(comment.start);
  const before = source.mask.slice(lineStart, comment.start);
  const condition = findCondition(source, lineStart);
  if (before.trim() === '') {
    const isFirstInBlock = condition?.opensBlock === true;
    return source.statementFrom(isFirstInBlock ? condition.start : skipSpace(source.mask, comment.end));
  }
  const dependsOnLineAbove = condition !== undefined && !condition.opensBlock;
  const start = dependsOnLineAbove ? condition.start : skipSpace(source.mask, lineStart);
  if (/[{([]\s*$/.test(before)) return source.statementFrom(start);
  return { start, end: lineStart + before.trimEnd().length };
}

/** The condition in the line above this one. */
function findCondition(
  source: MaskedSource,
  lineStart: number,
): { readonly start: number; readonly opensBlock: boolean } | undefined {
  const above = source.startOfLine(lineStart - 1);
  const line = source.mask.slice(above, lineStart).trimEnd();
  const [, indentation] = /^(\s*(?:\} else )?)(?:if|for|while) \(.*\)(?: \{)?$/.exec(line) ?? [];
  if (indentation === undefined) return undefined;
  return { start: above + indentation.length, opensBlock: line.endsWith('{') };
}

function skipSpace(mask: string, from: number): number {
  const found = mask.slice(from).search(/\S/);
  return found < 0 ? mask.length : from + found;
}
