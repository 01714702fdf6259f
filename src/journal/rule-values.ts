// What stands in the rows of rules. Looked at closely, for the broker compiles what it is given back.

import type { RuleRecord } from '../broker/event.js';
import { isRuleDescription } from '../broker/rules/rule-shape.js';
import { isInstant, parseObject } from './json-row.js';

/** JSON keeps a rule exactly: nothing in it is infinite. */
export function writeRule(rule: RuleRecord): string {
  return JSON.stringify(rule);
}

export function readRule(row: string): RuleRecord | undefined {
  const value = parseObject(row);
  if (value === undefined || !isInstant(value.createdTime) || !isRuleDescription(value.description)) {
    return undefined;
  }
  const { name, filter, action } = value.description;
  return { description: { name, filter, action }, createdTime: value.createdTime };
}
