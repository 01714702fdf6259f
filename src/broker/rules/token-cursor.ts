// Walks through the words of an expression, one ahead, and counts how deep they are nested.

import { readTokens } from './sql-lexer.js';
import type { SqlSource } from './sql-source.js';
import type { Keyword, Token } from './sql-token.js';

/** Brackets, NOTs and signs inside of each other: more is nothing one writes, and would use up the stack. */
const MAX_NESTING = 64;

export class TokenCursor {
  readonly source: SqlSource;
  readonly #tokens: readonly Token[];
  #index = 0;
  #nesting = 0;

  constructor(source: SqlSource) {
    this.source = source;
    this.#tokens = readTokens(source);
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

  isKeyword(keyword: Keyword): boolean {
    return this.next.kind === 'keyword' && this.next.keyword === keyword;
  }

  takeSymbol(text: string): boolean {
    if (!this.isSymbol(text)) return false;
    this.#index++;
    return true;
  }

  takeKeyword(keyword: Keyword): boolean {
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

  /** What `read` reads is one level deeper than what stands around it. */
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
    const index = Math.min(this.#index + ahead, this.#tokens.length - 1);
    return this.#tokens[index] ?? { kind: 'end', at: this.source.text.length, text: '' };
  }
}
