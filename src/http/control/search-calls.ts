// The call that searches all messages, and answers as server-sent events while it searches.

import type { StartTimer } from '../../engine/timer.js';
import { type SearchEvent, searchMessages } from '../../inspect/search-messages.js';
import { MOST_SEARCHES } from '../../inspect/searches.js';
import { RequestProblem } from '../error-response.js';
import { expectResult, type RoutedCall } from '../http-context.js';
import { manageAccess } from './control-access.js';
import { readSearch, searchQuery } from './control-requests.js';

const DEFAULT_LIMIT = 50;
/** A client that takes nothing for so long loses its search, because others may wait for one. */
const MOST_IDLE_MS = 30_000;

export const SEARCH_CALLS = {
  /** With `entity` one entity, which a key of that entity may search; else all. Ends when the client goes, or its right ends. */
  async searchMessages(call: RoutedCall): Promise<Response> {
    const { text, limit = DEFAULT_LIMIT, from, entity } = readSearch(call, searchQuery);
    const { context, request, share } = call;
    const { engine, control, now = Date.now } = context;
    const access = await manageAccess(entity ?? '', call);
    if (access instanceof Response) return access;
    // Throws here if the entity does not exist: later the answer has begun.
    if (entity !== undefined) {
      expectResult(await engine.ask({ kind: 'inspect-namespace', path: entity }), 'inspected-entities');
    }
    const searches = control?.searches;
    const end = searches?.begin();
    if (searches === undefined || end === undefined) throw tooMany();
    let hasGone = false;
    const events = searchMessages(engine, searches, {
      text,
      limit,
      from,
      entityPath: entity,
      room: (bytes) => share.take(bytes),
      giveBack: (bytes) => share.add(-bytes),
      isOver: () => hasGone || request.signal.aborted || now() >= access.expiresAtMs,
    });
    const stop = () => {
      hasGone = true;
      end();
    };
    return new Response(searchStream(events, stop, searches.startTimer), {
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' },
    });
  },
} as const;

function tooMany(): RequestProblem {
  const text = `${MOST_SEARCHES} searches are running, and more would take time from other clients. Wait until one has ended, or end one by closing its request.`;
  return new RequestProblem(429, text);
}

/** `stop` is called when the search has ended, or its reader has gone or takes nothing more. */
function searchStream(
  events: AsyncIterator<SearchEvent>,
  stop: () => void,
  startTimer: StartTimer,
): ReadableStream<Uint8Array> {
  let stopTimer = () => {};
  const put = (controller: ReadableStreamDefaultController<Uint8Array>, text: string) => {
    controller.enqueue(Buffer.from(text));
    stopTimer = startTimer(MOST_IDLE_MS, () => {
      stop();
      controller.close();
    });
  };
  return new ReadableStream<Uint8Array>({
    start: (controller) => put(controller, ': connected\n\n'),
    async pull(controller) {
      stopTimer();
      try {
        const { value, done } = await events.next();
        if (value !== undefined) put(controller, textOf(value));
        if (done !== true) return;
        stop();
        controller.close();
      } catch (error) {
        stop();
        throw error;
      }
    },
    cancel() {
      stopTimer();
      stop();
    },
  });
}

function textOf({ kind, data }: SearchEvent): string {
  return `event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}
