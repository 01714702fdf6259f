// A client's receiver link to an entity, or to one of its message sessions: credit becomes commands, the broker's deliveries
// are written to the link, and dispositions settle them.

import assert from 'node:assert';
import type { Command, Outcome, UnsettledEnd } from '../../broker/contract/command.js';
import type { Delivery } from '../../broker/contract/effect.js';
import type { Instant } from '../../broker/contract/instant.js';
import type { Result } from '../../broker/contract/result.js';
import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import type { DeliveryState } from '../../codec/delivery-state.js';
import { entriesOf } from '../../codec/read-value.js';
import { answeredSource, decodeTerminus } from '../../codec/terminus.js';
import { amqp } from '../../codec/types.js';
import { inSession } from '../../content/annotations-splice.js';
import { encodeForDelivery } from '../../content/splice.js';
import type { LinkSink } from '../../engine/delivery-queue.js';
import type { Engine } from '../../engine/engine.js';
import type { Requester, RequestOrigin } from '../../engine/requester.js';
import type { ConnectionActivity } from '../connection-activity.js';
import { amqpErrorOf, type ErrorContext } from '../error-condition.js';
import type { ConnectionFaults } from '../faults/connection-faults.js';
import { type FaultyReceiver, ReceiverFaults } from '../faults/receiver-faults.js';
import type { AttachReply } from '../protocol/link-attachment.js';
import type { ClientDisposition } from '../protocol/outgoing-transfers.js';
import type { ReceiverLink, ReceiverLinkOwner } from '../protocol/receiver-link.js';
import { echoOf, outcomeOf, tagOfToken } from './delivery-mapping.js';
import type { AppliedSelector } from './receiver-source.js';
import type { SessionRequest } from './session-request.js';
import type { ConnectionTransactions } from './transactions.js';

const SND_SETTLE_MODE_UNSETTLED = 0;
/** The settle mode of receive-and-delete, in which the sender settles (RCV-01). */
const SND_SETTLE_MODE_SETTLED = 1;
/** Tags of commands that settle nothing. The tag of a settlement is its delivery-id. */
const ATTACH = -1;
const SET_CREDIT = -2;
/** Tags of settlements in transactions count down from here: two of them may be about one delivery, so its id cannot be the tag. */
const BEFORE_ENLISTING = -2;
/** For receive-and-delete: go-amqp and proton-j end the link if the tag is missing. */
const NO_TAG = Buffer.alloc(0);

type AttachReceiver = Extract<Command, { kind: 'attach-receiver' | 'attach-browser' }>;
type TransactionalState = Extract<DeliveryState, { kind: 'transactional' }>;

type EntityReceiverOptions = {
  readonly entityPath: string;
  /** The command that attaches the link, if it is to do more. */
  readonly attachAs?: ((attach: AttachReceiver) => Command) | undefined;
  /** The same for an entity that turns out to be a topic. */
  readonly attachToTopicAs?: ((attach: AttachReceiver) => Command) | undefined;
  /** The source of the answer, for a node that was made for the link and goes with it. */
  readonly madeSource?: Buffer | undefined;
  /** How what is unsettled ends when the connection is lost; it is released when the link ends in order (JMS-32, JMS-33). */
  readonly unsettledWhenLost?: UnsettledEnd | undefined;
  readonly context: ErrorContext;
  readonly transactions: ConnectionTransactions;
  readonly activity: ConnectionActivity;
  readonly faults: ConnectionFaults;
  /** The request of a session receiver, which is attached once it has the session. */
  readonly session?: SessionRequest | undefined;
  /** Whether the receiver only browses messages (PEEK-12). */
  readonly isBrowsing: boolean;
  /** The selector of its source (JMS-81). */
  readonly selector?: AppliedSelector | undefined;
};

