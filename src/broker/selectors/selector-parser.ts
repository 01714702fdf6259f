// Parses a selector (grammar: JMS-85 to JMS-88). It reads all that the check of the JMS libraries lets through.

import { ExpressionSource, failOutOfRange } from '../expressions/expression-source.js';
import { isOneCharacter } from '../expressions/like-pattern.js';
import { type SelectorToken, selectorCursor, type TokensOfSelector } from './selector-lexer.js';
import type { SelectorNode } from './selector-tree.js';
import type { SelectorValue } from './selector-values.js';

const MAX_INTEGER = 2n ** 63n - 1n;
const ORDERS = ['<', '<=', '>', '>='] as const;
const CONSTANTS: ReadonlyMap<string, SelectorValue> = new Map<string, SelectorValue>([
  ['TRUE', true],
  ['FALSE', false],
  ['NULL', null],
]);

/** Throws argument with line and column. */
export function parseSelector(source: ExpressionSource): SelectorNode {
  const cursor = selectorCursor(source);
  const parser = new SelectorParser(cursor);
  const condition = parser.expectCondition(parser.readOr());
  if (cursor.next.kind !== 'end') cursor.failAtNext('an operator or the end');
  return condition;
}

/** Whether two selectors differ only in how they are written: in white space, comments, brackets, the case of keywords (JMS-56). */
export function isSameSelector(a: string, b: string): boolean {
  return a === b || meaningOf(a) === meaningOf(b);
}

/** The tree without the places in the text. */
function meaningOf(text: string): string {
  return JSON.stringify(parseSelector(new ExpressionSource('selector', text)), (key, value) => {
    if (key === 'at' || key === 'end') return undefined;
    return typeof value === 'bigint' ? { integer: String(value) } : value;
  });
}

class SelectorParser {
  readonly #cursor: TokensOfSelector;
  /** The end of the token that was taken last. */
  #end = 0;

  constructor(cursor: TokensOfSelector) {
    this.#cursor = cursor;
  }

  readOr(): SelectorNode {
    return this.#readChain('or', () => this.#readChain('and', () => this.#readNot()));
  }

  /** JMS-88: a name counts if it is boolean; a literal that is not can never be meant. */
  expectCondition(node: SelectorNode): SelectorNode {
    const isValue =
      node.kind === 'sign' ||
      node.kind === 'arithmetic' ||
      (node.kind === 'literal' && node.value !== null && typeof node.value !== 'boolean');
    if (!isValue) return node;
    const found = this.#cursor.source.text.slice(node.at, node.end);
    return this.#cursor.source.fail(node.at, `found the value ${found}, expected a condition`);
  }

