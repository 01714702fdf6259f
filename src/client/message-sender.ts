// Sends encoded messages to a queue or topic without changing their bytes, and waits until the service has accepted them.

import type { Delivery, EventContext, Sender, Session } from 'rhea';
import { JitneyError } from '../jitney-error.js';
import { type RequestContext, refusalOf, type ServiceError } from './client-error.js';
import { attached, type FailureSignal, knownOutcome, linkFailure, NO_REASON } from './link-end.js';

/** The message format of AMQP. If it is named, rhea sends bytes as they are. */
const AMQP_FORMAT = 0;

const MORE_BYTES =
  "Send less at a time, or raise the limit:  --tier premium --queue '<name>?maxMessageSizeInKilobytes=<n>'";

type Outcome = { readonly error: JitneyError | undefined };

export class MessageSender {
  readonly #sender: Sender;
  readonly #failure: FailureSignal;
  readonly #context: RequestContext;
  readonly #pending = new Map<Delivery, (outcome: Outcome) => void>();

  private constructor(sender: Sender, failure: FailureSignal, context: RequestContext) {
    this.#sender = sender;
    this.#failure = failure;
    this.#context = context;
    sender.on('accepted', ({ delivery }: EventContext) => this.#done(delivery, undefined));
    for (const event of ['rejected', 'released', 'modified']) {
      sender.on(event, ({ delivery }: EventContext) => {
        this.#done(delivery, refusalOf(errorIn(delivery?.remote_state), context));
      });
    }
  }

  /** Throws a JitneyError, like `send`. */
  static async open(
    session: Session,
    path: string,
    { lost, context }: { readonly lost: FailureSignal; readonly context: RequestContext },
  ): Promise<MessageSender> {
    const sender = session.open_sender({ target: { address: path } });
    const failure = linkFailure(sender, context, lost);
    await attached(sender, { failure, context, terminus: 'target' });
    return new MessageSender(sender, failure, context);
  }

  /** Resolves when the message is accepted. At most 1,000 may wait at the same time. */
  async send(content: Uint8Array): Promise<void> {
    this.#refuseTooLarge(content.byteLength);
    const delivery = this.#sender.send(Buffer.from(content), undefined, AMQP_FORMAT);
    const outcome = new Promise<Outcome>((resolve) => this.#pending.set(delivery, resolve));
    const { error } = await knownOutcome(outcome, { failure: this.#failure, context: this.#context });
    if (error !== undefined) throw error;
  }

  /** Refuses a message that is too large: the service might end the link because of it, and with it all messages that are under way. */
  #refuseTooLarge(bytes: number): void {
    // 0, or no value, means that there is no limit (AMQP 2.7.3).
    const limit = Number(this.#sender.max_message_size ?? 0);
    if (limit === 0 || bytes <= limit) return;
    const { path, address } = this.#context;
    const text = `A message of ${bytes} bytes is too large for '${path}' at ${address}, which takes up to ${limit}`;
    throw new JitneyError('refused', text, { problems: [MORE_BYTES] });
  }

  #done(delivery: Delivery | undefined, error: JitneyError | undefined): void {
    if (delivery === undefined) return;
    this.#pending.get(delivery)?.({ error });
    this.#pending.delete(delivery);
  }
}

/** The error in an outcome. rhea's types do not show that a rejection has one. */
export function errorIn(outcome: unknown): ServiceError {
  if (typeof outcome !== 'object' || outcome === null || !('error' in outcome)) return NO_REASON;
  return (outcome.error as ServiceError | null | undefined) ?? NO_REASON;
}
