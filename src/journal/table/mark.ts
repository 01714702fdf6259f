// The mark: the position of the log up to which the table has everything, and the count and checksum of its rows.

import { isCount, parseObject } from './rows/json-row.js';
import { MARK_KEY } from './rows/keys.js';
import { openValue, sealOf, withSeal } from './seal.js';

/** The position up to which the table has everything that is in the log. */
export type Mark = {
  readonly segment: number;
  readonly offset: number;
  /** Set by a clean stop only: the table then has everything, and the log ends at exactly this position. */
  readonly isClean: boolean;
};

/** The number of rows and the sum of their seals: a missing, additional or stale row changes at least one. */
export type Totals = { readonly count: number; readonly checksum: number };

export function writeMark({ segment, offset, isClean }: Mark, { count, checksum }: Totals): string {
  const text = JSON.stringify({ segment, offset, isClean, count, checksum });
  return withSeal(sealOf(MARK_KEY, text), text);
}

/** Returns undefined when the mark is damaged. */
export function readMark(value: string): { readonly mark: Mark; readonly totals: Totals } | undefined {
  const row = parseObject(openValue(MARK_KEY, value)?.text ?? '');
  if (row === undefined) return undefined;
  const { segment, offset, isClean, count, checksum } = row;
  if (!isCount(segment) || !isCount(offset) || typeof isClean !== 'boolean') return undefined;
  if (!isCount(count) || !isCount(checksum)) return undefined;
  return { mark: { segment, offset, isClean }, totals: { count, checksum } };
}
