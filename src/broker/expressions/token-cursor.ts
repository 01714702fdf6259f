// Walks through the tokens of an expression, and limits how deep it is nested.

import { assert } from '../contract/assert.js';
import type { ExpressionSource } from './expression-source.js';

export type PlacedToken = {
  /** The offset of the first character. */
  readonly at: number;
  /** The token as written; empty for the end. */
  readonly text: string;
};

type AnyToken = PlacedToken & { readonly kind: string; readonly keyword?: string };
type KeywordOf<Token> = Token extends { readonly keyword: infer Keyword } ? Keyword : never;

/** The deepest nesting of brackets, NOTs and signs. Real expressions stay far below it; deeper ones would use up the stack. */
const MAX_NESTING = 64;

/** Walks through the tokens, with a look at the next two, and counts the nesting. */
export class TokenCursor<Token extends AnyToken> {
  readonly source: ExpressionSource;
  readonly #tokens: readonly Token[];
  #index = 0;
  #nesting = 0;

  /** The last of the tokens is the end. */
  constructor(source: ExpressionSource, tokens: readonly Token[]) {
    this.source = source;
    this.#tokens = tokens;
  }

  get next(): Token {
    return this.#peek(0);
  }

  get second(): Token {
    return this.#peek(1);
  }

  take(): Token {
    const token = this.next;
    this.#index++;
    return token;
  }

  isSymbol(text: string): boolean {
    return this.next.kind === 'symbol' && this.next.text === text;
  }

  isKeyword(keyword: KeywordOf<Token>): boolean {
    return this.next.kind === 'keyword' && this.next.keyword === keyword;
  }

  takeSymbol(text: string): boolean {
    if (!this.isSymbol(text)) return false;
    this.#index++;
    return true;
  }

  takeKeyword(keyword: KeywordOf<Token>): boolean {
    if (!this.isKeyword(keyword)) return false;
    this.#index++;
    return true;
  }

  expectSymbol(text: string): void {
    if (!this.takeSymbol(text)) this.failAtNext(`'${text}'`);
  }

  failAtNext(expected: string): never {
    const { kind, text, at } = this.next;
    const found = kind === 'end' ? 'the end' : `'${text}'`;
    return this.source.fail(at, `found ${found}, expected ${expected}`);
  }

  /** Reads one level deeper. Fails past the deepest level. */
  nested<T>(read: () => T): T {
    if (this.#nesting === MAX_NESTING) {
      this.source.fail(this.next.at, `nested deeper than ${MAX_NESTING} levels`);
    }
    this.#nesting++;
    const node = read();
    this.#nesting--;
    return node;
  }

  #peek(ahead: number): Token {
    const token = this.#tokens[Math.min(this.#index + ahead, this.#tokens.length - 1)];
    assert(token !== undefined, 'an expression has no tokens, not even its end');
    return token;
  }
}
