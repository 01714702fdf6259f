// Turns a condition's tree into a function from message to true, false or unknown, which is undefined (SQL-09).

import { compileLike } from './compile-like.js';
import { type CompileContext, compileProperty, compileValue } from './compile-value.js';
import type { MessageView } from './message-view.js';
import type { RuleValue, Truth } from './rule-value.js';
import type { ConditionNode, PropertyName, ValueNode } from './sql-ast.js';
import { areEqual, COMPARISONS, negate } from './value-comparison.js';

export type Test = (message: MessageView) => Truth;

/** AND, OR and IN look from left to right and stop where their result is known, so that a condition may guard the next. */
export function compileCondition(node: ConditionNode, context: CompileContext): Test {
  switch (node.kind) {
    case 'and':
      return compileChain(node.operands, false, context);
    case 'or':
      return compileChain(node.operands, true, context);
    case 'not': {
      const operand = compileCondition(node.operand, context);
      return (message) => negate(operand(message)); // SQL-09
    }
    case 'exists':
      return compileExists(node.property, context);
    case 'is-null':
      return compileIsNull(node.property, context);
    case 'comparison': {
      const [left, right] = [compileValue(node.left, context), compileValue(node.right, context)];
      const compare = COMPARISONS[node.operator];
      return (message) => compare(left(message), right(message));
    }
    case 'in':
      return compileIn(node.operand, node.members, context);
    case 'like':
      return compileLike(node, context);
    case 'truth-of': {
      const operand = compileValue(node.operand, context);
      return (message) => truthOf(operand(message));
    }
    default:
      return node satisfies never;
  }
}

/** SQL-09: AND is decided by the first false operand, OR by the first true one; else unknown wins. */
function compileChain(operands: readonly ConditionNode[], decisive: boolean, context: CompileContext): Test {
  const tests = operands.map((operand) => compileCondition(operand, context));
  return (message) => {
    let result: Truth = !decisive;
    for (const test of tests) {
      const truth = test(message);
      if (truth === decisive) return decisive;
      if (truth === undefined) result = undefined;
    }
    return result;
  };
}

/** SQL-11: null counts as there, except for system properties, which are null when they are not set. */
function compileExists(property: PropertyName, context: CompileContext): Test {
  if (property.scope === 'system') return (message) => message.system(property.property) !== null;
  context.uses.userProperties = true;
  return (message) => message.has(property.name);
}

/** SQL-10: never unknown. */
function compileIsNull(property: PropertyName, context: CompileContext): Test {
  const value = compileProperty(property, context);
  return (message) => (value(message) ?? null) === null;
}

function compileIn(operand: ValueNode, members: readonly ValueNode[], context: CompileContext): Test {
  const value = compileValue(operand, context);
  const values = members.map((member) => compileValue(member, context));
  return (message) => {
    const left = value(message);
    if (left === undefined || left === null) return undefined; // SQL-09, SQL-12
    let result: Truth = false;
    for (const member of values) {
      const isEqual = areEqual(left, member(message));
      if (isEqual === true) return true;
      if (isEqual === undefined) result = undefined; // SQL-13
    }
    return result;
  };
}

/** Of a value that stands where a condition is asked for: what is no boolean is unknown. */
function truthOf(value: RuleValue | undefined): Truth {
  return typeof value === 'boolean' ? value : undefined;
}
