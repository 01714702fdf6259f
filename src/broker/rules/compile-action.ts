// Parses actions and compiles them into functions that change a copy of a message, statement by statement (ACT).

import type { Action, RuleParameters } from '../contract/rule-description.js';
import { ExpressionSource } from '../expressions/expression-source.js';
import { parseTime } from './civil-time.js';
import { type CompileContext, compileValue, type RuleEnvironment } from './compile-value.js';
import type { EditableMessage } from './message-view.js';
import { readInteger } from './parameter-value.js';
import {
  type PropertyName,
  readPropertyName,
  type SettableTarget,
  settableTargetOf,
} from './property-name.js';
import { isInt64, RuleEvaluationError, type RuleValue, uuidValue, valueText } from './rule-value.js';
import type { StatementNode } from './sql-ast.js';
import { type SqlCursor, sqlCursor } from './sql-lexer.js';
import { ValueParser } from './value-parser.js';

type Step = (message: EditableMessage) => void;

export class CompiledAction {
  /** Whether the action reads or changes application properties. They are decoded only if one does. */
  readonly usesUserProperties: boolean;
  readonly #steps: readonly Step[];

  constructor(steps: readonly Step[], usesUserProperties: boolean) {
    this.#steps = steps;
    this.usesUserProperties = usesUserProperties;
  }

  /** Throws RuleEvaluationError; the changes of the statements before the failing one remain. */
  apply(message: EditableMessage): void {
    for (const step of this.#steps) step(message); // ACT-02
  }
}

/** Throws argument with line and column. */
export function compileAction(
  { expression, parameters }: Action,
  { nextGuid, effort }: RuleEnvironment,
): CompiledAction {
  const source = new ExpressionSource('action', expression);
  const uses = { userProperties: false, newId: false };
  const context = { source, nextGuid, uses, ...(effort && { effort }) };
  const steps = parseStatements(source, parameters ?? {}).map((one) => compileStatement(one, context));
  return new CompiledAction(steps, uses.userProperties);
}

function compileStatement(statement: StatementNode, context: CompileContext): Step {
  const { property } = statement;
  if (property.scope === 'system') return compileForSystem(statement, targetOf(statement, context), context);
  context.uses.userProperties = true;
  const { name } = property;
  if (statement.kind === 'remove') return (message) => message.removeUser(name); // ACT-03
  const evaluate = compileValue(statement.value, context);
  return (message) => {
    const value = evaluate(message) ?? null; // ACT-05
    message.setUser(name, convertLike(message.user(name), value)); // ACT-03
  };
}

function compileForSystem(statement: StatementNode, target: SettableTarget, context: CompileContext): Step {
  // ACT-03: REMOVE clears a system property
  const evaluate = statement.kind === 'set' ? compileValue(statement.value, context) : () => null;
  return (message) => {
    const value = convertForSystem(target, evaluate(message) ?? null); // ACT-04, ACT-05
    if (target.storedAs !== 'nothing') message.setSystem(target.property, value);
  };
}

// ACT-04
function targetOf({ property, at }: StatementNode, { source }: CompileContext): SettableTarget {
  const target = property.scope === 'system' ? settableTargetOf(property.property) : undefined;
  return target ?? source.fail(at, `${describe(property)} is read-only`);
}

function describe(property: PropertyName): string {
  return property.scope === 'system' ? `sys.${property.property}` : property.name;
}

/** ACT-06 */
const MAX_STATEMENTS = 32; // LIM-12

/** Throws argument with line and column. */
function parseStatements(source: ExpressionSource, parameters: RuleParameters): StatementNode[] {
  const cursor = sqlCursor(source);
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

function readStatement(cursor: SqlCursor, values: ValueParser, expected: string): StatementNode {
  const { at } = cursor.next;
  if (cursor.takeKeyword('REMOVE')) return { kind: 'remove', property: readPropertyName(cursor), at };
  if (!cursor.takeKeyword('SET')) cursor.failAtNext(expected);
  const property = readPropertyName(cursor);
  cursor.expectSymbol('=');
  return { kind: 'set', property, value: values.readValue(), at };
}

const UUID = /^[\da-f]{8}(-?[\da-f]{4}){3}-?[\da-f]{12}$/i;
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
/** A time span in .NET's notation: `[days.]hours:minutes:seconds[.fraction]`. */
const SPAN = /^(?:(\d{1,8})\.)?(\d{1,2}):(\d\d):(\d\d)(?:\.(\d{1,7}))?$/;

/** ACT-03: converts the value to the type of the existing one, or leaves it as it is where that is impossible. */
function convertLike(existing: RuleValue | undefined, value: RuleValue): RuleValue {
  if (existing === undefined || existing === null || value === null) return value;
  const [wanted, given] = [kindOf(existing), kindOf(value)];
  if (wanted === given) return value;
  return CONVERSIONS[wanted]?.(value) ?? value;
}

const CONVERSIONS: Readonly<Record<string, (value: RuleValue) => RuleValue | undefined>> = {
  string: valueText, // ACT-04
  bigint: toInteger,
  number: toDouble,
  boolean: toBoolean,
  uuid: (value) => (typeof value === 'string' && UUID.test(value) ? uuidValue(value) : undefined),
  timestamp: toTimestamp,
};

/** Converts a value to the stored type of a system property. Throws RuleEvaluationError when that is impossible. */
function convertForSystem({ storedAs, property }: SettableTarget, value: RuleValue): RuleValue {
  if (value === null || storedAs === 'nothing') return null;
  const converted =
    storedAs === 'text' ? valueText(value) : storedAs === 'time' ? toTimestamp(value) : toSpan(value);
  if (converted === undefined) {
    throw new RuleEvaluationError(`sys.${property} cannot be set to ${valueText(value) ?? 'such a value'}`);
  }
  return converted;
}

function kindOf(value: RuleValue & {}): string {
  return typeof value === 'object' ? value.kind : typeof value;
}

function toInteger(value: RuleValue): bigint | undefined {
  if (typeof value === 'string') return readInteger(value.trim());
  if (typeof value !== 'number' || !Number.isInteger(value)) return undefined;
  return isInt64(BigInt(value)) ? BigInt(value) : undefined;
}

function toDouble(value: RuleValue): number | undefined {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' && DECIMAL.test(value.trim()) ? Number(value) : undefined;
}

function toBoolean(value: RuleValue): boolean | undefined {
  const text = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

function toTimestamp(value: RuleValue): RuleValue | undefined {
  if (typeof value === 'object' && value?.kind === 'timestamp') return value;
  const ms = typeof value === 'string' ? parseTime(value) : undefined;
  return ms === undefined ? undefined : { kind: 'timestamp', ms };
}

/** Returns milliseconds, not negative. An integer is taken for milliseconds. */
function toSpan(value: RuleValue): bigint | undefined {
  const ms = typeof value === 'string' ? parseSpan(value.trim()) : value;
  const whole = typeof ms === 'number' && Number.isFinite(ms) ? BigInt(Math.trunc(ms)) : ms;
  return typeof whole === 'bigint' && whole >= 0n && isInt64(whole) ? whole : undefined;
}

function parseSpan(text: string): bigint | number | undefined {
  const match = SPAN.exec(text);
  if (match === null) return readInteger(text);
  const [, days = '0', hours, minutes, seconds, fraction = ''] = match;
  const total = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  return total * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3));
}
