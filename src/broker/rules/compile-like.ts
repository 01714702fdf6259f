// LIKE: a pattern that stands in the rule is read once, one that comes with the message each time (SQL-14).

import type { Test } from './compile-condition.js';
import { type CompileContext, compileValue, constantOf, type Evaluate } from './compile-value.js';
import { isOneCharacter, LikePattern, MAX_PATTERN_LENGTH } from './like-pattern.js';
import { RuleEvaluationError } from './rule-evaluation-error.js';
import type { RuleValue } from './rule-value.js';
import type { ConditionNode, ValueNode } from './sql-ast.js';

type LikeNode = ConditionNode & { readonly kind: 'like' };
type Fail = (problem: string) => never;

export function compileLike(node: LikeNode, context: CompileContext): Test {
  const value = compileValue(node.operand, context);
  const pattern = compilePattern(node, context);
  return (message) => {
    const text = value(message);
    const like = pattern(message);
    // SQL-09: also when the pattern or the escape character is unknown. SQL-17: what is no text.
    return like === undefined || typeof text !== 'string' ? undefined : like.matches(text);
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
    return new LikePattern(
      checkPattern(text, failOnMessage),
      escapeText === undefined ? undefined : checkEscape(escapeText, failOnMessage),
    );
  };
}

/** SQL-14: what is wrong with it is told when the rule is created, if it is known then. */
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
