// How the rules of a subscription become those that are configured: what is as it should be is left alone.

import type { RuleDescription } from '../broker/rules/rule-description.js';
import { indexOfName } from './configured-topic.js';

export type RuleChange =
  | { readonly kind: 'remove-rule'; readonly name: string }
  | { readonly kind: 'add-rule'; readonly rule: RuleDescription };

export function ruleChanges(
  kept: readonly RuleDescription[],
  wanted: readonly RuleDescription[],
): RuleChange[] {
  const surplus = kept.filter((rule) => !isAmong(rule, wanted));
  const lacking = wanted.filter((rule) => !isAmong(rule, kept));
  return [
    ...surplus.map(({ name }): RuleChange => ({ kind: 'remove-rule', name })),
    ...lacking.map((rule): RuleChange => ({ kind: 'add-rule', rule })),
  ];
}

function isAmong(rule: RuleDescription, others: readonly RuleDescription[]): boolean {
  const other =
    others[
      indexOfName(
        rule.name,
        others.map(({ name }) => name),
      )
    ];
  return other !== undefined && contentOf(rule) === contentOf(other);
}

/** The same for rules that say the same: keys in order, and nothing of what is not given. */
function contentOf({ filter, action }: RuleDescription): string {
  return JSON.stringify([filter, action ?? null], (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}
