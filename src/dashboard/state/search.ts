// The search for messages (`GET search`): what it finds comes while it runs, and it ends with its request.

import { EventStream } from '../../watch/event-stream.js';
import { ApiError, addressOf, authorization } from './api.js';
import { type Route, TABS } from './route.js';

/** A message that was found, and what of it has matched. */
export type Hit = {
  readonly path: string;
  readonly subQueue?: 'deadletter' | 'transfer' | 'transferDeadLetter';
  readonly state: string;
  readonly sequenceNumber: number;
  readonly messageId?: string;
  readonly enqueuedTime: string;
  /** The field that has matched, such as `correlationId`, and its value. */
  readonly field: string;
  readonly value: string;
};

type SearchProgress = { readonly scannedCount: number; readonly totalCount: number };

/** The data of `progress` and of `end`, which alone says whether it was cut. */
type ProgressData = SearchProgress & { readonly isCut?: boolean; readonly next?: string };

export type Search = SearchProgress & {
  readonly text: string;
  readonly hits: readonly Hit[];
  readonly isRunning: boolean;
  /** Not all messages were looked at, because so many were found, or because it was ended. */
  readonly isCut: boolean;
  /** Where a search that was cut goes on. */
  readonly next?: string | undefined;
  readonly error?: unknown;
};

/** A search that has found nothing yet. */
export function newSearch(text: string, isRunning: boolean): Search {
  return { text, hits: [], isRunning, isCut: false, scannedCount: 0, totalCount: 0 };
}

/** A number as the page writes it, `#34,118`, is searched without its marks; every other text as it is. */
export function searchedText(text: string): string {
  return /^#?(?:\d{1,3}(?:,\d{3})+|\d{1,16})$/.test(text) ? text.replace(/[#,]/g, '') : text;
}

/** The search if it is one for this text. After a key, the hits that are there are those of the text before. */
export function searchFor(text: string, search: Search): Search {
  return search.text === text ? search : newSearch(text, text !== '');
}

/**
 * Begins a search, or goes on where it was cut, until `limit` further hits, its end, or until `signal` aborts. Shows how far it is after
 * each part of the answer.
 */
export async function searchMessages(
  begun: Search,
  limit: number,
  show: (search: Search) => void,
  signal: AbortSignal,
): Promise<void> {
  const { text, next: from } = begun;
  let search: Search = { ...begun, isRunning: true, isCut: false, next: undefined };
  const put = (change: Partial<Search>) => {
    search = { ...search, ...change };
    if (!signal.aborted) show(search);
  };
  put({});
  try {
    const body = await open({ text: searchedText(text), limit, from }, signal);
    const stream = new EventStream();
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const hits: Hit[] = [];
      let change: Partial<Search> = {};
      for (const { type, data } of stream.read(read.value)) {
        if (type === 'hit') hits.push(JSON.parse(data) as Hit);
        else if (type === 'progress' || type === 'end')
          change = { ...change, ...changeOf(JSON.parse(data) as ProgressData, begun) };
      }
      put({ ...change, hits: [...search.hits, ...hits] });
    }
    put({ isRunning: false });
  } catch (error) {
    put({ isRunning: false, isCut: true, error });
  }
}

/** A search that goes on counts from its own beginning: the messages that were looked at before are added. */
function changeOf(data: ProgressData, before: SearchProgress): ProgressData {
  const totalCount = before.totalCount || data.totalCount;
  return { ...data, totalCount, scannedCount: Math.min(totalCount, before.scannedCount + data.scannedCount) };
}

async function open(
  query: { readonly text: string; readonly limit: number; readonly from: string | undefined },
  signal: AbortSignal,
): Promise<NonNullable<Response['body']>> {
  const address = addressOf('search', query);
  const response = await fetch(address, { headers: authorization(), signal });
  if (response.ok && response.body !== null) return response.body;
  const answer = (await response.json().catch(() => ({}))) as { error?: { message?: string } };
  const message = answer.error?.message ?? `The search was answered ${response.status}.`;
  throw new ApiError(response.status, { code: 'search', message });
}

/** The message that was found. */
export function placeOfHit({ path, subQueue, state, sequenceNumber }: Hit): Route {
  if (subQueue === 'deadletter') return { screen: 'message', path, tab: 'dead', sequenceNumber };
  if (subQueue === 'transferDeadLetter')
    return { screen: 'message', path, tab: 'transfer-dead', sequenceNumber };
  const tab = TABS.find((each) => each === state) ?? 'active';
  return {
    screen: 'message',
    path: subQueue === undefined ? path : `${path}/$Transfer`,
    tab,
    sequenceNumber,
  };
}
