// Writes conditions and values as SQL again, for people who look at the parts of a filter.

import type { PropertyName } from './property-name.js';
import { type RuleValue, valueText } from './rule-value.js';
import type { ConditionNode, ValueNode } from './sql-ast.js';

/** A condition that is joined with others stands in parentheses. */
export function conditionText(node: ConditionNode, isJoined = false): string {
  switch (node.kind) {
    case 'and':
    case 'or': {
      const text = node.operands
        .map((operand) => conditionText(operand, true))
        .join(` ${node.kind.toUpperCase()} `);
      return isJoined ? `(${text})` : text;
    }
    case 'not':
      return `NOT ${conditionText(node.operand, true)}`;
    case 'exists':
      return `EXISTS(${propertyText(node.property)})`;
    case 'is-null':
      return `${propertyText(node.property)} IS NULL`;
    case 'comparison':
      return `${valueNodeText(node.left)} ${node.operator} ${valueNodeText(node.right)}`;
    case 'in':
      return `${valueNodeText(node.operand)} IN (${node.members.map((member) => valueNodeText(member)).join(', ')})`;
    case 'like': {
      const escaping = node.escaping === undefined ? '' : ` ESCAPE ${valueNodeText(node.escaping)}`;
      return `${valueNodeText(node.operand)} LIKE ${valueNodeText(node.pattern)}${escaping}`;
    }
    case 'truth-of':
      return valueNodeText(node.operand);
    default:
      return node satisfies never;
  }
}

export function propertyText(name: PropertyName): string {
  if (name.scope === 'system') return `sys.${name.property}`;
  return /^[A-Za-z_]\w*$/.test(name.name) ? name.name : `[${name.name.replaceAll(']', ']]')}]`;
}

function valueNodeText(node: ValueNode, isJoined = false): string {
  switch (node.kind) {
    case 'constant':
      return constantText(node.value);
    case 'property':
      return propertyText(node.name);
    case 'newid':
      return 'newid()';
    case 'property-of-name':
      return `property(${valueNodeText(node.name)})`;
    case 'sign':
      return `${node.operator}${valueNodeText(node.operand, true)}`;
    case 'arithmetic': {
      const text = `${valueNodeText(node.left, true)} ${node.operator} ${valueNodeText(node.right, true)}`;
      return isJoined ? `(${text})` : text;
    }
    default:
      return node satisfies never;
  }
}

export function constantText(value: RuleValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  return valueText(value) ?? 'a value';
}
