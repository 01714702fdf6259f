// Compares the service's answer with ours, and finds each difference in the list of accepted ones.

import type { Line } from './answer-lines.js';

export type Difference = {
  /** What differs, such as `/entry/content/QueueDescription/AccessedAt`; `order` for elements in another order. */
  readonly key: string;
  /** Undefined: it is not in that answer. */
  readonly service: string | undefined;
  readonly ours: string | undefined;
};

/** A difference that is known and stays. Patterns that are left out fit everything. */
export type Accepted = {
  /** Method and URL, such as `GET /orders?api-version=2017-04`. */
  readonly request?: RegExp;
  readonly key: RegExp;
  readonly service?: RegExp;
  readonly ours?: RegExp;
  /** A sentence that says why. */
  readonly reason: string;
};

export function differencesOf(service: readonly Line[], ours: readonly Line[]): readonly Difference[] {
  const [theirs, own] = [new Map(service), new Map(ours)];
  const differences = [...new Set([...theirs.keys(), ...own.keys()])]
    .map((key) => ({ key, service: theirs.get(key), ours: own.get(key) }))
    .filter(
      ({ key, ...one }) => one.service !== one.ours && theirs.has(around(key)) === own.has(around(key)),
    );
  const order = commonKeys(service, own);
  const ownOrder = commonKeys(ours, theirs);
  const at = order.findIndex((key, index) => key !== ownOrder[index]);
  if (at < 0) return differences;
  return [...differences, { key: 'order', service: order[at], ours: ownOrder[at] }];
}

/** The element around: if one answer lacks that, what is in it makes no further difference. */
function around(key: string): string {
  return key.slice(0, key.lastIndexOf('/'));
}

function commonKeys(lines: readonly Line[], others: ReadonlyMap<string, string>): readonly string[] {
  return lines.map(([key]) => key).filter((key) => others.has(key));
}

/** The entry of the list that accepts a difference of this request. */
export function acceptedBy(
  list: readonly Accepted[],
  request: string,
  { key, service, ours }: Difference,
): Accepted | undefined {
  return list.find(
    (one) =>
      one.request?.test(request) !== false &&
      one.key.test(key) &&
      one.service?.test(service ?? '') !== false &&
      one.ours?.test(ours ?? '') !== false,
  );
}
