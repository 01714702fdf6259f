// Peeks messages with requests to `$management`: nothing is locked, and no delivery is counted.

import { type AmqpValue, amqp } from '../codec/types.js';
import { type RequestContext, refusalOf } from './client-error.js';
import type { RequestClient } from './request-client.js';

const PEEK = 'com.microsoft:peek-message';
const MOST_IN_A_PAGE = 250;
const NOTHING_FOUND = 'com.microsoft:message-not-found';

type PeekOptions = {
  readonly from: bigint;
  readonly sessionId?: string | undefined;
  /** The most messages; Infinity for all. */
  readonly max: number;
  /** Reads the sequence number of a message. The next page begins after it. */
  readonly numberOf: (content: Uint8Array) => bigint;
};

export class MessageBrowser {
  readonly #links: RequestClient;
  readonly #context: RequestContext;

  constructor(links: RequestClient, context: RequestContext) {
    this.#links = links;
    this.#context = context;
  }

  /** Yields messages in the order of their numbers, until there are no more. Throws a JitneyError. */
  async *peek({ from, sessionId, max, numberOf }: PeekOptions): AsyncGenerator<Uint8Array> {
    let next = from;
    for (let left = max; left > 0; ) {
      const page = await this.#page(next, Math.min(left, MOST_IN_A_PAGE), sessionId);
      const last = page.at(-1);
      if (last === undefined) return;
      yield* page;
      next = numberOf(last) + 1n;
      left -= page.length;
    }
  }

  async #page(from: bigint, count: number, sessionId: string | undefined): Promise<readonly Uint8Array[]> {
    const body: Record<string, AmqpValue | string> = {
      'from-sequence-number': amqp.long(from),
      'message-count': amqp.int(count),
      ...(sessionId === undefined ? {} : { 'session-id': sessionId }),
    };
    const answer = await this.#links.request({ operation: PEEK }, body);
    const { status, condition } = answer;
    if (status === 204 || condition === NOTHING_FOUND) return [];
    if (status >= 200 && status < 300) return messagesIn(answer.body);
    throw refusalOf({ condition, description: answer.description }, this.#context);
  }
}

function messagesIn(body: unknown): readonly Uint8Array[] {
  const messages = (body as { readonly messages?: unknown } | undefined)?.messages;
  if (!Array.isArray(messages)) return [];
  return messages.flatMap(({ message }: { readonly message?: unknown }) =>
    Buffer.isBuffer(message) ? [message] : [],
  );
}
