// Explains the result of a filter for a message: the truth of each part of the expression, and the values it was about.

import type { FilterPart } from '../contract/inspection.js';
import type { CorrelationFilter, Filter, SqlExpression } from '../contract/rule-description.js';
import { ExpressionSource } from '../expressions/expression-source.js';
import type { Truth } from '../expressions/truth.js';
import { explainSelector } from '../selectors/explain-selector.js';
import { compileCondition } from './compile-condition.js';
import { compileFilter } from './compile-filter.js';
import { type CompileContext, compileProperty, type RuleEnvironment } from './compile-value.js';
import { parseCondition } from './condition-parser.js';
import { correlationParts, filterText } from './filter-text.js';
import type { MessageView } from './message-view.js';
import type { PropertyName } from './property-name.js';
import { RuleEvaluationError, type RuleValue, valueText } from './rule-value.js';
import { ViewedBySelector } from './selectable-message.js';
import type { ConditionNode, ValueNode } from './sql-ast.js';
import { conditionText, propertyText } from './sql-text.js';

/** Throws argument for a filter that cannot be compiled. */
export function explainFilter(
  filter: Filter,
  message: MessageView,
  environment: RuleEnvironment,
): FilterPart {
  switch (filter.kind) {
    case 'true':
    case 'false':
      return leaf(filterText(filter), filter.kind === 'true', '');
    case 'sql':
      return explainSql(filter, message, environment);
    case 'selector':
      return explainSelector(filter.expression, new ViewedBySelector(message));
    case 'correlation':
      return explainCorrelation(filter, message, environment);
    default:
      return filter satisfies never;
  }
}

function explainSql(
  { expression, parameters }: SqlExpression,
  message: MessageView,
  environment: RuleEnvironment,
): FilterPart {
  const source = new ExpressionSource('filter', expression);
  const context = { ...environment, source, uses: { userProperties: false, newId: false } };
  return explain(parseCondition(source, parameters ?? {}), message, context);
}

function explain(node: ConditionNode, message: MessageView, context: CompileContext): FilterPart {
  const text = conditionText(node);
  switch (node.kind) {
    case 'and':
    case 'or': {
      const decisive = node.kind === 'or';
      let isDecided = false;
      const parts = node.operands.map((operand): FilterPart => {
        if (isDecided) return { text: conditionText(operand), outcome: 'skipped', because: '', parts: [] };
        const part = explain(operand, message, context);
        isDecided = part.outcome === String(decisive) || part.outcome === 'error';
        return part;
      });
      return { ...outcomeOf(node, message, context), text, because: '', parts };
    }
    case 'not':
      return {
        ...outcomeOf(node, message, context),
        text,
        because: '',
        parts: [explain(node.operand, message, context)],
      };
    default: {
      const { outcome, error } = outcomeOf(node, message, context);
      return { text, outcome, because: error ?? valuesOf(node, message, context), parts: [] };
    }
  }
}

function outcomeOf(
  node: ConditionNode,
  message: MessageView,
  context: CompileContext,
): { readonly outcome: FilterPart['outcome']; readonly error?: string } {
  try {
    return { outcome: wordOf(compileCondition(node, context)(message)) };
  } catch (error) {
    if (error instanceof RuleEvaluationError) return { outcome: 'error', error: error.message };
    throw error;
  }
}

/** The properties of a comparison with their values: `region is 'DE', total is missing`. */
function valuesOf(node: ConditionNode, message: MessageView, context: CompileContext): string {
  const names = new Map(propertiesOf(node).map((name) => [propertyText(name), name]));
  return [...names]
    .map(([text, name]) => `${text} is ${shownValue(compileProperty(name, context)(message), name)}`)
    .join(', ');
}

function propertiesOf(node: ConditionNode): readonly PropertyName[] {
  switch (node.kind) {
    case 'exists':
    case 'is-null':
      return [node.property];
    case 'comparison':
      return [...propertiesIn(node.left), ...propertiesIn(node.right)];
    case 'in':
      return [node.operand, ...node.members].flatMap(propertiesIn);
    case 'like':
      return [node.operand, node.pattern].flatMap(propertiesIn);
    case 'truth-of':
      return propertiesIn(node.operand);
    default:
      return [];
  }
}

function propertiesIn(node: ValueNode): readonly PropertyName[] {
  switch (node.kind) {
    case 'property':
      return [node.name];
    case 'sign':
      return propertiesIn(node.operand);
    case 'arithmetic':
      return [...propertiesIn(node.left), ...propertiesIn(node.right)];
    case 'property-of-name':
      return propertiesIn(node.name);
    default:
      return [];
  }
}

function shownValue(value: RuleValue | undefined, name: PropertyName): string {
  if (value === undefined) return 'missing';
  if (value === null) return name.scope === 'system' ? 'not set' : 'null';
  if (typeof value === 'string') return `'${value.length > 100 ? `${value.slice(0, 100)}…` : value}'`;
  return valueText(value) ?? `a ${typeof value === 'object' ? value.kind : typeof value}`;
}

/** COR-01: each named field must be equal. */
function explainCorrelation(
  filter: CorrelationFilter,
  message: MessageView,
  environment: RuleEnvironment,
): FilterPart {
  const parts = correlationParts(filter).map(({ name, text, filter: one }) => {
    const seen = name.scope === 'system' ? message.system(name.property) : message.user(name.name);
    const truth = compileFilter(one, environment).evaluate(message);
    return leaf(text, truth, `${propertyText(name)} is ${shownValue(seen, name)}`);
  });
  const isMatch = parts.every(({ outcome }) => outcome === 'true');
  return { text: filterText(filter), outcome: wordOf(isMatch), because: '', parts };
}

function leaf(text: string, truth: Truth, because: string): FilterPart {
  return { text, outcome: wordOf(truth), because, parts: [] };
}

function wordOf(truth: Truth): 'true' | 'false' | 'unknown' {
  return truth === undefined ? 'unknown' : truth ? 'true' : 'false';
}
