// The faults of the table: an operation of a client, and what befalls it. Every SDK does the same ones.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** "once" in the id: a client that tries again succeeds. */
export type FaultCase = {
  readonly id: string;
  readonly operation:
    | 'send'
    | 'receive'
    | 'complete'
    | 'renew-lock'
    | 'peek'
    | 'schedule'
    | 'session-state'
    | 'administration';
  /** The fault, as for `POST faults`. */
  readonly fault: Readonly<Record<string, string | number | true>>;
};

export const FAULT_CASES: readonly FaultCase[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'cases.json'), 'utf8'),
);
