// What an expression says, as a tree: values, and conditions that are true, false or unknown.

import type { RuleValue } from './rule-value.js';
import type { SystemProperty } from './system-property.js';
import type { ArithmeticOperator } from './value-arithmetic.js';
import type { ComparisonOperator } from './value-comparison.js';

export type PropertyName =
  | { readonly scope: 'system'; readonly property: SystemProperty }
  | { readonly scope: 'user'; readonly name: string };

/** Each knows where it stands in the text. */
type Placed = { readonly at: number };

export type PropertyNode = Placed & { readonly kind: 'property'; readonly name: PropertyName };

export type ValueNode =
  | (Placed & { readonly kind: 'constant'; readonly value: RuleValue })
  | PropertyNode
  | (Placed & { readonly kind: 'newid' })
  | (Placed & { readonly kind: 'property-of-name'; readonly name: ValueNode })
  | (Placed & { readonly kind: 'sign'; readonly operator: '+' | '-'; readonly operand: ValueNode })
  | (Placed & {
      readonly kind: 'arithmetic';
      readonly operator: ArithmeticOperator;
      readonly left: ValueNode;
      readonly right: ValueNode;
    });

export type ConditionNode =
  | (Placed & { readonly kind: 'and' | 'or'; readonly operands: readonly ConditionNode[] })
  | (Placed & { readonly kind: 'not'; readonly operand: ConditionNode })
  | (Placed & { readonly kind: 'exists'; readonly property: PropertyName })
  | (Placed & { readonly kind: 'is-null'; readonly property: PropertyName })
  | (Placed & {
      readonly kind: 'comparison';
      readonly operator: ComparisonOperator;
      readonly left: ValueNode;
      readonly right: ValueNode;
    })
  | (Placed & { readonly kind: 'in'; readonly operand: ValueNode; readonly members: readonly ValueNode[] })
  | (Placed & {
      readonly kind: 'like';
      readonly operand: ValueNode;
      readonly pattern: ValueNode;
      readonly escaping: ValueNode | undefined;
    })
  /** A value where a condition is asked for. */
  | (Placed & { readonly kind: 'truth-of'; readonly operand: ValueNode });

export type SqlNode = ValueNode | ConditionNode;

/** One statement of an action (ACT-01). */
export type StatementNode = Placed &
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
