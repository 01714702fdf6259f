// Sends requests and receives answers over a pair of links, for `$cbs` and for the `$management` node of an entity.

import { randomUUID } from 'node:crypto';
import type { EventContext, Message, Sender, Session } from 'rhea';
import type { RequestContext } from './client-error.js';
import { answered, attached, type FailureSignal, linkFailure, NO_REASON } from './link-end.js';

type Answer = {
  /** The status, as in HTTP. */
  readonly status: number;
  readonly condition: string | undefined;
  readonly description: string | undefined;
  readonly body: unknown;
};

/** The names of these properties, which differ between `$cbs` and `$management`. */
const NAMES = {
  status: ['statusCode', 'status-code'],
  condition: ['errorCondition', 'error-condition'],
  description: ['statusDescription', 'status-description'],
} as const;

export class RequestClient {
  readonly #sender: Sender;
  readonly #replyTo: string;
  readonly #failure: FailureSignal;
  readonly #context: RequestContext;
  readonly #pending = new Map<string, (answer: Answer) => void>();

  private constructor(sender: Sender, replyTo: string, failure: FailureSignal, context: RequestContext) {
    this.#sender = sender;
    this.#replyTo = replyTo;
    this.#failure = failure;
    this.#context = context;
  }

  /** Throws a JitneyError, like `request`. */
  static async open(
    session: Session,
    node: string,
    { lost, context }: { readonly lost: FailureSignal; readonly context: RequestContext },
  ): Promise<RequestClient> {
    const replyTo = randomUUID();
    const sender = session.open_sender({ target: { address: node } });
    const receiver = session.open_receiver({
      name: replyTo,
      source: { address: node },
      target: { address: replyTo },
    });
    const failure = linkFailure(sender, context, lost);
    linkFailure(receiver, context, lost).happened.catch((error) => failure.fail(error));
    const links = new RequestClient(sender, replyTo, failure, context);
    receiver.on('message', ({ message }: EventContext) => links.#received(message));
    const refused = ({ delivery }: EventContext) => links.#refused(delivery?.remote_state);
    for (const event of ['rejected', 'released', 'modified']) sender.on(event, refused);
    await Promise.all([
      attached(sender, { failure, context, terminus: 'target' }),
      attached(receiver, { failure, context, terminus: 'source' }),
    ]);
    return links;
  }

  async request(properties: Readonly<Record<string, unknown>>, body: unknown): Promise<Answer> {
    const id = randomUUID();
    const answer = new Promise<Answer>((resolve) => this.#pending.set(id, resolve));
    this.#sender.send({
      message_id: id,
      reply_to: this.#replyTo,
      application_properties: properties,
      body,
    });
    return answered(answer, { failure: this.#failure, context: this.#context });
  }

  #received(message: Message | undefined): void {
    const id = String(message?.correlation_id);
    const properties = message?.application_properties ?? {};
    const value = ([name, other]: readonly [string, string]) => properties[name] ?? properties[other];
    const text = (names: readonly [string, string]) => {
      const found = value(names);
      return found === undefined || found === null ? undefined : String(found);
    };
    this.#pending.get(id)?.({
      status: Number(value(NAMES.status)),
      condition: text(NAMES.condition),
      description: text(NAMES.description),
      body: message?.body,
    });
    this.#pending.delete(id);
  }

  /** Fails a request that the service has not accepted, because it gets no answer. */
  #refused(state: unknown): void {
    const error = typeof state === 'object' && state !== null && 'error' in state ? state.error : undefined;
    const { condition, description } = { ...NO_REASON, ...(error as Partial<Answer> | undefined) };
    for (const answer of this.#pending.values())
      answer({ status: 400, condition, description, body: undefined });
    this.#pending.clear();
  }
}
