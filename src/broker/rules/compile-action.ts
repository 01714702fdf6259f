// Actions as functions: what they do to a copy of a message, statement after statement (ACT-02).

import { parseStatements } from './action-parser.js';
import { type CompileContext, compileValue, type RuleEnvironment } from './compile-value.js';
import type { EditableMessage } from './message-view.js';
import type { Action } from './rule-description.js';
import type { PropertyName, StatementNode } from './sql-ast.js';
import { SqlSource } from './sql-source.js';
import { type SettableTarget, settableTargetOf } from './system-property.js';
import { convertForSystem, convertLike } from './value-conversion.js';

type Step = (message: EditableMessage) => void;

export class CompiledAction {
  /** Whether it reads or changes application properties, which are decoded only then. */
  readonly usesUserProperties: boolean;
  readonly #steps: readonly Step[];

  constructor(steps: readonly Step[], usesUserProperties: boolean) {
    this.#steps = steps;
    this.usesUserProperties = usesUserProperties;
  }

  /** Throws RuleEvaluationError, with the message changed as far as it came. */
  apply(message: EditableMessage): void {
    for (const step of this.#steps) step(message); // ACT-02
  }
}

/** Throws argument with line and column. */
export function compileAction(
  { expression, parameters }: Action,
  { nextGuid }: RuleEnvironment,
): CompiledAction {
  const source = new SqlSource('action', expression);
  const uses = { userProperties: false, newId: false };
  const context = { source, nextGuid, uses };
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
  // ACT-03: to remove a system property is to clear it
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
