// Compiles the tree of a condition into a function from message to true, false or undefined, the unknown (SQL-09).

import { isOneCharacter, LikePattern, MAX_PATTERN_LENGTH } from '../expressions/like-pattern.js';
import { chain, negate, type Truth } from '../expressions/truth.js';
import {
  type CompileContext,
  compileProperty,
  compileValue,
  constantOf,
  type Evaluate,
} from './compile-value.js';
import type { MessageView } from './message-view.js';
import type { PropertyName } from './property-name.js';
import { RuleEvaluationError, type RuleValue } from './rule-value.js';
import type { ConditionNode, ValueNode } from './sql-ast.js';
import { areEqual, COMPARISONS } from './value-operators.js';

export type Test = (message: MessageView) => Truth;

export function compileCondition(node: ConditionNode, context: CompileContext): Test {
  switch (node.kind) {
    case 'and':
      return chain(compileAll(node.operands, context), false);
    case 'or':
      return chain(compileAll(node.operands, context), true);
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
      const { effort } = context;
      return (message) => {
        const value = left(message);
        effort?.textCopied(value);
        return compare(value, right(message));
      };
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

function compileAll(operands: readonly ConditionNode[], context: CompileContext): readonly Test[] {
  return operands.map((operand) => compileCondition(operand, context));
}

/** SQL-11: a property that is null exists, except for system properties, which are null when they are not set. */
function compileExists(property: PropertyName, context: CompileContext): Test {
  if (property.scope === 'system') return (message) => message.system(property.property) !== null;
  context.uses.userProperties = true;
  return (message) => message.has(property.name);
}

/** SQL-10: the result is never unknown. */
function compileIsNull(property: PropertyName, context: CompileContext): Test {
  const value = compileProperty(property, context);
  return (message) => (value(message) ?? null) === null;
}

function compileIn(operand: ValueNode, members: readonly ValueNode[], context: CompileContext): Test {
  const value = compileValue(operand, context);
  const values = members.map((member) => compileValue(member, context));
  const { effort } = context;
  return (message) => {
    const left = value(message);
    if (left === undefined || left === null) return undefined; // SQL-09, SQL-12
    let result: Truth = false;
    for (const member of values) {
      effort?.textCopied(left);
      const isEqual = areEqual(left, member(message));
      if (isEqual === true) return true;
      if (isEqual === undefined) result = undefined; // SQL-13
    }
    return result;
  };
}

/** The truth of a value in the position of a condition: any value but a boolean is unknown. */
function truthOf(value: RuleValue | undefined): Truth {
  return typeof value === 'boolean' ? value : undefined;
}

type LikeNode = ConditionNode & { readonly kind: 'like' };
type Fail = (problem: string) => never;

function compileLike(node: LikeNode, context: CompileContext): Test {
  const value = compileValue(node.operand, context);
  const pattern = compilePattern(node, context);
  const { effort } = context;
  return (message) => {
    const text = value(message);
    const like = pattern(message);
    // SQL-09: unknown when the pattern or the escape character is. SQL-17: unknown when the operand is no text.
    if (like === undefined || typeof text !== 'string') return undefined;
    if (effort !== undefined) effort.characters += like.effortFor(text);
    return like.matches(text);
  };
}

function compilePattern(
  { pattern, escaping }: LikeNode,
  context: CompileContext,
): (message: Parameters<Evaluate>[0]) => LikePattern | undefined {
  const constantPattern = checkConstant(pattern, checkPattern, context);
  const constantEscape = escaping && checkConstant(escaping, checkEscape, context);
  if (constantPattern !== undefined && (escaping === undefined || constantEscape !== undefined)) {
    const like = new LikePattern(constantPattern, constantEscape);
    return () => like;
  }
  const patternValue = compileValue(pattern, context);
  const escapeValue = escaping && compileValue(escaping, context);
  return (message) => {
    const [text, escapeText] = [patternValue(message), escapeValue?.(message)];
    const isUnknown = (text ?? null) === null || (escapeValue !== undefined && (escapeText ?? null) === null);
    if (isUnknown) return undefined;
    const like = new LikePattern(
      checkPattern(text, failOnMessage),
      escapeText === undefined ? undefined : checkEscape(escapeText, failOnMessage),
    );
    if (context.effort !== undefined) context.effort.characters += like.effortFor(String(text)); // to make it
    return like;
  };
}

/** SQL-14: a constant is checked when the rule is created. Returns undefined when the node is no constant. */
function checkConstant(
  node: ValueNode,
  check: (value: RuleValue, fail: Fail) => string,
  { source }: CompileContext,
): string | undefined {
  const constant = constantOf(node);
  return constant === undefined ? undefined : check(constant, (problem) => source.fail(node.at, problem));
}

function failOnMessage(problem: string): never {
  throw new RuleEvaluationError(problem);
}

// SQL-14
function checkPattern(value: RuleValue | undefined, fail: Fail): string {
  if (typeof value !== 'string') fail('the pattern of LIKE is no text');
  if (value.length > MAX_PATTERN_LENGTH) {
    fail(`the pattern of LIKE has ${value.length} characters; the most are ${MAX_PATTERN_LENGTH}`);
  }
  return value;
}

// SQL-14
function checkEscape(value: RuleValue | undefined, fail: Fail): string {
  if (typeof value !== 'string' || !isOneCharacter(value))
    fail('what stands behind ESCAPE is not one character');
  return value;
}
