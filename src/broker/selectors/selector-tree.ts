// The syntax tree of a selector. A condition may stand where a value may, as in `(a > 1) = TRUE`.

import type { ArithmeticOperator } from '../expressions/arithmetic.js';
import type { SelectorComparison, SelectorValue } from './selector-values.js';

/** The part of the text that a node was read from. */
export type Part = { readonly at: number; readonly end: number };

export type SelectorNode = Part &
  (
    | { readonly kind: 'literal'; readonly value: SelectorValue }
    | { readonly kind: 'name'; readonly name: string }
    | { readonly kind: 'sign'; readonly operator: '+' | '-'; readonly operand: SelectorNode }
    | {
        readonly kind: 'arithmetic';
        readonly operator: ArithmeticOperator;
        readonly left: SelectorNode;
        readonly right: SelectorNode;
      }
    | { readonly kind: 'and' | 'or'; readonly operands: readonly SelectorNode[] }
    | { readonly kind: 'not'; readonly operand: SelectorNode }
    | {
        readonly kind: 'comparison';
        readonly operator: SelectorComparison;
        readonly left: SelectorNode;
        readonly right: SelectorNode;
      }
    | { readonly kind: 'is-null'; readonly operand: SelectorNode; readonly isNegated: boolean }
    | {
        readonly kind: 'between';
        readonly operand: SelectorNode;
        readonly least: SelectorNode;
        readonly most: SelectorNode;
        readonly isNegated: boolean;
      }
    | {
        readonly kind: 'in';
        readonly operand: SelectorNode;
        readonly members: readonly string[];
        readonly isNegated: boolean;
      }
    | {
        readonly kind: 'like';
        readonly operand: SelectorNode;
        readonly pattern: string;
        readonly escaping: string | undefined;
        readonly isNegated: boolean;
      }
  );
