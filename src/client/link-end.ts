// Promises for the answers of a service, which fail if the link, its AMQP session or the connection ends first.

import type { EventEmitter } from 'node:events';
import type { EventContext, Receiver, Sender } from 'rhea';
import { JitneyError } from '../jitney-error.js';
import { hasNoOutcome, type RequestContext, refusalOf, type ServiceError } from './client-error.js';

/** A signal that fails once, for everything that waits for it. */
export class FailureSignal {
  readonly happened: Promise<never>;
  #reject: (error: JitneyError) => void = () => {};
  #error: JitneyError | undefined;

  constructor() {
    this.happened = new Promise((_, reject) => {
      this.#reject = reject;
    });
    // Caught, because nothing may be waiting when it happens.
    this.happened.catch(() => {});
  }

  fail(error: JitneyError): void {
    this.#error ??= error;
    this.#reject(error);
  }

  throwIfHappened(): void {
    if (this.#error !== undefined) throw this.#error;
  }
}

/** The reason for a `modified` or `released` outcome, which has no error. */
export const NO_REASON: ServiceError = { description: 'no reason is given' };
const ANSWER_LIMIT_MS = 30_000;

/** Fails when the link ends, the service ends its AMQP session, or the connection is lost. */
export function linkFailure(
  link: Sender | Receiver,
  context: RequestContext,
  lost: FailureSignal,
): FailureSignal {
  const failure = new FailureSignal();
  const ended = () => {
    const error = (link.error ?? link.session.error) as ServiceError | undefined;
    failure.fail(refusalOf(error ?? NO_REASON, context));
  };
  for (const event of ['sender_error', 'sender_close', 'receiver_error', 'receiver_close'])
    link.on(event, ended);
  for (const event of ['session_error', 'session_close']) link.session.on(event, ended);
  lost.happened.catch((error: JitneyError) => failure.fail(error));
  return failure;
}

export function nextEvent(emitter: EventEmitter, event: string): Promise<EventContext> {
  return new Promise((resolve) => emitter.once(event, resolve));
}

type Wait = {
  readonly failure: FailureSignal;
  readonly context: RequestContext;
  /** Default: 30 s. */
  readonly limitMs?: number;
};

/** Waits for an answer of the service. Throws the failure, or a JitneyError of kind `no-answer`. */
export async function answered<T>(
  answer: Promise<T>,
  { failure, context, limitMs = ANSWER_LIMIT_MS }: Wait,
): Promise<T> {
  const { address, path } = context;
  const timeUp = new FailureSignal();
  const timer = setTimeout(() => {
    const text = `${address} has not answered a request for '${path}' in ${limitMs / 1000} s`;
    timeUp.fail(new JitneyError('no-answer', text));
  }, limitMs);
  try {
    return await Promise.race([answer, failure.happened, timeUp.happened]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for the outcome of a message. If the link ends first, for whatever reason, the outcome is unknown. */
export async function knownOutcome<T>(outcome: Promise<T>, wait: Wait): Promise<T> {
  try {
    return await answered(outcome, wait);
  } catch (error) {
    if (!(error instanceof JitneyError) || hasNoOutcome(error)) throw error;
    const text = `The link of '${wait.context.path}' ended before the service had answered: ${error.message}`;
    throw new JitneyError('link-ended', text, { cause: error });
  }
}

/** Waits until a link is attached. A refused attach is answered without a terminus, and a detach with the reason follows. */
export async function attached(
  link: Sender | Receiver,
  wait: Wait & { readonly terminus: 'source' | 'target' },
): Promise<void> {
  await answered(nextEvent(link, link.is_receiver() ? 'receiver_open' : 'sender_open'), wait);
  const isRefused = link[wait.terminus]?.address === undefined;
  if (isRefused) await answered(new Promise<never>(() => {}), wait);
}
