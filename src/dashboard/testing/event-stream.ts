// An interface that answers the page with a stream of events, as a test writes them.

import { vi } from 'vitest';

export class EventStream {
  readonly address: string;
  readonly #controller: ReadableStreamDefaultController<Uint8Array>;

  constructor(address: string, controller: ReadableStreamDefaultController<Uint8Array>) {
    this.address = address;
    this.#controller = controller;
  }

  /** Sends text or bytes in one piece, and waits until they are read. */
  async send(piece: string | Uint8Array): Promise<void> {
    this.#controller.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece);
    await settled();
  }

  async end(): Promise<void> {
    this.#controller.close();
    await settled();
  }

  async breakOff(): Promise<void> {
    this.#controller.error(new TypeError('network error'));
    await settled();
  }
}

/** Answers `fetch` in place of an emulator. */
export class FakeInterface {
  /** All streams that were asked for. */
  readonly streams: EventStream[] = [];
  readonly headers: (HeadersInit | undefined)[] = [];
  startedTime = '2026-05-01T12:00:00.000Z';
  /** The status of the next answers, and whether there are any. */
  status = 200;
  isRunning = true;
  /** The answers to all other calls, by their name. */
  readonly answers = new Map<string, unknown>();

  constructor() {
    vi.stubGlobal('sessionStorage', { getItem: () => null });
    vi.stubGlobal('fetch', async (address: string, init: RequestInit) => this.#answer(address, init));
  }

  get addresses(): readonly string[] {
    return this.streams.map(({ address }) => address);
  }

  get last(): EventStream {
    const last = this.streams.at(-1);
    if (last === undefined) throw new Error('no stream was asked for');
    return last;
  }

  #answer(address: string, { headers, signal }: RequestInit): Response {
    signal?.throwIfAborted();
    const name = /v1\/([\w:-]+)/.exec(address)?.[1] ?? '';
    if (name !== 'events') return Response.json(this.answers.get(name) ?? {});
    this.headers.push(headers);
    if (!this.isRunning) throw new TypeError('fetch failed');
    if (this.status !== 200) return new Response('', { status: this.status });
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.streams.push(new EventStream(address, controller));
        signal?.addEventListener('abort', () => controller.error(signal.reason));
      },
    });
    return new Response(body, { headers: { 'jitney-started-time': this.startedTime } });
  }
}

/** Lets everything happen that waits for nothing: a piece passes through several streams. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}
