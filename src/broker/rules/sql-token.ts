// The words of the rule language.

/** SQL-03: these cannot be names unless quoted; SYS and USER are scopes only before a dot. */
const KEYWORDS = [
  'AND',
  'OR',
  'NOT',
  'IN',
  'LIKE',
  'ESCAPE',
  'IS',
  'NULL',
  'EXISTS',
  'TRUE',
  'FALSE',
  'SET',
  'REMOVE',
] as const;

export type Keyword = (typeof KEYWORDS)[number];

export type Token = {
  /** Offset of its first character. */
  readonly at: number;
  /** As written; empty at the end. */
  readonly text: string;
} & (
  | { readonly kind: 'keyword'; readonly keyword: Keyword }
  | { readonly kind: 'name'; readonly name: string; readonly isQuoted: boolean }
  | { readonly kind: 'parameter' }
  | { readonly kind: 'text'; readonly value: string }
  /** Not negative; may be one more than a 64-bit integer holds, for there may be a minus before it. */
  | { readonly kind: 'integer'; readonly value: bigint }
  | { readonly kind: 'double'; readonly value: number }
  | { readonly kind: 'symbol' }
  | { readonly kind: 'end' }
);

const BY_TEXT: ReadonlyMap<string, Keyword> = new Map(KEYWORDS.map((keyword) => [keyword, keyword]));

/** In any case. */
export function findKeyword(text: string): Keyword | undefined {
  return BY_TEXT.get(text.toUpperCase());
}
