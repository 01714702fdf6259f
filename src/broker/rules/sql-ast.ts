// The syntax tree of filters and actions: values, conditions and statements.

import type { ArithmeticOperator } from '../expressions/arithmetic.js';
import type { PropertyName } from './property-name.js';
import type { RuleValue } from './rule-value.js';
import type { ComparisonOperator } from './value-operators.js';

/** The offset of a node in the text of the expression. */
type Positioned = { readonly at: number };

type PropertyNode = Positioned & { readonly kind: 'property'; readonly name: PropertyName };

export type ValueNode =
  | (Positioned & { readonly kind: 'constant'; readonly value: RuleValue })
  | PropertyNode
  | (Positioned & { readonly kind: 'newid' })
  | (Positioned & { readonly kind: 'property-of-name'; readonly name: ValueNode })
  | (Positioned & { readonly kind: 'sign'; readonly operator: '+' | '-'; readonly operand: ValueNode })
  | (Positioned & {
      readonly kind: 'arithmetic';
      readonly operator: ArithmeticOperator;
      readonly left: ValueNode;
      readonly right: ValueNode;
    });

export type ConditionNode =
  | (Positioned & { readonly kind: 'and' | 'or'; readonly operands: readonly ConditionNode[] })
  | (Positioned & { readonly kind: 'not'; readonly operand: ConditionNode })
  | (Positioned & { readonly kind: 'exists'; readonly property: PropertyName })
  | (Positioned & { readonly kind: 'is-null'; readonly property: PropertyName })
  | (Positioned & {
      readonly kind: 'comparison';
      readonly operator: ComparisonOperator;
      readonly left: ValueNode;
      readonly right: ValueNode;
    })
  | (Positioned & {
      readonly kind: 'in';
      readonly operand: ValueNode;
      readonly members: readonly ValueNode[];
    })
  | (Positioned & {
      readonly kind: 'like';
      readonly operand: ValueNode;
      readonly pattern: ValueNode;
      readonly escaping: ValueNode | undefined;
    })
  /** A value in the position of a condition. */
  | (Positioned & { readonly kind: 'truth-of'; readonly operand: ValueNode });

export type SqlNode = ValueNode | ConditionNode;

/** A statement of an action (ACT-01). */
export type StatementNode = Positioned &
  (
    | { readonly kind: 'set'; readonly property: PropertyName; readonly value: ValueNode }
    | { readonly kind: 'remove'; readonly property: PropertyName }
  );

export function isValue(node: SqlNode): node is ValueNode {
  switch (node.kind) {
    case 'constant':
    case 'property':
    case 'newid':
    case 'property-of-name':
    case 'sign':
    case 'arithmetic':
      return true;
    default:
      return false;
  }
}
