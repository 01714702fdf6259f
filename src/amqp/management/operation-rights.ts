// Which right an operation of `$management` needs: what sends needs Send, all else Listen, rules too, as their manager has it in every SDK.

import type { AccessRight } from '../../broker/entity/authorization-rule.js';

const SENDING: ReadonlySet<string> = new Set([
  'com.microsoft:schedule-message',
  'com.microsoft:cancel-scheduled-message',
]);

export function rightFor(operation: string): AccessRight {
  return SENDING.has(operation) ? 'Send' : 'Listen';
}
