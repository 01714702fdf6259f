// Compiles a selector into a function from message to true, false or undefined, the unknown.

import { ExpressionSource } from '../expressions/expression-source.js';
import { LikePattern } from '../expressions/like-pattern.js';
import { chain, negate, type Truth } from '../expressions/truth.js';
import { parseSelector } from './selector-parser.js';
import type { SelectorNode } from './selector-tree.js';
import { applySignTo, calculateOperands, compareOperands, type SelectorValue } from './selector-values.js';

/** JMS-84: these names read headers. All other names read properties. */
const HEADERS = [
  'JMSMessageID',
  'JMSCorrelationID',
  'JMSType',
  'JMSPriority',
  'JMSTimestamp',
  'JMSDeliveryMode',
  'JMSXGroupID',
  'JMSXGroupSeq',
  'JMSXUserID',
  'JMSXDeliveryCount',
] as const;

export type HeaderName = (typeof HEADERS)[number];

/** JMS allows them in no selector: to one they are null. */
const UNREADABLE: ReadonlySet<string> = new Set([
  'JMSDestination',
  'JMSReplyTo',
  'JMSExpiration',
  'JMSRedelivered',
  'JMSDeliveryTime',
]);

/** A message as a selector sees it: never the body (JMS-84). */
export interface SelectableMessage {
  header(name: HeaderName): SelectorValue;
  /** The property with exactly this name; null if it is missing. */
  property(name: string): SelectorValue;
}

/** Counts what an evaluation costs: the characters of the selector, and those that LIKE looks through. */
export type SelectorEffort = { characters: number };

export type CompiledSelector = {
  /** Whether the selector reads any property. */
  readonly readsProperties: boolean;
  readonly test: SelectorTest;
};

type SelectorTest = (message: SelectableMessage) => Truth;
type EvaluateOperand = (message: SelectableMessage) => SelectorValue;
type Context = { readonly effort: SelectorEffort | undefined; readsProperties: boolean };

/** Throws argument with line and column (JMS-85). */
export function compileSelector(text: string, effort?: SelectorEffort): CompiledSelector {
  const context = { effort, readsProperties: false };
  const test = compileSelectorTest(parseSelector(new ExpressionSource('selector', text)), context);
  const { readsProperties } = context;
  if (effort === undefined) return { readsProperties, test };
  return {
    readsProperties,
    test: (message) => {
      effort.characters += text.length;
      return test(message);
    },
  };
}

export function readOperand(name: string, message: SelectableMessage): SelectorValue {
  if (UNREADABLE.has(name)) return null;
  return isHeader(name) ? message.header(name) : message.property(name);
}

function isHeader(name: string): name is HeaderName {
  return (HEADERS as readonly string[]).includes(name);
}

/** The truth of a node in the place of a condition. */
export function compileSelectorTest(node: SelectorNode, context: Context): SelectorTest {
  switch (node.kind) {
    case 'and':
    case 'or': {
      const tests = node.operands.map((operand) => compileSelectorTest(operand, context));
      return chain(tests, node.kind === 'or');
    }
    case 'not': {
      const operand = compileSelectorTest(node.operand, context);
      return (message) => negate(operand(message));
    }
    case 'comparison': {
      const { operator } = node;
      const [left, right] = [compileOperand(node.left, context), compileOperand(node.right, context)];
      return (message) => compareOperands(operator, left(message), right(message));
    }
    case 'is-null': {
      const { isNegated } = node;
      const operand = compileOperand(node.operand, context);
      return (message) => (operand(message) === null) !== isNegated;
    }
    case 'between':
      return compileBetween(node, context);
    case 'in':
      return compileIn(node, context);
    case 'like':
      return compileLike(node, context);
    case 'literal':
    case 'name':
    case 'sign':
    case 'arithmetic': {
      const value = compileOperand(node, context);
      // JMS-88
      return (message) => {
        const found = value(message);
        return typeof found === 'boolean' ? found : undefined;
      };
    }
    default:
      return node satisfies never;
  }
}

function compileOperand(node: SelectorNode, context: Context): EvaluateOperand {
  switch (node.kind) {
    case 'literal': {
      const { value } = node;
      return () => value;
    }
    case 'name': {
      const { name } = node;
      if (UNREADABLE.has(name)) return () => null;
      if (isHeader(name)) return (message) => message.header(name);
      context.readsProperties = true;
      return (message) => message.property(name);
    }
    case 'sign': {
      const { operator } = node;
      const operand = compileOperand(node.operand, context);
      return (message) => applySignTo(operator, operand(message));
    }
    case 'arithmetic': {
      const { operator } = node;
      const [left, right] = [compileOperand(node.left, context), compileOperand(node.right, context)];
      return (message) => calculateOperands(operator, left(message), right(message));
    }
    default: {
      const test = compileSelectorTest(node, context);
      return (message) => test(message) ?? null;
    }
  }
}

/** NOT BETWEEN is `<` or `>`, as JMS defines it, so that texts, which have no order, are not there either. */
function compileBetween(node: SelectorNode & { readonly kind: 'between' }, context: Context): SelectorTest {
  const { isNegated } = node;
  const operand = compileOperand(node.operand, context);
  const [least, most] = [compileOperand(node.least, context), compileOperand(node.most, context)];
  const [below, above] = isNegated ? (['<', '>'] as const) : (['>=', '<='] as const);
  return chain<SelectableMessage>(
    [
      (message) => compareOperands(below, operand(message), least(message)),
      (message) => compareOperands(above, operand(message), most(message)),
    ],
    isNegated,
  );
}

/** JMS-88: unknown for what is no text. */
function compileIn(node: SelectorNode & { readonly kind: 'in' }, context: Context): SelectorTest {
  const { isNegated } = node;
  const operand = compileOperand(node.operand, context);
  const members = new Set(node.members);
  return (message) => {
    const value = operand(message);
    return typeof value === 'string' ? members.has(value) !== isNegated : undefined;
  };
}

/** False for what is no text, unknown for null. */
function compileLike(node: SelectorNode & { readonly kind: 'like' }, context: Context): SelectorTest {
  const { isNegated } = node;
  const { effort } = context;
  const operand = compileOperand(node.operand, context);
  const pattern = new LikePattern(node.pattern, node.escaping);
  return (message) => {
    const value = operand(message);
    if (value === null) return undefined;
    if (typeof value !== 'string') return isNegated;
    if (effort !== undefined) effort.characters += pattern.effortFor(value);
    return pattern.matches(value) !== isNegated;
  };
}
