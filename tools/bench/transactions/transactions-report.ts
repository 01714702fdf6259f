// What a transaction costs, beside its target.

import { formatTable } from '../table.js';
import type { TransactionCost } from './transaction-cost.js';

/** The most that the same operations may cost in a transaction. */
const MOST = 1.3;

export function formatTransactions(costs: readonly TransactionCost[]): string {
  return formatTable(
    ['the same work, 10 clients', 'CPU µs', 'in a transaction', 'of without', `target ≤ ${MOST}`],
    costs.map(({ receives, sends, without, within, ratio }) => [
      `receive and complete ${receives}, send ${sends}`,
      without.toFixed(0),
      within.toFixed(0),
      ratio.toFixed(2),
      ratio <= MOST ? 'ok' : 'above',
    ]),
  );
}
