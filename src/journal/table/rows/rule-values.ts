// Encodes the rows of rules. They are fully checked when they are read, because the broker compiles them.

import type { RuleRecord } from '../../../broker/contract/event.js';
import { isRuleDescription } from '../../../broker/contract/rule-description.js';
import { isInstant, parseObject } from './json-row.js';

/** Writes JSON, which keeps a rule exactly, because no value in it is infinite. */
export function writeRule(rule: RuleRecord): string {
  return JSON.stringify(rule);
}

export function readStoredRule(row: string): RuleRecord | undefined {
  const value = parseObject(row);
  if (value === undefined || !isInstant(value.createdTime) || !isRuleDescription(value.description)) {
    return undefined;
  }
  const { name, filter, action } = value.description;
  return { description: { name, filter, action }, createdTime: value.createdTime };
}
