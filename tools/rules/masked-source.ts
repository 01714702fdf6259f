// A source file beside a copy of the same length in which only code is left, so that brackets and operators can be found.

const COMMENT = /\/\/.*|\/\*[\s\S]*?\*\//;
const STRING = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/;
const TEMPLATE = /`(?:\\[\s\S]|[^`\\])*`/;
/** Only where a value may begin; elsewhere a slash divides. */
const PATTERN =
  /(?<=(?:^|[(,=:[!&|?{};]|=>|\breturn)\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/;
const TOKENS = new RegExp([COMMENT, STRING, TEMPLATE, PATTERN].map(({ source }) => source).join('|'), 'g');

/** What is seen of a literal; of a comment nothing is. */
const LITERAL = "'";

export type Span = { readonly start: number; readonly end: number };

export class MaskedSource {
  readonly text: string;
  /** The code alone: each character at its place, newlines kept. */
  readonly mask: string;
  readonly comments: readonly Span[];
  /** Strings, templates and regular expressions. */
  readonly literals: readonly Span[];

  constructor(text: string) {
    const comments: Span[] = [];
    const literals: Span[] = [];
    this.text = text;
    this.mask = text.replace(TOKENS, (token, start: number) => {
      const isComment = token.startsWith('//') || token.startsWith('/*');
      (isComment ? comments : literals).push({ start, end: start + token.length });
      return token.replace(/[^\n]/g, isComment ? ' ' : LITERAL);
    });
    this.comments = comments;
    this.literals = literals;
  }

  /** Counted from 1. */
  lineAt(offset: number): number {
    return this.text.slice(0, offset).split('\n').length;
  }

  startOfLine(offset: number): number {
    return this.text.lastIndexOf('\n', offset - 1) + 1;
  }

  /** Of the bracket at `open`; undefined when nothing closes it. */
  closingBracket(open: number): number | undefined {
    let depth = 0;
    for (let at = open; at < this.mask.length; at++) {
      depth += depthChange(this.mask[at]);
      if (depth === 0) return at;
    }
    return undefined;
  }

  /** To the end of the first line that ends a statement and closes all brackets opened since `start`. */
  statementFrom(start: number): Span {
    let depth = 0;
    for (let at = start; at < this.mask.length; at++) {
      depth += depthChange(this.mask[at]);
      if (depth < 0) return { start, end: at };
      if (depth === 0 && /[;},]/.test(this.mask[at] ?? '') && this.#endsLine(at))
        return { start, end: at + 1 };
    }
    return { start, end: this.mask.length };
  }

  #endsLine(at: number): boolean {
    const lineEnd = this.mask.indexOf('\n', at);
    return this.mask.slice(at + 1, lineEnd < 0 ? undefined : lineEnd).trim() === '';
  }
}

/** What matches in the code of this stretch, and where. */
export function findWords(
  { mask }: MaskedSource,
  { start, end }: Span,
  pattern: RegExp,
): (Span & { readonly found: string })[] {
  return Array.from(mask.slice(start, end).matchAll(pattern), ({ 0: found, index }) => {
    return { start: start + index, end: start + index + found.length, found };
  });
}

function depthChange(character: string | undefined): number {
  if (character === '(' || character === '[' || character === '{') return 1;
  return character === ')' || character === ']' || character === '}' ? -1 : 0;
}
