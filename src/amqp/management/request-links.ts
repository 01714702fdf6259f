// The request and response links of one connection: takes requests on sender links and finds the link for each answer.

import { decodeTerminus } from '../../codec/terminus.js';
import type { FaultOperation } from '../../steer/fault.js';
import type { ErrorContext, Failure } from '../error-condition.js';
import type { ConnectionFaults, Faultable } from '../faults/connection-faults.js';
import type { ReceiverLink } from '../protocol/receiver-link.js';
import type { SenderLink } from '../protocol/sender-link.js';
import type { Request, Response } from './request-message.js';
import { CREDIT, RequestSender } from './request-sender.js';
import { ResponseLink } from './response-link.js';

/** A node that answers requests, such as `$cbs`. */
export interface RequestNode {
  /** Unique within the connection. Responses fall back to a link from the same node. */
  readonly name: string;
  /** The largest request in bytes, if above `MAX_REQUEST_BYTES`. */
  readonly maxRequestBytes?: number;
  /** Called before anything else is done with a request, which waits for the promise, if there is one. */
  prepare?(request: Request): Promise<unknown> | undefined;
  /** Answers the request. `room` is for an answer with contents. */
  answer(request: Request, respond: (response: Response) => void, room: AnswerRoom): void;
  /** The usual size of a large answer; 0 for a small one. Requests with small answers never wait. */
  answerBytes?(request: Request): number;
  /** The operation of a request, for faults; undefined if no fault can hit it. */
  faultable?(request: Request): { readonly operation: FaultOperation; readonly path: string } | undefined;
  /** The answer to a request that a fault fails. Default: status, condition and description. */
  refusal?(failure: Failure, request: Request): Response;
}

/** Replaces the reserved room by room for an answer of this size. Undefined if it is there at once. Rejects if the client goes. */
export type AnswerRoom = (bytes: number) => Promise<void> | undefined;

/** The largest request of most nodes, in bytes. */
const MAX_REQUEST_BYTES = 1024 * 1024;

export class RequestLinks {
  readonly #context: ErrorContext;
  readonly #faults: ConnectionFaults | undefined;
  readonly #senders = new Set<RequestSender>();
  readonly #responders = new Map<ResponseLink, RequestNode>();
  /** Requests that wait for room for their answers. */
  readonly #waiting: WaitingRequest[] = [];
  #isCarryingOut = false;
  #isWaitingForRoom = false;

  /** Without `faults`, none hit requests. */
  constructor(context: ErrorContext, faults?: ConnectionFaults) {
    this.#context = context;
    this.#faults = faults;
  }

  acceptSender(link: SenderLink, node: RequestNode): void {
    const maxRequestBytes = Math.max(MAX_REQUEST_BYTES, node.maxRequestBytes ?? 0);
    const sender = new RequestSender(link, maxRequestBytes, {
      request: (request, answered) => this.#answer(node, request, { answered, link }),
      mayHaveCredit: () => this.#mayHaveCredit(),
      gone: () => this.#senders.delete(sender),
    });
    if (!link.accept(sender, { maxMessageSize: maxRequestBytes })) return;
    this.#senders.add(sender);
    link.setCredit(CREDIT);
  }

  acceptReceiver(link: ReceiverLink, node: RequestNode): void {
    // A reply-to may be the link's name, its target or its source.
    const names = [link.attach.name];
    for (const terminus of [decodeTerminus(link.attach.target), decodeTerminus(link.attach.source)]) {
      if (terminus?.address !== undefined) names.push(terminus.address);
    }
    const responder = new ResponseLink(link, names, {
      context: this.#context,
      unblocked: () => this.#goOn(),
      gone: (gone) => {
        this.#responders.delete(gone);
        // Later, because all links of an ended connection go now, and the requests that came on them must not be carried out.
        queueMicrotask(() => this.#goOn());
      },
    });
    if (link.accept(responder)) this.#responders.set(responder, node);
  }

  /** A request with a small answer overtakes those that wait: it may be a settlement, or part of a transaction before its discharge. */
  #answer(node: RequestNode, request: Request, from: RequestOf): void {
    const answerBytes = node.answerBytes?.(request) ?? 0;
    const waiting = { node, request, from, answerBytes };
    if (answerBytes === 0) this.#carryOut(waiting);
    else {
      this.#waiting.push(waiting);
      this.#carryOutWaiting();
    }
  }

