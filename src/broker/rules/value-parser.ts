// Parses values: constants, parameters, properties, functions and arithmetic (grammar: SQL).

import type { RuleParameters } from '../contract/rule-description.js';
import { failOutOfRange } from '../expressions/expression-source.js';
import { findParameter, readParameter } from './parameter-value.js';
import { type PropertyName, readPropertyName } from './property-name.js';
import { isInt64, type RuleValue } from './rule-value.js';
import { isValue, type SqlNode, type ValueNode } from './sql-ast.js';
import type { SqlCursor, Token } from './sql-lexer.js';

type ValueParserOptions = {
  readonly parameters: RuleParameters;
  /** Reads the inside of brackets, which may be a condition in a filter. By default it reads a value. */
  readonly readInBrackets?: () => SqlNode;
};

export class ValueParser {
  readonly #cursor: SqlCursor;
  readonly #parameters: RuleParameters;
  readonly #readInBrackets: () => SqlNode;

  constructor(cursor: SqlCursor, { parameters, readInBrackets }: ValueParserOptions) {
    this.#cursor = cursor;
    this.#parameters = parameters;
    this.#readInBrackets = readInBrackets ?? (() => this.readValue());
  }

  readValue(): ValueNode {
    return this.expectValue(this.readOperand());
  }

  /** Reads a value, or a condition in brackets. */
  readOperand(): SqlNode {
    return this.#readChain(['+', '-'], () => this.#readChain(['*', '/', '%'], () => this.#readSigned()));
  }

  readProperty(): PropertyName {
    return readPropertyName(this.#cursor);
  }

  expectValue(node: SqlNode): ValueNode {
    if (isValue(node)) return node;
    return this.#cursor.source.fail(node.at, 'found a condition, expected a value');
  }

  #readChain<Operator extends '+' | '-' | '*' | '/' | '%'>(
    operators: readonly Operator[],
    readOperand: () => SqlNode,
  ): SqlNode {
    let left = readOperand();
    for (;;) {
      const { at } = this.#cursor.next;
      const operator = operators.find((one) => this.#cursor.takeSymbol(one));
      if (operator === undefined) return left;
      left = {
        kind: 'arithmetic',
        operator,
        left: this.expectValue(left),
        right: this.expectValue(readOperand()),
        at,
      };
    }
  }

  #readSigned(): SqlNode {
    const { at, text } = this.#cursor.next;
    const { second } = this.#cursor;
    if (text === '-' && second.kind === 'integer' && !isInt64(second.value)) {
      this.#cursor.take();
      this.#cursor.take();
      return { kind: 'constant', value: -second.value, at }; // SQL-04: the least integer
    }
    const operator = this.#cursor.takeSymbol('-') ? '-' : this.#cursor.takeSymbol('+') ? '+' : undefined;
    if (operator === undefined) return this.#readPrimary();
    const operand = this.#cursor.nested(() => this.expectValue(this.#readSigned()));
    return { kind: 'sign', operator, operand, at };
  }

  #readPrimary(): SqlNode {
    const token = this.#cursor.next;
    if (token.kind === 'name') return this.#readName(token);
    if (this.#cursor.isSymbol('(')) return this.#readBrackets();
    const value = this.#readConstant(token);
    if (value === undefined) this.#cursor.failAtNext('a value');
    this.#cursor.take();
    return { kind: 'constant', value, at: token.at };
  }

  #readBrackets(): SqlNode {
    this.#cursor.take();
    const node = this.#cursor.nested(this.#readInBrackets);
    if (!this.#cursor.takeSymbol(')')) this.#cursor.failAtNext("an operator or ')'");
    return node;
  }

  // SQL-04
  #readConstant(token: Token): RuleValue | undefined {
    switch (token.kind) {
      case 'text':
      case 'double':
        return token.value;
      case 'integer':
        return isInt64(token.value) ? token.value : failOutOfRange(this.#cursor.source, token.text, token.at);
      case 'parameter':
        return this.#readParameter(token);
      case 'keyword':
        return CONSTANTS.get(token.keyword);
      default:
        return undefined;
    }
  }

  // SQL-20
  #readParameter({ text, at }: Token): RuleValue {
    const value = findParameter(this.#parameters, text);
    if (value === undefined) this.#cursor.source.fail(at, `there is no parameter '${text}'`);
    return readParameter(text, value);
  }

  #readName(token: Token & { readonly kind: 'name' }): SqlNode {
    const { second } = this.#cursor;
    const isFunction = !token.isQuoted && second.kind === 'symbol' && second.text === '(';
    return isFunction
      ? this.#readFunction(token)
      : { kind: 'property', name: this.readProperty(), at: token.at };
  }

  // SQL-19
  #readFunction({ text, at }: Token): ValueNode {
    const name = text.toLowerCase();
    if (name !== 'newid' && name !== 'property' && name !== 'p') {
      this.#cursor.source.fail(at, `there is no function '${text}', expected newid, property or p`);
    }
    this.#cursor.take();
    this.#cursor.take();
    const node: ValueNode =
      name === 'newid'
        ? { kind: 'newid', at }
        : { kind: 'property-of-name', name: this.#cursor.nested(() => this.readValue()), at };
    this.#cursor.expectSymbol(')');
    return node;
  }
}

const CONSTANTS: ReadonlyMap<string, RuleValue> = new Map<string, RuleValue>([
  ['TRUE', true],
  ['FALSE', false],
  ['NULL', null],
]);
