// A value of a rule as text: what `+` joins, what a system property takes, what a correlation filter compares.

import { formatTime } from './civil-time.js';
import type { RuleValue } from './rule-value.js';

/** Undefined when it has no text, as null and the unknown. True and false are `True` and `False`, as the service is written in .NET. */
export function textOf(value: RuleValue | undefined): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'bigint':
    case 'number':
      return String(value);
    case 'boolean':
      return value ? 'True' : 'False';
    case 'object':
      return value === null ? undefined : textOfObject(value);
    default:
      return undefined;
  }
}

function textOfObject(value: RuleValue & object): string | undefined {
  switch (value.kind) {
    case 'uuid':
      return hyphenated(value.hex);
    case 'timestamp':
      return formatTime(value.ms);
    case 'duration':
    case 'other':
      return undefined;
    default:
      return value satisfies never;
  }
}

function hyphenated(hex: string): string {
  const [a, b, c, d] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)];
  return `${a}-${b}-${c}-${d}-${hex.slice(20)}`;
}