  #carryOut({ node, request, from, answerBytes }: WaitingRequest): void {
    const { share } = from.link.held;
    let reservedBytes = answerBytes;
    share.add(reservedBytes);
    const room = (bytes: number) => {
      const more = bytes - reservedBytes;
      reservedBytes = bytes;
      return share.take(more, request);
    };
    const done = (response: Response | undefined) => {
      if (response !== undefined) this.#responder(node, request)?.respond(request, response);
      share.add(-reservedBytes);
      from.answered();
    };
    const prepared = node.prepare?.(request);
    const perform = () => {
      const faults = this.#faults?.isArmed === true ? this.#faults : undefined;
      const subject = faults && node.faultable?.(request);
      if (subject === undefined) node.answer(request, done, room);
      else faults?.run({ ...subject, ...this.#ends(node, request, { from, done, room }) });
    };
    if (prepared === undefined) perform();
    else prepared.then(perform).catch((fault: unknown) => from.link.fault(fault));
  }

  /** The ways in which a request can end. */
  #ends(
    node: RequestNode,
    request: Request,
    {
      from,
      done,
      room,
    }: { from: RequestOf; done: (response: Response | undefined) => void; room: AnswerRoom },
  ): Omit<Faultable, 'operation' | 'path'> {
    return {
      carryOut: () => node.answer(request, done, room),
      carryOutUnanswered: () => node.answer(request, () => done(undefined), room),
      fail: (failure) => done(node.refusal?.(failure, request) ?? failure),
      detach: (error) => {
        const responder = this.#responder(node, request);
        done(undefined);
        for (const link of [from.link, responder?.link]) {
          link?.detach(error);
          link?.onGone();
        }
      },
    };
  }

  /** Carries out the requests that wait, in order, as far as the socket has room and the client's share allows. */
  #carryOutWaiting(): void {
    if (this.#isCarryingOut) return; // a request that is answered at once leads here again
    this.#isCarryingOut = true;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const isGone = !next.from.link.attachment.isOpen;
      if (!isGone && !this.#mayCarryOut(next)) break;
      this.#waiting.shift();
      if (!isGone) this.#carryOut(next);
    }
    this.#isCarryingOut = false;
  }

  /** Whether the request may be carried out now. If not, `#carryOutWaiting` is called once it may. */
  #mayCarryOut({ node, request, from, answerBytes }: WaitingRequest): boolean {
    const { share } = from.link.held;
    const responder = this.#responder(node, request);
    if (responder?.mayRespond === false) return false;
    if (share.mayTake(answerBytes, request)) return true;
    if (this.#isWaitingForRoom) return false;
    this.#isWaitingForRoom = true;
    const goOn = () => {
      this.#isWaitingForRoom = false;
      this.#carryOutWaiting();
    };
    share.wait({ bytes: answerBytes, key: request, goOn });
    return false;
  }

  #goOn(): void {
    this.#carryOutWaiting();
    this.#topUp();
  }

  /** Whether to grant credit: not while a response link is blocked, or answers would pile up. */
  #mayHaveCredit(): boolean {
    return ![...this.#responders.keys()].some((responder) => responder.isBlocked);
  }

  #topUp(): void {
    for (const sender of this.#senders) sender.topUp();
  }

  /**
   * Finds the newest link named by the reply-to, preferring the node's own. Python's and Go's reply-to may match none: then the
   * node's newest link.
   */
  #responder(node: RequestNode, request: Request): ResponseLink | undefined {
    const { replyTo } = request;
    const responders = [...this.#responders].reverse();
    const ofNode = responders.filter(([, each]) => each.name === node.name);
    const named = (candidates: typeof responders) =>
      replyTo === undefined ? undefined : candidates.find(([link]) => link.names.includes(replyTo));
    return (named(ofNode) ?? named(responders) ?? ofNode[0])?.[0];
  }
}

/** Where a request came from, and what is called once it is answered. */
type RequestOf = { readonly link: SenderLink; readonly answered: () => void };

type WaitingRequest = {
  readonly node: RequestNode;
  readonly request: Request;
  readonly from: RequestOf;
  /** The expected size of the answer; 0: small. */
  readonly answerBytes: number;
};
