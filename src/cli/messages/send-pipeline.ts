// Sends messages in order, many at the same time, and counts their outcomes.

import { hasNoOutcome } from '../../client/client-error.js';
import type { MessageSender } from '../../client/message-sender.js';

export type OutgoingMessage = {
  /** The place of the message in the input, from 1 on. */
  readonly number: number;
  readonly messageId: string;
  readonly content: Uint8Array;
};

type Failure = { readonly number: number; readonly error: unknown };

/** At most so many messages, with so many bytes, wait for their outcomes at the same time. */
const MOST_AT_ONCE = 500;
const MOST_BYTES_AT_ONCE = 16 * 1024 * 1024;

export class SendPipeline {
  readonly #sender: Pick<MessageSender, 'send'>;
  readonly #onAccepted: (message: OutgoingMessage) => Promise<void>;
  readonly #failed = new AbortController();
  readonly #ended: AbortSignal;
  readonly #failures: Failure[] = [];
  #underWayCount = 0;
  #underWayBytes = 0;
  #acceptedCount = 0;
  #last = 0;
  #isWhole = false;
  /** Resolves when all outcomes so far have come. */
  #settled = Promise.resolve();
  #wake: () => void = () => {};

  /** `onAccepted` is called in the order of the messages. `interrupted` ends the sending, but not messages that are under way. */
  constructor(
    sender: Pick<MessageSender, 'send'>,
    onAccepted: (message: OutgoingMessage) => Promise<void>,
    interrupted: AbortSignal,
  ) {
    this.#sender = sender;
    this.#onAccepted = onAccepted;
    this.#ended = AbortSignal.any([interrupted, this.#failed.signal]);
  }

  /** Resolves when every outcome has come; the first failure ends the sending. Throws only errors of the input. */
  async send(messages: AsyncIterable<OutgoingMessage>): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      if (this.#ended.aborted) resolve();
      else this.#ended.addEventListener('abort', () => resolve());
    });
    try {
      // The input may never end.
      await Promise.race([this.#feed(messages), ended]);
    } finally {
      await this.#settled;
    }
  }

  get acceptedCount(): number {
    return this.#acceptedCount;
  }

  get refused(): readonly Failure[] {
    return this.#failures.filter(({ error }) => !hasNoOutcome(error));
  }

  /** Messages that the service may have. */
  get unsure(): readonly Failure[] {
    return this.#failures.filter(({ error }) => hasNoOutcome(error));
  }

  /** The place of the last message that was begun, if the input was not read to its end; 0 if all messages were sent, or none. */
  get stoppedAfter(): number {
    return this.#isWhole ? 0 : this.#last;
  }

  async #feed(messages: AsyncIterable<OutgoingMessage>): Promise<void> {
    for await (const message of messages) {
      const bytes = message.content.byteLength;
      while (!this.#hasRoomFor(bytes)) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
      if (this.#ended.aborted) return;
      this.#start(message);
    }
    this.#isWhole = true;
  }

  #hasRoomFor(bytes: number): boolean {
    if (this.#underWayCount === 0) return true;
    return this.#underWayCount < MOST_AT_ONCE && this.#underWayBytes + bytes <= MOST_BYTES_AT_ONCE;
  }

  #start(message: OutgoingMessage): void {
    const { content, number } = message;
    this.#last = number;
    this.#underWayCount += 1;
    this.#underWayBytes += content.byteLength;
    const outcome = this.#sender.send(content).then(
      () => undefined,
      (error: unknown) => {
        this.#failed.abort();
        return { number, error };
      },
    );
    this.#settled = this.#settled.then(async () => {
      await this.#note(message, await outcome);
      this.#underWayCount -= 1;
      this.#underWayBytes -= content.byteLength;
      this.#wake();
    });
  }

  async #note(message: OutgoingMessage, failure: Failure | undefined): Promise<void> {
    if (failure === undefined) {
      this.#acceptedCount += 1;
      await this.#onAccepted(message);
      return;
    }
    this.#failures.push(failure);
  }
}
