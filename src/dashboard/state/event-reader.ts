// Reads the stream of events, and goes on by itself after a break: behind the last event that was read. A stream has the events that a
// screen shows, of all others their number: writing each event would cost the emulator more than its message.

import { EventStream, type ServerEvent } from '../../watch/event-stream.js';
import { ApiError, addressOf, authorization } from './api.js';
import type { PageEvent } from './page-event.js';

/** The events that are read: of all entities, of one with its sub-queues and subscriptions, or none. */
export type EventScope = 'all' | 'none' | { readonly entity: string };

type EventReaderOwner = {
  /** Events that came together, oldest first. */
  events(events: readonly PageEvent[]): void;
  /** There were so many others, the last of them at this time. */
  counted(count: number, time: string | undefined): void;
  /** The stream is open; `isRestarted`: the emulator was restarted since then. */
  opened(isRestarted: boolean): void;
  /** So many events were missed, because this page was slower than they came. */
  lost(count: number): void;
  /** The stream has broken off, and is tried again. */
  broken(error: unknown): void;
};

const RETRY_MS = [250, 500, 1000, 2000] as const;
/** Events are handed on this often at most. */
const BATCH_MS = 50;

/** Reads until `end` is called. The scope `all` begins with all events that are kept. */
export class EventReader {
  readonly #owner: EventReaderOwner;
  readonly #position: Position = { last: 0, startedTime: '' };
  #scope: EventScope;
  #connection = new AbortController();
  #hasEnded = false;

  constructor(owner: EventReaderOwner, scope: EventScope) {
    this.#owner = owner;
    this.#scope = scope;
    this.#run();
  }

  end(): void {
    this.#hasEnded = true;
    this.#connection.abort();
  }

  /** Goes on with a stream of this scope, at once. */
  setScope(scope: EventScope): void {
    this.#scope = scope;
    if (scope === 'all') this.#position.last = 0;
    this.#connection.abort();
  }

  /** Whether the events that wait when a stream is given up come again, or nobody wants them any more. */
  get #drops(): boolean {
    return this.#hasEnded || this.#position.last === 0;
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.#hasEnded; ) {
      this.#connection = new AbortController();
      const { signal } = this.#connection;
      const reading = { scope: this.#scope, position: this.#position, signal, drops: () => this.#drops };
      try {
        await readOnce(this.#owner, reading, () => {
          failures = 0;
        });
      } catch (error) {
        if (signal.aborted) continue;
        this.#owner.broken(error);
        if (error instanceof ApiError && error.status === 401) return;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]));
      failures += 1;
    }
  }
}

type Position = { last: number; startedTime: string };
type Reading = {
  readonly scope: EventScope;
  readonly position: Position;
  readonly signal: AbortSignal;
  /** Whether the events that wait are dropped when the signal aborts. */
  readonly drops: () => boolean;
};

async function readOnce(owner: EventReaderOwner, reading: Reading, opened: () => void): Promise<void> {
  const { scope, position, signal, drops } = reading;
  const address = addressOf('events', { since: position.last, ...queryOf(scope) });
  const response = await fetch(address, { headers: authorization(), signal });
  if (!response.ok || response.body === null) {
    const message = `The stream of events was answered ${response.status}.`;
    throw new ApiError(response.status, { code: 'stream', message });
  }
  const startedTime = response.headers.get('jitney-started-time') ?? '';
  const isRestarted = position.startedTime !== '' && position.startedTime !== startedTime;
  if (isRestarted && position.last > 0) {
    // The ids began at 1 again: the last one that was read may already belong to another event.
    position.last = 0;
    await response.body.cancel();
    return readOnce(owner, reading, opened);
  }
  owner.opened(isRestarted);
  opened();
  position.startedTime = startedTime;
  const batch = new Batch((events) => owner.events(events));
  signal.addEventListener('abort', () => (drops() ? batch.drop() : batch.flush()));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const stream = new EventStream();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    for (const event of stream.read(read.value)) take(event, { owner, position, batch });
  }
  batch.flush();
  throw new Error('the stream has ended');
}

function queryOf(scope: EventScope) {
  if (scope === 'all') return {};
  return scope === 'none' ? { count: 'all' } : { entity: scope.entity, count: 'others' };
}

function take(
  { type, data, id }: ServerEvent,
  { owner, position, batch }: { owner: EventReaderOwner; position: Position; batch: Batch },
): void {
  if (type === 'message') {
    const event = JSON.parse(data) as PageEvent;
    position.last = event.id;
    batch.add(event);
  } else if (type === 'count') {
    const { count, time } = JSON.parse(data) as { count: number; time?: string };
    position.last = Number(id);
    owner.counted(count, time);
  } else if (type === 'lost') {
    // The page has not missed what had left the record before it was opened.
    if (position.last > 0) owner.lost((JSON.parse(data) as { count: number }).count);
  } else if (type === 'restarted') {
    position.last = 0;
  }
}

/** Gathers events for a moment, so that a page draws once for many. */
class Batch {
  readonly #give: (events: readonly PageEvent[]) => void;
  #events: PageEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(give: (events: readonly PageEvent[]) => void) {
    this.#give = give;
  }

  add(event: PageEvent): void {
    this.#events.push(event);
    this.#timer ??= setTimeout(() => this.flush(), BATCH_MS);
  }

  flush(): void {
    const events = this.#events;
    this.drop();
    if (events.length > 0) this.#give(events);
  }

  drop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#events = [];
  }
}
