// Binary search.

/** The first of `length` indexes that is not below; `length` when all are. `isBelow` holds for the first indexes and for no others. */
export function firstIndex(length: number, isBelow: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBelow(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