export class EntityReceiver implements ReceiverLinkOwner, Requester, LinkSink {
  readonly origin: RequestOrigin | undefined;
  readonly #activity: ConnectionActivity;
  readonly #engine: Engine;
  readonly #link: ReceiverLink;
  #entityPath: string;
  #attachAs: EntityReceiverOptions['attachAs'];
  #attachToTopicAs: EntityReceiverOptions['attachToTopicAs'];
  readonly #madeSource: Buffer | undefined;
  readonly #unsettledWhenLost: UnsettledEnd | undefined;
  readonly #context: ErrorContext;
  readonly #transactions: ConnectionTransactions;
  readonly #session: SessionRequest | undefined;
  readonly #isBrowsing: boolean;
  readonly #selector: AppliedSelector | undefined;
  readonly #faults: ReceiverFaults;
  readonly #linkId: number;
  /** The client's states of deliveries whose settlement is pending. */
  readonly #settling = new Map<number, DeliveryState | undefined>();
  readonly #enlisting = new Map<number, { deliveryId: number; state: TransactionalState }>();
  #lastEnlistTag = BEFORE_ENLISTING;
  /** The link's count of used credit minus the broker's count, which includes dropped deliveries. */
  #countAhead = 0;
  #deliveryLimit = 0;
  #isGone = false;
  #isWaitingForMemory = false;

  constructor(engine: Engine, link: ReceiverLink, options: EntityReceiverOptions) {
    const { entityPath, context, transactions, activity, faults, session, isBrowsing } = options;
    this.#engine = engine;
    this.#link = link;
    this.#entityPath = entityPath;
    this.#context = context;
    this.#transactions = transactions;
    this.#session = session;
    this.#isBrowsing = isBrowsing;
    this.#attachAs = options.attachAs;
    this.#attachToTopicAs = options.attachToTopicAs;
    this.#madeSource = options.madeSource;
    this.#unsettledWhenLost = options.unsettledWhenLost;
    this.#selector = options.selector;
    this.#linkId = engine.openLink(this);
    this.#faults = new ReceiverFaults(engine, faults, this.#faultyReceiver());
    this.#activity = activity;
    this.origin = activity.origin(this.#linkId);
    activity.linkOpened(link, this.#linkId);
    link.answerLater(this);
    this.#attach();
  }

  flowed(): void {
    // A selected message is locked, so no more are selected than can be written.
    const { reachableLimit, usedCredit, credit } = this.#link;
    const writableLimit = this.#hasMemory() ? reachableLimit : usedCredit;
    const deliveryLimit = writableLimit - this.#countAhead;
    // JMS-38: the drain of a browser that can be given nothing would be answered at once, although there may be more. `writable` asks for it.
    const isHeldUp = this.#isBrowsing && credit > 0 && writableLimit === usedCredit;
    const drain = this.#link.isDraining && !isHeldUp;
    // pyamqp repeats the same flow with each receive.
    if (deliveryLimit === this.#deliveryLimit && !drain) return;
    this.#deliveryLimit = deliveryLimit;
    this.#engine.submit({ kind: 'set-credit', linkId: this.#linkId, deliveryLimit, drain }, this, SET_CREDIT);
  }

  writable(): void {
    this.#engine.resumeLink(this.#linkId);
    this.flowed();
  }

  isReady(): boolean {
    return this.#link.canSend && this.#hasMemory();
  }

  /** Whether the client may be given more. If not, `writable` is called once it may. */
  #hasMemory(): boolean {
    const { share } = this.#link.held;
    if (share.mayTake()) return true;
    if (!this.#isWaitingForMemory) {
      this.#isWaitingForMemory = true;
      share.wait({
        goOn: () => {
          this.#isWaitingForMemory = false;
          if (!this.#isGone) this.writable();
        },
      });
    }
    return false;
  }

  held(bytes: number): void {
    this.#link.held.share.add(bytes);
  }

  /** SND-10: ignores the size in the client's attach. The Python SDK always says 1 MiB there, and takes any. */
  deliver(delivery: Delivery, content: Uint8Array): void {
    if (this.#faults.isNeeded && !this.#isBrowsing) this.#faults.deliver(delivery, content);
    else this.#write(delivery, content);
  }

  #write(delivery: Delivery, content: Uint8Array): void {
    const { lockToken } = delivery;
    this.#link.send({
      tag: this.#tagOf(lockToken),
      payload: this.#encode(delivery, content),
      isSettled: lockToken === undefined && !this.#browsesUnsettled,
      context: lockToken ?? '',
    });
  }

  #encode(delivery: Delivery, content: Uint8Array): Buffer[] {
    const annotated = this.#session === undefined ? delivery : inSession(delivery);
    return encodeForDelivery(content, annotated, this.#isBrowsing ? 'peeked' : 'delivered');
  }

  /** RCV-06. A browser's deliveries that are unsettled need a tag of their own each (AMQP 2.6.12). */
  #tagOf(lockToken: string | undefined): Buffer {
    if (lockToken !== undefined) return tagOfToken(lockToken);
    return this.#browsesUnsettled ? tagOfToken(this.#context.nextGuid()) : NO_TAG;
  }

