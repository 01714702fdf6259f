// The share of a client that nothing limits.

import { ByteBudget, type ByteShare } from '../../src/budget/byte-budget.js';

export function unlimitedShare(): ByteShare {
  return new ByteBudget({ limitBytes: Number.POSITIVE_INFINITY }).open(() => {});
}