  #readChain(kind: 'and' | 'or', readOperand: () => SelectorNode): SelectorNode {
    const first = readOperand();
    const keyword = kind === 'and' ? 'AND' : 'OR';
    if (!this.#cursor.isKeyword(keyword)) return first;
    const operands = [this.expectCondition(first)];
    while (this.#takeKeyword(keyword)) operands.push(this.expectCondition(readOperand()));
    return { kind, operands, at: first.at, end: this.#end };
  }

  /** JMS-87: NOT binds less than a comparison and more than AND. */
  #readNot(): SelectorNode {
    const { at } = this.#cursor.next;
    if (!this.#takeKeyword('NOT')) return this.#readEquality();
    const operand = this.expectCondition(this.#cursor.nested(() => this.#readNot()));
    return { kind: 'not', operand, at, end: this.#end };
  }

  #readEquality(): SelectorNode {
    let left = this.#readComparison();
    for (;;) {
      const operator = (['=', '<>'] as const).find((one) => this.#takeSymbol(one));
      if (operator !== undefined) {
        const right = this.#readComparison();
        left = { kind: 'comparison', operator, left, right, at: left.at, end: this.#end };
      } else if (this.#takeKeyword('IS')) {
        const isNegated = this.#takeKeyword('NOT');
        if (!this.#takeKeyword('NULL')) this.#cursor.failAtNext(isNegated ? 'NULL' : 'NULL or NOT NULL');
        left = { kind: 'is-null', operand: left, isNegated, at: left.at, end: this.#end };
      } else return left;
    }
  }

  #readComparison(): SelectorNode {
    let left = this.#readSum();
    for (;;) {
      const next = this.#readOrder(left) ?? this.#readTest(left);
      if (next === undefined) return left;
      left = next;
    }
  }

  #readOrder(left: SelectorNode): SelectorNode | undefined {
    const { at } = this.#cursor.next;
    const operator = ORDERS.find((one) => this.#takeSymbol(one));
    if (operator === undefined) return undefined;
    const right = this.#readSum();
    if (left.kind === 'literal' && right.kind === 'literal') {
      const unordered = [left, right].find(
        ({ value }) => typeof value === 'string' || typeof value === 'boolean',
      );
      if (unordered !== undefined)
        this.#cursor.source.fail(at, `only numbers can be compared by ${operator}`);
    }
    return { kind: 'comparison', operator, left, right, at: left.at, end: this.#end };
  }

  /** Reads what may stand behind NOT as well: LIKE, BETWEEN or IN. */
  #readTest(operand: SelectorNode): SelectorNode | undefined {
    const isNegated = this.#takeKeyword('NOT');
    const { at } = operand;
    if (this.#takeKeyword('LIKE')) {
      const pattern = this.#expectText();
      const escaping = this.#takeKeyword('ESCAPE') ? this.#expectEscape() : undefined;
      return { kind: 'like', operand, pattern, escaping, isNegated, at, end: this.#end };
    }
    if (this.#takeKeyword('BETWEEN')) {
      const least = this.#readSum();
      if (!this.#takeKeyword('AND')) this.#cursor.failAtNext('AND and the upper bound of BETWEEN');
      const most = this.#readSum();
      return { kind: 'between', operand, least, most, isNegated, at, end: this.#end };
    }
    if (this.#takeKeyword('IN')) {
      const members = this.#readMembers();
      return { kind: 'in', operand, members, isNegated, at, end: this.#end };
    }
    if (isNegated) this.#cursor.failAtNext('LIKE, BETWEEN or IN');
    return undefined;
  }

  #readMembers(): readonly string[] {
    this.#expectSymbol('(', "'('");
    const members = [this.#expectText()];
    while (this.#takeSymbol(',')) members.push(this.#expectText());
    this.#expectSymbol(')', "',' or ')'");
    return members;
  }

  #readSum(): SelectorNode {
    return this.#readArithmetic(['+', '-'], () =>
      this.#readArithmetic(['*', '/', '%'], () => this.#readUnary()),
    );
  }

  #readArithmetic<Operator extends '+' | '-' | '*' | '/' | '%'>(
    operators: readonly Operator[],
    readOperand: () => SelectorNode,
  ): SelectorNode {
    let left = readOperand();
    for (;;) {
      const operator = operators.find((one) => this.#takeSymbol(one));
      if (operator === undefined) return left;
      left = { kind: 'arithmetic', operator, left, right: readOperand(), at: left.at, end: this.#end };
    }
  }

  #readUnary(): SelectorNode {
    const { at, text } = this.#cursor.next;
    const { second } = this.#cursor;
    if (text === '-' && second.kind === 'integer' && second.value > MAX_INTEGER) {
      this.#take();
      this.#take();
      return { kind: 'literal', value: -second.value, at, end: this.#end }; // the least integer
    }
    if (this.#takeKeyword('NOT')) {
      const operand = this.expectCondition(this.#cursor.nested(() => this.#readUnary()));
      return { kind: 'not', operand, at, end: this.#end };
    }
    const operator = (['+', '-'] as const).find((one) => this.#takeSymbol(one));
    if (operator === undefined) return this.#readPrimary();
    const operand = this.#cursor.nested(() => this.#readUnary());
    return { kind: 'sign', operator, operand, at, end: this.#end };
  }

  #readPrimary(): SelectorNode {
    const token = this.#cursor.next;
    const { at } = token;
    if (this.#takeSymbol('(')) {
      const inner = this.#cursor.nested(() => this.readOr());
      this.#expectSymbol(')', "an operator or ')'");
      return { ...inner, at, end: this.#end };
    }
    if (token.kind === 'name') {
      this.#take();
      return { kind: 'name', name: token.name, at, end: this.#end };
    }
    const value = this.#literal(token);
    if (value === undefined) this.#cursor.failAtNext('a name or a value');
    this.#take();
    return { kind: 'literal', value, at, end: this.#end };
  }

  #literal(token: SelectorToken): SelectorValue | undefined {
    switch (token.kind) {
      case 'text':
      case 'double':
        return token.value;
      case 'integer':
        if (token.value > MAX_INTEGER) failOutOfRange(this.#cursor.source, token.text, token.at);
        return token.value;
      case 'keyword':
        return CONSTANTS.get(token.keyword);
      default:
        return undefined;
    }
  }

  #expectText(): string {
    const token = this.#cursor.next;
    if (token.kind !== 'text') this.#cursor.failAtNext("a text in single quotes, such as 'red'");
    this.#take();
    return token.value;
  }

  #expectEscape(): string {
    const { at } = this.#cursor.next;
    const text = this.#expectText();
    if (!isOneCharacter(text)) this.#cursor.source.fail(at, 'what stands behind ESCAPE is not one character');
    return text;
  }

  #expectSymbol(symbol: string, expected: string): void {
    if (!this.#takeSymbol(symbol)) this.#cursor.failAtNext(expected);
  }

  #takeSymbol(symbol: string): boolean {
    if (!this.#cursor.isSymbol(symbol)) return false;
    this.#take();
    return true;
  }

  #takeKeyword(keyword: Parameters<TokensOfSelector['isKeyword']>[0]): boolean {
    if (!this.#cursor.isKeyword(keyword)) return false;
    this.#take();
    return true;
  }

  #take(): void {
    const { at, text } = this.#cursor.take();
    this.#end = at + text.length;
  }
}