  /** JMS-37: a browser's deliveries are settled, unless the client has asked for unsettled ones alone (AMQP 2.8.2). */
  get #browsesUnsettled(): boolean {
    return this.#isBrowsing && this.#link.attach.sndSettleMode === SND_SETTLE_MODE_UNSETTLED;
  }

  dropped(): void {
    this.#countAhead -= 1;
    this.flowed();
  }

  drained(deliveredCount: number): void {
    if (this.#faults.isNeeded) this.#faults.inOrder(() => this.#drained(deliveredCount));
    else this.#drained(deliveredCount);
  }

  #drained(deliveredCount: number): void {
    if (this.#link.isDraining) {
      // The limit has been raised since, by the client or for a dropped delivery. Only the answer to the last command counts.
      if (deliveredCount < this.#deliveryLimit) return;
      if (this.#isBrowsing && this.#mayHaveMore(deliveredCount)) {
        this.flowed();
        return;
      }
      this.#link.drained();
    }
    // Also if the client has withdrawn the drain, because the broker has already used up the credit.
    this.#countAhead = this.#link.usedCredit - deliveredCount;
    this.flowed();
  }

  /** Whether the broker has used all the credit that it was given, and the client allows more: it may have more messages. */
  #mayHaveMore(deliveredCount: number): boolean {
    const { credit, usedCredit } = this.#link;
    return credit > 0 && deliveredCount === usedCredit - this.#countAhead;
  }

  disposed(disposition: ClientDisposition): void {
    const { deliveryId, state, isSettled } = disposition;
    if (this.#isBrowsing) {
      // PEEK-12: a browser's disposition changes nothing about the message.
      if (!isSettled && state !== undefined && state.kind !== 'received') {
        this.#link.settle(deliveryId, echoOf(state));
      }
      return;
    }
    if (state?.kind === 'transactional') {
      this.#enlist(disposition, state);
      return;
    }
    const outcome = isSettled || state !== undefined ? outcomeOf(state, isSettled) : undefined;
    if (outcome === undefined) return;
    if (this.#faults.isNeeded) this.#faults.settle(disposition, outcome);
    else this.#settle(disposition, outcome);
  }

  /** `isAnswered`: false if a fault loses the answer to the client. */
  #settle(
    { deliveryId, context: lockToken, state, isSettled }: ClientDisposition,
    outcome: Outcome,
    { isAnswered = true } = {},
  ): void {
    if (!isSettled && isAnswered) this.#settling.set(deliveryId, state);
    const command = { kind: 'settle', entityPath: this.#entityPath, lockToken, outcome } as const;
    this.#engine.submit(command, this, deliveryId);
  }

  /** Withdraws the link's credit, so that returned messages go to other links (JMS-34). */
  ending(): void {
    if (this.#deliveryLimit === 0 || this.#isGone) return;
    this.#deliveryLimit = 0;
    const noCredit = { deliveryLimit: 0, drain: false } as const;
    this.#engine.submit({ kind: 'set-credit', linkId: this.#linkId, ...noCredit }, this, SET_CREDIT);
  }

  completed(tag: number, result: Result): void {
    if (tag === ATTACH) {
      this.#attached(result);
      return;
    }
    if (tag < SET_CREDIT) this.#enlisted(tag, result);
    if (tag === SET_CREDIT || !this.#settling.has(tag)) return;
    const state = this.#settling.get(tag);
    this.#settling.delete(tag);
    if (result.kind === 'failed') this.#reject(tag, result.error);
    else this.#link.settle(tag, echoOf(state)); // SET-02
  }

  faulted(cause: unknown): void {
    this.#link.fault(cause);
  }

  /** SES-10 */
  sessionAccepted(sessionId: string, lockedUntil: Instant): void {
    assert(this.#session !== undefined, 'a link was given a session that had not asked for one');
    this.#session.stopWaiting();
    this.#faults.sessionId = sessionId;
    const reply = this.#session.reply(sessionId, lockedUntil);
    if (this.#link.attachment.canAnswer(reply)) this.#accept(reply);
    else this.#refuseLarge(sessionId);
  }

  /** Refuses an unanswered attach. */
  detached(error?: ServiceBusError): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#session?.stopWaiting();
    if (error !== undefined) this.#link.detach(amqpErrorOf(error, this.#context));
    this.#close();
    this.#faults.end();
    this.#activity.linkClosed(this.#linkId);
  }

  #close(): void {
    const lost = this.#unsettledWhenLost;
    const unsettled = lost !== undefined && !this.#link.isLost ? 'release' : lost;
    // Released messages cannot be settled any more.
    if (unsettled !== undefined) this.#link.forgetDeliveries();
    const closed = this.#madeSource && (() => this.#link.attachment.answerDetach()); // JMS-43
    this.#engine.closeLink(this.#linkId, { unsettled, closed });
  }

  #faultyReceiver(): FaultyReceiver {
    const entityPath = () => this.#entityPath;
    return {
      get entityPath() {
        return entityPath();
      },
      write: (delivery, content) => this.#write(delivery, content),
      settle: (...settlement) => this.#settle(...settlement),
      leaveOut: () => this.dropped(),
      reject: (deliveryId, error) => this.#link.settle(deliveryId, { kind: 'rejected', error }),
      detach: (error) => {
        this.#link.detach(error);
        this.detached();
      },
    };
  }

  get #settlesWhenSent(): boolean {
    return this.#link.attach.sndSettleMode === SND_SETTLE_MODE_SETTLED;
  }

  #attach(): void {
    const node = { linkId: this.#linkId, entityPath: this.#entityPath };
    const selector = this.#selector?.text;
    const attachAs = this.#attachAs ?? ((attach: AttachReceiver): Command => attach);
    if (this.#isBrowsing) {
      this.#engine.submit(attachAs({ kind: 'attach-browser', ...node, selector }), this, ATTACH);
      return;
    }
    const receiveMode = this.#settlesWhenSent ? 'receive-and-delete' : 'peek-lock';
    const receiver = { ...node, receiveMode, client: this.#activity.clientOf(this.#link) } as const;
    const session = this.#session;
    if (session === undefined) {
      this.#engine.submit(attachAs({ kind: 'attach-receiver', ...receiver, selector }), this, ATTACH);
    } else {
      const { sessionId, connectionId } = session;
      this.#engine.submit({ kind: 'accept-session', ...receiver, sessionId, connectionId }, this, ATTACH);
    }
  }

  #attached(result: Result): void {
    if (this.#isGone || this.#isTopicAfterAll(result)) return;
    if (result.kind === 'entity' && this.#attachAs !== undefined) {
      this.#entityPath = result.path;
      this.#activity.foundAt(this.#link, result.path);
    }
    const { amqpSession } = this.#link;
    const { sessions } = this.#transactions;
    const error = result.kind === 'failed' ? result.error : sessions.refusal(amqpSession, this.#entityPath); // TXN-10
    if (error !== undefined) {
      this.detached(error);
      return;
    }
    sessions.found(amqpSession, this.#entityPath);
    if (this.#session === undefined) this.#accept(this.#reply());
    else this.#session.startWaiting((error) => this.detached(error)); // SES-09
  }

  #isTopicAfterAll(result: Result): boolean {
    const attachToTopicAs = this.#attachToTopicAs;
    if (attachToTopicAs === undefined || result.kind !== 'failed' || result.error.data.about !== 'topic')
      return false;
    this.#attachToTopicAs = undefined;
    this.#attachAs = attachToTopicAs;
    this.#attach();
    return true;
  }

  #accept(reply: AttachReply): void {
    if (this.#link.accept(this, reply)) {
      this.#link.attachment.answersLater = this.#madeSource !== undefined;
    } else this.detached();
  }

  /** The end of the link gives the session back. */
  #refuseLarge(sessionId: string): void {
    const description = `The id of the session is ${sessionId.length} characters long and does not fit into a frame of this client.`;
    this.#link.refuse({ condition: 'amqp:frame-size-too-small', description });
    this.detached();
  }

  /**
   * The source for the answer. Of its filters it has only the selector (JMS-35), because qpid-jms takes an echoed one for applied. It has no
   * ignored distribution mode.
   */
  #reply(): AttachReply {
    const source = this.#madeSource ?? this.#link.attach.source;
    const unchanged = this.#madeSource === undefined ? {} : { source: this.#madeSource };
    const terminus = decodeTerminus(source);
    if (source === undefined || terminus === undefined) return unchanged;
    const hasFilter = (entriesOf(terminus.filter)?.length ?? 0) > 0;
    const { distributionMode: mode } = terminus;
    const keepsMode = mode === undefined || mode === (this.#isBrowsing ? 'copy' : 'move');
    if (!hasFilter && keepsMode) return unchanged;
    const filter = this.#selector && amqp.map([this.#selector.entry]); // JMS-80
    return { source: answeredSource(source, { filter, keepsMode }) };
  }

  /** TXN-02 */
  #enlist({ deliveryId, context: lockToken, isSettled }: ClientDisposition, state: TransactionalState): void {
    const inner = state.outcome;
    const outcome = isSettled || inner !== undefined ? outcomeOf(inner, isSettled) : undefined;
    const { transactionId } = state;
    if (outcome === undefined) {
      const text = `The transactional-state of delivery ${deliveryId} has no outcome; say what is to become of the message.`;
      const error = new ServiceBusError('argument', text, { entityPath: this.#entityPath });
      this.#transactions.doom(transactionId, error);
      this.#reject(deliveryId, error);
      return;
    }
    // The second step of AMQP: after our disposition, the client settles a delivery of the transaction.
    if (isSettled && this.#transactions.hasEnlisted(transactionId, this.#link, deliveryId)) return;
    const tag = --this.#lastEnlistTag;
    if (!isSettled) this.#enlisting.set(tag, { deliveryId, state });
    const command = { kind: 'settle', entityPath: this.#entityPath, lockToken, outcome } as const;
    const { amqpSession } = this.#link;
    const membership = { transactionId, amqpSession, heldBytes: 0, isForgotten: isSettled };
    this.#engine.submit(this.#transactions.enlistment(command, membership), this, tag);
  }

  /** TXN-05: the commit settles the delivery. If we settled it now, .NET, Java and proton could not settle it again after a roll back. */
  #enlisted(tag: number, result: Result): void {
    const enlisting = this.#enlisting.get(tag);
    if (enlisting === undefined) return;
    this.#enlisting.delete(tag);
    const { deliveryId, state } = enlisting;
    if (result.kind === 'failed') {
      this.#reject(deliveryId, result.error);
      return;
    }
    // Repeated at the commit, because Java compares its type with the type of its own outcome there, too.
    const outcome = echoOf(state);
    this.#link.update(deliveryId, outcome);
    this.#transactions.settleLater(state.transactionId, { link: this.#link, deliveryId, outcome });
  }

  #reject(deliveryId: number, error: ServiceBusError): void {
    this.#link.settle(deliveryId, { kind: 'rejected', error: amqpErrorOf(error, this.#context) });
  }
}
