// The life of a link of either direction: attach and its answer, detach and its answer (AMQP 2.6.3-2.6.6).

import type { AmqpError, Attach } from '../../codec/performatives.js';
import { compacted } from '../../codec/small-part.js';
import { type AmqpValue, amqp } from '../../codec/types.js';
import type { AmqpSessionPort } from './ports.js';
import { encodedError } from './truncated-error.js';

/** The owner's part of our attach. A missing terminus is echoed from the client's attach. */
export type AttachReply = {
  readonly source?: Buffer | undefined;
  readonly target?: Buffer | undefined;
  readonly maxMessageSize?: number | undefined;
  readonly properties?: AmqpValue;
};

/** Is told what happens to a link. */
export type LinkWatcher = {
  attached(): void;
  refused(error: AmqpError | undefined): void;
  /** Called once for a link that was attached. `error` is the one that we sent. */
  ended(error: AmqpError | undefined): void;
};

export const EMPTY_MAP = amqp.map([]);
/** Bytes of an attach besides its name and termini, with room for the additions of the link's owner. */
const ATTACH_OVERHEAD_BYTES = 192;
/** Texts up to this size are usual for a link, and do not count as held for the client. */
const FREE_TEXT_BYTES = 512;

export class LinkAttachment {
  #attach: Attach;
  readonly localHandle: number;
  readonly #session: AmqpSessionPort;
  /** `attaching`: we have not answered yet; `detaching`: we have detached and the peer has not. */
  state: 'attaching' | 'attached' | 'detaching' | 'detached' = 'attaching';
  watcher: LinkWatcher | undefined;
  /** Whether the peer's detach is answered by `answerDetach`, once its consequences are durable. */
  answersLater = false;
  /** Whether the peer has closed the link, and not only detached it. */
  wasClosed = false;
  #isAnswerOwed = false;
  #isUsed = false;
  #countedBytes = 0;

  constructor(session: AmqpSessionPort, attach: Attach, localHandle: number) {
    this.#session = session;
    this.#attach = withOwnTexts(attach);
    this.localHandle = localHandle;
    this.#countTexts(answerBytes(attach));
  }

  /** The client's attach; without its termini, properties and capabilities once it is answered. */
  get attach(): Attach {
    return this.#attach;
  }

  /** Whether the answer fits into one frame, as it must. An answer that only echoes always fits. */
  canAnswer(reply: AttachReply): boolean {
    const { name, source, target } = { ...this.attach, ...reply };
    return answerBytes({ name, source, target }) <= this.#session.connection.maxOutgoingFrame;
  }

  /** False when the link has gone in the meantime. */
  accept(reply: AttachReply): boolean {
    if (this.state !== 'attaching') return false;
    this.state = 'attached';
    this.used();
    const { attach } = this;
    const offered = this.#session.connection.offeredTo(attach);
    this.#writeAttach({ source: attach.source, target: attach.target, ...reply }, offered);
    this.#answered();
    this.watcher?.attached();
    return true;
  }

  /** Writes an attach without termini and then, in a write of its own, the detach with the reason. */
  refuse(error: AmqpError | undefined): void {
    if (this.state !== 'attaching') return;
    this.#writeAttach({});
    // JS SDK 7.9.5 misreports the error when both arrive in one read.
    this.#session.connection.output.breakWrite();
    this.#writeDetach(error);
    this.#answered();
    this.state = 'detaching';
    this.watcher?.refused(error);
  }

  detach(error: AmqpError | undefined): void {
    if (this.state === 'attaching') return this.refuse(error);
    if (this.state !== 'attached') return;
    this.#writeDetach(error);
    this.state = 'detaching';
    this.watcher?.ended(error);
  }

  /** Answers the peer's detach, unless it answers ours or is answered later. */
  peerDetached(isClosed: boolean): void {
    this.wasClosed = isClosed;
    if (this.state === 'attaching') this.#writeAttach({});
    if (this.isOpen && this.answersLater) this.#isAnswerOwed = true;
    else if (this.isOpen) this.#writeDetach(undefined, isClosed);
    this.gone();
  }

  /** Answers the peer's detach, if that has come and was to be answered later. */
  answerDetach(error?: AmqpError): void {
    if (!this.#isAnswerOwed) return;
    this.#isAnswerOwed = false;
    this.#writeDetach(error, this.wasClosed);
    this.#session.freeHandle(this.localHandle);
  }

  /** Ends the link: nothing more is written on it. */
  gone(): void {
    if (this.state === 'attached') this.watcher?.ended(undefined);
    this.state = 'detached';
    this.#countTexts(0);
  }

  /** Notes a use. Must be called for each transfer, and for each flow and disposition of the peer. Ours do not count: they only answer. */
  used(): void {
    if (this.state === 'attached') this.#isUsed = true;
  }

  /** Whether the link was attached or used since the last call, by which idle links are found. */
  takeUse(): boolean {
    const isUsed = this.#isUsed;
    this.#isUsed = false;
    return isUsed;
  }

  /** Whether the peer's frames on this link are still handled. */
  get isOpen(): boolean {
    return this.state === 'attaching' || this.state === 'attached';
  }

  #answered(): void {
    this.#attach = withoutTexts(this.attach);
    this.#countTexts(this.attach.name.length);
  }

  /** Counts the texts that the connection holds for the link, as far as they are larger than usual. */
  #countTexts(bytes: number): void {
    const countedBytes = Math.max(0, bytes - FREE_TEXT_BYTES);
    this.#session.connection.held.share.add(countedBytes - this.#countedBytes);
    this.#countedBytes = countedBytes;
  }

  #writeAttach(reply: AttachReply, offeredCapabilities?: readonly string[]): void {
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
      // The sending side announces where its count starts (AMQP 2.7.3).
      initialDeliveryCount: attach.role ? 0 : undefined,
      maxMessageSize: reply.maxMessageSize,
      offeredCapabilities,
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

/** A copy, because the answer may take hours, and the termini would keep the whole read in memory that they came in. */
function withOwnTexts(attach: Attach): Attach {
  const { source, target } = attach;
  return { ...attach, source: source && compacted(source), target: target && compacted(target) };
}

/** Dropped, because a link may stay for days, and its termini keep the whole read in memory that they came in. */
function withoutTexts(attach: Attach): Attach {
  const { kind, name, handle, role, sndSettleMode, rcvSettleMode, maxMessageSize } = attach;
  return {
    kind,
    name,
    handle,
    role,
    sndSettleMode,
    rcvSettleMode,
    maxMessageSize,
    incompleteUnsettled: false,
  };
}

/** The largest size of our attach in bytes, with the additions of the link's owner. */
export function answerBytes({ name, source, target }: Pick<Attach, 'name' | 'source' | 'target'>): number {
  return Buffer.byteLength(name) + (source?.length ?? 0) + (target?.length ?? 0) + ATTACH_OVERHEAD_BYTES;
}
