// Which part of a list a request asks for: `$skip` and `$top`.

import { RequestProblem } from '../request-problem.js';

export type Page = { readonly skip: number; readonly maxCount: number };

/** Also what is given when nothing is asked for. */
const MAX_PAGE_LENGTH = 100;
const LARGEST_SKIP = 2 ** 31 - 1;

/** Throws RequestProblem. */
export function readPage({ searchParams }: URL): Page {
  const skip = readCount(searchParams, '$skip', 0) ?? 0;
  const top = readCount(searchParams, '$top', 1) ?? MAX_PAGE_LENGTH;
  return { skip, maxCount: Math.min(top, MAX_PAGE_LENGTH) };
}

/** Where the next part is. */
export function nextPage(url: URL, { skip, maxCount }: Page): URL {
  const next = new URL(url);
  for (const key of [...next.searchParams.keys()]) {
    if (/^\$(?:skip|top)$/i.test(key)) next.searchParams.delete(key);
  }
  next.searchParams.set('$skip', String(skip + maxCount));
  next.searchParams.set('$top', String(maxCount));
  return next;
}

/** Undefined when it is not given. */
function readCount(parameters: URLSearchParams, name: string, least: number): number | undefined {
  const given = [...parameters].find(([key]) => key.toLowerCase() === name)?.[1];
  if (given === undefined) return undefined;
  const count = /^\d{1,10}$/.test(given) ? Number(given) : -1;
  if (count >= least && count <= LARGEST_SKIP) return count;
  const text = `SubCode=40000. ${name} must be a whole number from ${least}, not '${given.slice(0, 50)}'.`;
  throw new RequestProblem(400, text);
}
