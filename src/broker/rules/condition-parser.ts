// Parses the condition of a filter (grammar: SQL). The value parser reads the values in it.

import type { RuleParameters } from '../contract/rule-description.js';
import type { ExpressionSource } from '../expressions/expression-source.js';
import { type ConditionNode, isValue, type SqlNode, type ValueNode } from './sql-ast.js';
import { type SqlCursor, sqlCursor } from './sql-lexer.js';
import type { ComparisonOperator } from './value-operators.js';
import { ValueParser } from './value-parser.js';

const COMPARISON: Readonly<Record<string, ComparisonOperator>> = {
  '=': '=',
  '<>': '<>',
  '!=': '<>',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};

/** SQL-25 has examples. Throws argument with line and column (SQL-23). */
export function parseCondition(source: ExpressionSource, parameters: RuleParameters): ConditionNode {
  const cursor = sqlCursor(source);
  const condition = new ConditionParser(cursor, parameters).readWhole();
  if (cursor.next.kind !== 'end') cursor.failAtNext('AND, OR or the end');
  return condition;
}

class ConditionParser {
  readonly #cursor: SqlCursor;
  readonly #values: ValueParser;

  constructor(cursor: SqlCursor, parameters: RuleParameters) {
    this.#cursor = cursor;
    this.#values = new ValueParser(cursor, { parameters, readInBrackets: () => this.#readOr() });
  }

  readWhole(): ConditionNode {
    return asCondition(this.#readOr());
  }

  /** Returns a value when the text, for example in brackets, holds no condition. */
  #readOr(): SqlNode {
    return this.#readChain('or', () => this.#readAnd());
  }

  #readAnd(): SqlNode {
    return this.#readChain('and', () => this.#readNot());
  }

  #readChain(kind: 'and' | 'or', readOperand: () => SqlNode): SqlNode {
    const keyword = kind === 'and' ? 'AND' : 'OR';
    const first = readOperand();
    if (!this.#cursor.isKeyword(keyword)) return first;
    const operands = [asCondition(first)];
    while (this.#cursor.takeKeyword(keyword)) operands.push(asCondition(readOperand()));
    return { kind, operands, at: first.at };
  }

  #readNot(): SqlNode {
    const { at } = this.#cursor.next;
    if (!this.#cursor.takeKeyword('NOT')) return this.#readTest();
    return { kind: 'not', operand: asCondition(this.#cursor.nested(() => this.#readNot())), at };
  }

  #readTest(): SqlNode {
    const { at } = this.#cursor.next;
    if (this.#cursor.takeKeyword('EXISTS')) return this.#readExists(at);
    const left = this.#values.readOperand();
    const operator = this.#cursor.next.kind === 'symbol' ? COMPARISON[this.#cursor.next.text] : undefined;
    if (operator !== undefined) {
      this.#cursor.take();
      const operands = { left: this.#values.expectValue(left), right: this.#values.readValue() };
      return { kind: 'comparison', operator, ...operands, at };
    }
    if (this.#cursor.takeKeyword('IS')) return this.#readIsNull(this.#values.expectValue(left));
    return this.#readInOrLike(left);
  }

  #readExists(at: number): ConditionNode {
    this.#cursor.expectSymbol('(');
    const property = this.#values.readProperty();
    this.#cursor.expectSymbol(')');
    return { kind: 'exists', property, at };
  }

  #readIsNull(operand: ValueNode): ConditionNode {
    const { at } = operand;
    // SQL-10
    if (operand.kind !== 'property') {
      this.#cursor.source.fail(at, 'found another value before IS, expected a property');
    }
    const isNegated = this.#cursor.takeKeyword('NOT');
    if (!this.#cursor.takeKeyword('NULL')) this.#cursor.failAtNext(isNegated ? 'NULL' : 'NULL or NOT NULL');
    return negateIf(isNegated, { kind: 'is-null', property: operand.name, at });
  }

  #readInOrLike(left: SqlNode): SqlNode {
    const isNegated = this.#cursor.takeKeyword('NOT');
    const { at } = left;
    if (this.#cursor.takeKeyword('IN')) {
      const operand = this.#values.expectValue(left);
      return negateIf(isNegated, { kind: 'in', operand, members: this.#readMembers(), at });
    }
    if (this.#cursor.takeKeyword('LIKE')) {
      const operand = this.#values.expectValue(left);
      const pattern = this.#values.readValue();
      const escaping = this.#cursor.takeKeyword('ESCAPE') ? this.#values.readValue() : undefined;
      return negateIf(isNegated, { kind: 'like', operand, pattern, escaping, at });
    }
    if (isNegated) this.#cursor.failAtNext('IN or LIKE');
    return left;
  }

  #readMembers(): ValueNode[] {
    this.#cursor.expectSymbol('(');
    const members = [this.#values.readValue()];
    while (this.#cursor.takeSymbol(',')) members.push(this.#values.readValue());
    if (!this.#cursor.takeSymbol(')')) this.#cursor.failAtNext("',' or ')'");
    return members;
  }
}

function negateIf(isNegated: boolean, condition: ConditionNode): ConditionNode {
  return isNegated ? { kind: 'not', operand: condition, at: condition.at } : condition;
}

function asCondition(node: SqlNode): ConditionNode {
  return isValue(node) ? { kind: 'truth-of', operand: node, at: node.at } : node;
}
