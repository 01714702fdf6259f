// Compiles the tree of a value into a function from message to value; undefined is the unknown (SQL-08, SQL-09).

import type { ExpressionSource } from '../expressions/expression-source.js';
import type { MessageView } from './message-view.js';
import { type PropertyName, parsePropertyName } from './property-name.js';
import { RuleEvaluationError, type RuleValue, uuidValue, valueText } from './rule-value.js';
import type { ValueNode } from './sql-ast.js';
import { applySign, calculate } from './value-operators.js';

export type Evaluate = (message: MessageView) => RuleValue | undefined;

/** The broker's services for rules. */
export type RuleEnvironment = {
  /** Returns 32 hexadecimal digits, never the same twice. */
  readonly nextGuid: () => string;
  /** Undefined if the caller does not count what rules cost. */
  readonly effort?: RuleEffort;
};

/** The cost of the evaluation of rules, which may be a thousand times more for one rule and message than for others. */
export class RuleEffort {
  /** The characters of expressions, and of the texts that LIKE searches. Each takes up to 30 ns. */
  characters = 0;

  /** Counts a text that is compared or joined, which takes a sixteenth of that. */
  textCopied(value: RuleValue | undefined): void {
    if (typeof value === 'string') this.characters += value.length >> 4;
  }
}

export type CompileContext = RuleEnvironment & {
  readonly source: ExpressionSource;
  /** Set by the compiler as it meets such nodes. */
  readonly uses: { userProperties: boolean; newId: boolean };
};

export function compileValue(node: ValueNode, context: CompileContext): Evaluate {
  switch (node.kind) {
    case 'constant':
      return () => node.value;
    case 'property':
      return compileProperty(node.name, context);
    case 'newid':
      context.uses.newId = true;
      return () => uuidValue(context.nextGuid()); // SQL-19
    case 'property-of-name':
      return compilePropertyOfName(node, context);
    case 'sign': {
      const operand = compileValue(node.operand, context);
      return (message) => applySign(node.operator, operand(message));
    }
    case 'arithmetic': {
      const left = compileValue(node.left, context);
      const right = compileValue(node.right, context);
      const { effort } = context;
      return (message) => {
        const result = calculate(node.operator, left(message), right(message));
        effort?.textCopied(result);
        return result;
      };
    }
    default:
      return node satisfies never;
  }
}

export function compileProperty(property: PropertyName, context: CompileContext): Evaluate {
  if (property.scope === 'user') context.uses.userProperties = true;
  return (message) => read(message, property);
}

/** SQL-01, SQL-08: a missing application property is unknown. */
function read(message: MessageView, property: PropertyName): RuleValue | undefined {
  return property.scope === 'system' ? message.system(property.property) : message.user(property.name);
}

/** SQL-19: a constant name is checked when the rule is created, any other name with each message. */
function compilePropertyOfName(
  node: ValueNode & { readonly kind: 'property-of-name' },
  context: CompileContext,
): Evaluate {
  const text = valueText(constantOf(node.name));
  if (text !== undefined) return compileProperty(parseConstantName(text, node.name.at, context), context);
  context.uses.userProperties = true;
  const name = compileValue(node.name, context);
  return (message) => {
    const asText = valueText(name(message));
    return asText === undefined ? undefined : read(message, parsePropertyName(asText));
  };
}

function parseConstantName(text: string, at: number, { source }: CompileContext): PropertyName {
  try {
    return parsePropertyName(text);
  } catch (error) {
    if (error instanceof RuleEvaluationError) source.fail(at, error.message);
    throw error;
  }
}

/** The value of a constant, of a parameter or of a `+` of these; undefined for any other node. */
export function constantOf(node: ValueNode): RuleValue | undefined {
  if (node.kind === 'constant') return node.value;
  if (node.kind !== 'arithmetic' || node.operator !== '+') return undefined;
  return calculate(node.operator, constantOf(node.left), constantOf(node.right));
}
