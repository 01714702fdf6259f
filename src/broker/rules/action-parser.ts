// Reads the statements of an action: `SET a = 1; REMOVE b` (ACT-01).

import { readPropertyName } from './property-name.js';
import type { RuleParameters } from './rule-description.js';
import type { StatementNode } from './sql-ast.js';
import type { SqlSource } from './sql-source.js';
import { TokenCursor } from './token-cursor.js';
import { ValueParser } from './value-parser.js';

/** ACT-06 */
const MAX_STATEMENTS = 32; // LIM-12

/** Throws argument with line and column. */
export function parseStatements(source: SqlSource, parameters: RuleParameters): StatementNode[] {
  const cursor = new TokenCursor(source);
  const values = new ValueParser(cursor, { parameters });
  const statements = [readStatement(cursor, values, 'SET or REMOVE')];
  for (;;) {
    const isSeparated = cursor.takeSymbol(';') || cursor.takeSymbol(','); // ACT-01
    if (cursor.next.kind === 'end') return statements;
    if (statements.length === MAX_STATEMENTS) {
      source.fail(cursor.next.at, `more than ${MAX_STATEMENTS} statements in one action`); // ACT-06
    }
    const expected = isSeparated ? 'SET, REMOVE or the end' : "';', SET, REMOVE or the end";
    statements.push(readStatement(cursor, values, expected));
  }
}

function readStatement(cursor: TokenCursor, values: ValueParser, expected: string): StatementNode {
  const { at } = cursor.next;
  if (cursor.takeKeyword('REMOVE')) return { kind: 'remove', property: readPropertyName(cursor), at };
  if (!cursor.takeKeyword('SET')) cursor.failAtNext(expected);
  const property = readPropertyName(cursor);
  cursor.expectSymbol('=');
  return { kind: 'set', property, value: values.readValue(), at };
}
