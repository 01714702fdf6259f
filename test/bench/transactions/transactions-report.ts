// What a transaction costs, beside its target.

import { formatTable } from '../table.js';
import { SENDS, type TransactionCost } from './transaction-cost.js';

/** The most that the same operations may cost in a transaction. */
const MOST = 1.3;

export function formatTransactions({ without, within, ratio }: TransactionCost): string {
  const verdict = ratio <= MOST ? 'ok' : 'above';
  return formatTable(
    [`receive, send ${SENDS}, complete`, 'CPU µs', 'of without', `target ≤ ${MOST}`],
    [
      ['without a transaction', without.toFixed(1), '', ''],
      ['in a transaction of its own', within.toFixed(1), ratio.toFixed(2), verdict],
    ],
  );
}
