// The messages that are there, each with the span that its next ones belong to. Their number is bounded.

import type { SpanContext } from '@opentelemetry/api';

/** With about 430 bytes each, 43 MB at most. The oldest are forgotten first: what happens to one later begins a new trace. */
const MAX_MESSAGES = 100_000;
const DEAD_LETTER_QUEUE = /\/\$DeadLetterQueue$/;

/** The acceptance of a message. Its copies in subscriptions share it. */
export type Acceptance = {
  readonly messageId: string | undefined;
  /** The span of the acceptance, or before it is made, the one of the sender. */
  span: SpanContext | undefined;
};

export type TracedMessage = {
  readonly acceptance: Acceptance;
  /** The span that the next ones belong to, if it is not that of the acceptance: a message that was dead-lettered has one. */
  span: SpanContext | undefined;
  delivery: OpenDelivery | undefined;
};

/** A delivery whose lock has not ended. */
type OpenDelivery = {
  /** In milliseconds since 1970, by the clock of this machine. */
  readonly startTime: number;
  readonly deliveryCount: number;
  readonly client: string | undefined;
  renewalCount: number;
};

type OfMessage = { readonly path: string; readonly sequenceNumber: number };

export class TracedMessages {
  readonly #maxMessages: number;
  /** In the order in which they came. */
  readonly #byKey = new Map<string, TracedMessage>();

  constructor(maxMessages = MAX_MESSAGES) {
    this.#maxMessages = maxMessages;
  }

  get count(): number {
    return this.#byKey.size;
  }

  add(at: OfMessage, acceptance: Acceptance): TracedMessage {
    const message: TracedMessage = { acceptance, span: undefined, delivery: undefined };
    this.put(at, message);
    return message;
  }

  put(at: OfMessage, message: TracedMessage): void {
    this.#byKey.set(keyOf(at), message);
    if (this.#byKey.size <= this.#maxMessages) return;
    for (const oldest of this.#byKey.keys()) {
      this.#byKey.delete(oldest);
      return;
    }
  }

  find(at: OfMessage): TracedMessage | undefined {
    return this.#byKey.get(keyOf(at));
  }

  /** Finds a message that was there before the traces began, or was forgotten, as one of which nothing is known. */
  get(at: OfMessage): TracedMessage {
    return this.find(at) ?? this.add(at, { messageId: undefined, span: undefined });
  }

  /** Forgets a message that is gone, and returns it. */
  take(at: OfMessage): TracedMessage {
    const message = this.get(at);
    this.#byKey.delete(keyOf(at));
    return message;
  }

  /** Forgets all messages of an entity, or of its dead-letter queue, in which they have the same numbers. */
  forgetAll(path: string): void {
    const start = keyOf({ path, sequenceNumber: 0 }).slice(0, -1);
    for (const key of this.#byKey.keys()) if (key.startsWith(start)) this.#byKey.delete(key);
  }
}

/** A message keeps its number in the dead-letter queue. */
function keyOf({ path, sequenceNumber }: OfMessage): string {
  return `${path.replace(DEAD_LETTER_QUEUE, '')}#${sequenceNumber}`;
}
