// Seeded runs in which messages are managed by hand, between the commands of clients and across crashes.

import { expect, it } from 'vitest';
import { type Managed, simulateManagement } from './managed-broker.js';

const SEEDS = 30;

/** Each action on messages, and each reason for which one leaves a message alone. */
const MUST_HAPPEN: readonly string[] = [
  ...['delete', 'dead-letter', 'resubmit', 'move', 'activate', 'end-lock', 'end-session'],
  ...['activate in-use', 'delete message-not-found', 'dead-letter wrong-state', 'end-lock wrong-state'],
  ...['move duplicate', 'move not-allowed', 'move refused', 'resubmit entity-disabled'],
];

it('messages managed by hand break no invariant', () => {
  const all: Managed = new Map();
  for (let seed = 1; seed <= SEEDS; seed++) {
    try {
      for (const [what, count] of simulateManagement(seed, 600)) all.set(what, (all.get(what) ?? 0) + count);
    } catch (cause) {
      throw new Error(`seed ${seed} has failed`, { cause });
    }
  }
  expect(Object.fromEntries(all)).toMatchObject(
    Object.fromEntries(MUST_HAPPEN.map((what) => [what, expect.any(Number)])),
  );
}, 120_000);
