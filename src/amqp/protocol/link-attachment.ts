// How a link comes and goes, the same for both directions: attach and its answer, detach and its answer (AMQP 2.6.3-2.6.6).

import type { AmqpError, Attach } from '../../codec/performatives.js';
import { type AmqpValue, amqp } from '../../codec/types.js';
import { answerBytes } from './attach-check.js';
import { encodedError } from './fitting-error.js';
import type { Session } from './session.js';

/** What the owner of a link adds to the attach that goes back; termini are echoed as received unless given. */
export type AttachReply = {
  readonly source?: Buffer | undefined;
  readonly target?: Buffer | undefined;
  readonly maxMessageSize?: number | undefined;
  readonly properties?: AmqpValue;
};

const EMPTY_MAP = amqp.map([]);

export class LinkAttachment {
  readonly attach: Attach;
  readonly localHandle: number;
  readonly #session: Session;
  /** `attaching`: the answer is still owed; `detaching`: we detached and the peer has not yet. */
  state: 'attaching' | 'attached' | 'detaching' | 'detached' = 'attaching';
  #isUsed = false;

  constructor(session: Session, attach: Attach, localHandle: number) {
    this.#session = session;
    this.attach = attach;
    this.localHandle = localHandle;
  }

  /** Whether the answer fits into one frame, as it must; one that only repeats what the peer has sent does. */
  canAnswer(reply: AttachReply): boolean {
    const { name, source, target } = { ...this.attach, ...reply };
    return answerBytes({ name, source, target }) <= this.#session.connection.maxOutgoingFrame;
  }

  /** False when the link has gone while its answer was made up. */
  accept(reply: AttachReply): boolean {
    if (this.state !== 'attaching') return false;
    this.state = 'attached';
    this.used();
    this.#writeAttach({ source: this.attach.source, target: this.attach.target, ...reply });
    return true;
  }

  /** An attach without termini, then, in a write of its own, the detach that says why. */
  refuse(error: AmqpError | undefined): void {
    if (this.state !== 'attaching') return;
    this.#writeAttach({});
    // JS SDK 7.9.5 misreports the error when both arrive in one read.
    this.#session.connection.output.breakWrite();
    this.#writeDetach(error);
    this.state = 'detaching';
  }

  detach(error: AmqpError | undefined): void {
    if (this.state === 'attaching') return this.refuse(error);
    if (this.state !== 'attached') return;
    this.#writeDetach(error);
    this.state = 'detaching';
  }

  /** The peer's detach: answered unless it is the answer to ours. */
  peerDetached(isClosed: boolean): void {
    if (this.state === 'attaching') this.#writeAttach({});
    if (this.isOpen) this.#writeDetach(undefined, isClosed);
    this.gone();
  }

  /** Nothing more is to be said on this link. */
  gone(): void {
    this.state = 'detached';
  }

  /** To be called for each transfer, and for each flow and disposition of the peer; ours only answer those. */
  used(): void {
    if (this.state === 'attached') this.#isUsed = true;
  }

  /** Whether it was attached or used since this was last asked: the ground for idle detaches. */
  takeUse(): boolean {
    const isUsed = this.#isUsed;
    this.#isUsed = false;
    return isUsed;
  }

  /** Whether what the peer says on it is still heard. */
  get isOpen(): boolean {
    return this.state === 'attaching' || this.state === 'attached';
  }

  #writeAttach(reply: AttachReply): void {
    const { attach } = this;
    this.#session.writeFrame({
      kind: 'attach',
      name: attach.name,
      handle: this.localHandle,
      role: !attach.role,
      sndSettleMode: attach.sndSettleMode,
      rcvSettleMode: attach.rcvSettleMode,
      source: reply.source,
      target: reply.target,
      incompleteUnsettled: false, // LNK-03
      // The sending side says where its count starts (AMQP 2.7.3).
      initialDeliveryCount: attach.role ? 0 : undefined,
      maxMessageSize: reply.maxMessageSize,
      properties: reply.properties ?? EMPTY_MAP,
    });
  }

  #writeDetach(error: AmqpError | undefined, isClosed = true): void {
    this.#session.writeFrame({
      kind: 'detach',
      handle: this.localHandle,
      closed: isClosed,
      error: encodedError(error, this.#session.connection.maxOutgoingFrame),
    });
  }
}
