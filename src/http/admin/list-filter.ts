// `$filter` of the lists of queues and topics: conditions joined by `and`, as Service Bus Explorer and the old .NET SDK write them.

import { FIRST_TIME } from '../../atom/atom-format.js';
import type { EntityInfo } from '../../broker/contract/result.js';
import { RequestProblem } from '../error-response.js';
import { queryValue } from './atom.js';
import { totalOf } from './computed-elements.js';

type Matches = (listed: EntityInfo) => boolean;

const AND = /\sand\s/i;
const STARTS_WITH = /^startswith\(\s*path\s*,\s*'([^']*)'\s*\)\s+eq\s+true$/i;
const COMPARISON = /^(\w+)\s+(eq|ne|gt|ge|lt|le)\s+(?:datetime)?('?)([^']*)\3$/i;
const ISO_DATE = /^\d{4}-\d\d-\d\d/;

/** Each takes the sign of the left value minus the right one. */
const OPERATORS: Readonly<Record<string, (sign: number) => boolean>> = {
  eq: (sign) => sign === 0,
  ne: (sign) => sign !== 0,
  gt: (sign) => sign > 0,
  ge: (sign) => sign >= 0,
  lt: (sign) => sign < 0,
  le: (sign) => sign <= 0,
};
const TIMES: Readonly<Record<string, (listed: EntityInfo) => number>> = {
  createdat: ({ createdTime }) => createdTime,
  updatedat: ({ updatedTime }) => updatedTime,
  accessedat: ({ accessedTime }) => accessedTime ?? FIRST_TIME,
};

/** Undefined if there is no filter. Throws RequestProblem for an unknown one. */
export function readListFilter(url: URL): Matches | undefined {
  const given = queryValue(url, '$filter');
  if (given === undefined) return undefined;
  const conditions = given.split(AND).map((text) => readCondition(text.trim()) ?? refuse(given));
  return (listed) => conditions.every((matches) => matches(listed));
}

/** Refuses a filter for subscriptions and rules, as Azure does. Throws RequestProblem. */
export function refuseFilter(url: URL): void {
  if (queryValue(url, '$filter') === undefined) return;
  throw new RequestProblem(400, 'Only the lists of queues and topics can have a $filter; leave it out.');
}

function readCondition(text: string): Matches | undefined {
  const prefix = STARTS_WITH.exec(text)?.[1]?.toLowerCase();
  if (prefix !== undefined) return ({ description }) => description.name.toLowerCase().startsWith(prefix);
  const [, property = '', operator = '', , value = ''] = COMPARISON.exec(text) ?? [];
  const isTrue = OPERATORS[operator.toLowerCase()];
  const signOf = readComparison(property.toLowerCase(), value);
  if (isTrue === undefined || signOf === undefined) return undefined;
  return (listed) => isTrue(signOf(listed));
}

/** Compares a property with a value; undefined for an unknown property, or a value that does not fit it. */
function readComparison(property: string, value: string): ((listed: EntityInfo) => number) | undefined {
  if (property === 'path') {
    const wanted = value.toLowerCase();
    return ({ description }) => compareTexts(description.name.toLowerCase(), wanted);
  }
  const timeOf = TIMES[property];
  const number = timeOf === undefined ? Number(value || 'none') : readTime(value);
  if (Number.isNaN(number)) return undefined;
  if (timeOf !== undefined) return (listed) => timeOf(listed) - number;
  return property === 'messagecount' ? ({ counts }) => totalOf(counts) - number : undefined;
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** `2026-01-31T10:00:00Z`, with a blank or without a time, or `1/31/2026 10:00:00 AM`. A time without a zone is in UTC. */
function readTime(value: string): number {
  const iso = value.replace(' ', 'T');
  if (!ISO_DATE.test(iso)) return Date.parse(`${value} UTC`);
  return Date.parse(/T[^Z+-]*$/i.test(iso) ? `${iso}Z` : iso);
}

function refuse(given: string): never {
  throw new RequestProblem(
    400,
    `SubCode=40000. $filter cannot be '${given.slice(0, 200)}': join conditions such as startswith(path, 'x') eq true, ` +
      "messageCount gt 0 and createdAt lt '2026-01-31' by and; there are also path, updatedAt and accessedAt.",
  );
}
