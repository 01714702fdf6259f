// A receiver without a source, with which a JMS program unsubscribes: the answer has the source of its subscription, and closing the
// link deletes it (JMS-59).

import type { Result } from '../../broker/contract/result.js';
import { encodeSubscriptionSource } from '../../codec/terminus.js';
import type { Engine } from '../../engine/engine.js';
import type { Requester } from '../../engine/requester.js';
import { amqpErrorOf, type ErrorContext } from '../error-condition.js';
import { selectorFilter } from '../links/receiver-source.js';
import type { ReceiverLink, ReceiverLinkOwner } from '../protocol/receiver-link.js';
import type { UnsubscribedNode } from './jms-links.js';

const FIND = 0;
const DELETE = 1;

type Options = UnsubscribedNode & { readonly context: ErrorContext };

export class Unsubscriber implements ReceiverLinkOwner, Requester {
  readonly #engine: Engine;
  readonly #link: ReceiverLink;
  readonly #identity: UnsubscribedNode['identity'];
  readonly #context: ErrorContext;

  constructor(engine: Engine, link: ReceiverLink, { identity, unauthorized, context }: Options) {
    this.#engine = engine;
    this.#link = link;
    this.#identity = identity;
    this.#context = context;
    if (unauthorized !== undefined) throw unauthorized;
    engine.submit({ kind: 'find-subscriber', ...identity }, this, FIND);
  }

  completed(tag: number, result: Result): void {
    const error = result.kind === 'failed' ? amqpErrorOf(result.error, this.#context) : undefined;
    if (tag === DELETE) this.#link.attachment.answerDetach(error);
    else if (error !== undefined)
      this.#link.refuse(error); // JMS-60
    else if (result.kind === 'subscriber') this.#found(result);
  }

  #found({ topicName, subscriber }: Extract<Result, { kind: 'subscriber' }>): void {
    const { isShared, clientId, selector } = subscriber;
    const shared = isShared === true ? ['shared'] : [];
    const capabilities = ['topic', ...shared, ...(clientId === '' ? ['global'] : [])];
    const filter = selector === undefined ? undefined : selectorFilter(selector);
    const source = encodeSubscriptionSource(topicName, capabilities, filter);
    if (this.#link.accept(this, { source })) this.#link.attachment.answersLater = true;
  }

  detached(): void {
    const { attachment } = this.#link;
    if (attachment.wasClosed) this.#engine.submit({ kind: 'unsubscribe', ...this.#identity }, this, DELETE);
    else attachment.answerDetach();
  }

  faulted(cause: unknown): void {
    this.#link.fault(cause);
  }

  flowed(): void {}
  writable(): void {}
  disposed(): void {}
}
