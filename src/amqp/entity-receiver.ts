// A client's receiver link to an entity, or to one message session of it: its credit becomes commands, deliveries are
// written to it, its words settle them.

import assert from 'node:assert';
import type { Delivery } from '../broker/effect.js';
import type { Instant } from '../broker/instant.js';
import type { Result } from '../broker/result.js';
import { ServiceBusError } from '../broker/service-bus-error.js';
import type { DeliveryState } from '../codec/delivery-state.js';
import { entriesOf } from '../codec/read-value.js';
import { answeredSource, decodeTerminus } from '../codec/terminus.js';
import { encodeForDelivery } from '../content/splice.js';
import type { Engine, LinkSink, Requester } from '../engine/engine.js';
import { amqpErrorOf, type ErrorContext } from './error-condition.js';
import { tagOfToken } from './lock-token.js';
import { echoOf, outcomeOf } from './outcome.js';
import type { AttachReply } from './protocol/link-attachment.js';
import type { ClientWord, ReceiverLink, ReceiverLinkOwner } from './protocol/receiver-link.js';
import type { SessionRequest } from './session-request.js';
import type { Transactions } from './transactions.js';

/** Settled by the sender: receive-and-delete (RCV-01). */
const SND_SETTLE_MODE_SETTLED = 1;
/** Tags of commands that settle nothing; a settlement has its delivery-id. */
const ATTACH = -1;
const SET_CREDIT = -2;
/** Tags of settlements in transactions run down from here: two of them may be about one delivery. */
const BEFORE_ENLISTING = -2;
/** In receive-and-delete: go-amqp and proton-j end a link that leaves the tag out. */
const NO_TAG = Buffer.alloc(0);

type TransactionalState = Extract<DeliveryState, { kind: 'transactional' }>;

export type EntityReceiverOptions = {
  readonly entityPath: string;
  readonly context: ErrorContext;
  readonly transactions: Transactions;
  /** Of a receiver that wants a session: it is attached when it has it. */
  readonly session?: SessionRequest | undefined;
  /** It is shown messages and takes none (PEEK-12). */
  readonly isBrowsing: boolean;
};

export class EntityReceiver implements ReceiverLinkOwner, Requester, LinkSink {
  readonly #engine: Engine;
  readonly #link: ReceiverLink;
  readonly #entityPath: string;
  readonly #context: ErrorContext;
  readonly #transactions: Transactions;
  readonly #session: SessionRequest | undefined;
  readonly #isBrowsing: boolean;
  readonly #linkId: number;
  /** What was said of deliveries whose settlement is under way. */
  readonly #settling = new Map<number, DeliveryState | undefined>();
  readonly #enlisting = new Map<number, { deliveryId: number; state: TransactionalState }>();
  #lastEnlistTag = BEFORE_ENLISTING;
  /** By how much the link's count of used credit is ahead of the broker's, which counts dropped deliveries too. */
  #countAhead = 0;
  #deliveryLimit = 0;
  #isGone = false;

  constructor(engine: Engine, link: ReceiverLink, options: EntityReceiverOptions) {
    const { entityPath, context, transactions, session, isBrowsing } = options;
    this.#engine = engine;
    this.#link = link;
    this.#entityPath = entityPath;
    this.#context = context;
    this.#transactions = transactions;
    this.#session = session;
    this.#isBrowsing = isBrowsing;
    this.#linkId = engine.openLink(this);
    link.answerLater(this);
    this.#attach();
  }

  flowed(): void {
    // A message is locked when it is selected: no more are than can be written.
    const deliveryLimit = this.#link.reachableLimit - this.#countAhead;
    const drain = this.#link.isDraining;
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
    return this.#link.canSend;
  }

  /** SND-10: whatever size the client's attach names. The Python SDK always says 1 MiB there, and takes any. */
  deliver(delivery: Delivery, content: Uint8Array): void {
    const { lockToken } = delivery;
    this.#link.send({
      tag: this.#tagOf(lockToken),
      payload: encodeForDelivery(content, delivery, this.#isBrowsing ? 'peeked' : 'delivered'),
      isSettled: this.#isBrowsing ? this.#settlesWhenSent : lockToken === undefined,
      context: lockToken ?? '',
    });
  }

  /** RCV-06; each delivery that a browser sees has a tag of its own, as any that is unsettled must (AMQP 2.6.12). */
  #tagOf(lockToken: string | undefined): Buffer {
    if (lockToken !== undefined) return tagOfToken(lockToken);
    return this.#isBrowsing ? tagOfToken(this.#context.nextGuid()) : NO_TAG;
  }

  dropped(): void {
    this.#countAhead -= 1;
    this.flowed();
  }

  drained(deliveredCount: number): void {
    if (this.#link.isDraining) {
      // Asked again since, by the client or for a dropped delivery: then the answer to that is the one.
      if (deliveredCount < this.#deliveryLimit) return;
      this.#link.drained();
    }
    // Also when the client has taken the drain back: to the broker the credit is used all the same.
    this.#countAhead = this.#link.usedCredit - deliveredCount;
    this.flowed();
  }

  disposed(word: ClientWord): void {
    const { deliveryId, context: lockToken, state, isSettled } = word;
    if (this.#isBrowsing) {
      // PEEK-12: whatever it says of a message means nothing to that.
      if (!isSettled && state !== undefined && state.kind !== 'received') {
        this.#link.settle(deliveryId, echoOf(state));
      }
      return;
    }
    if (state?.kind === 'transactional') {
      this.#enlist(word, state);
      return;
    }
    const outcome = isSettled || state !== undefined ? outcomeOf(state, isSettled) : undefined;
    if (outcome === undefined) return;
    if (!isSettled) this.#settling.set(deliveryId, state);
    const command = { kind: 'settle', entityPath: this.#entityPath, lockToken, outcome } as const;
    this.#engine.submit(command, this, deliveryId);
  }

  /** The link's credit is withdrawn, so that what it returns goes to others. */
  leaving(): void {
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
    this.#link.session.connection.fault(cause);
  }

  /** SES-10 */
  sessionAccepted(sessionId: string, lockedUntil: Instant): void {
    assert(this.#session !== undefined, 'a link was given a session that had not asked for one');
    this.#session.stopWaiting();
    const reply = this.#session.reply(sessionId, lockedUntil);
    if (this.#link.attachment.canAnswer(reply)) this.#accept(reply);
    else this.#refuseLarge(sessionId);
  }

  /** An attach that is not answered yet is refused. */
  detached(error?: ServiceBusError): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#session?.stopWaiting();
    if (error !== undefined) this.#link.detach(amqpErrorOf(error, this.#context));
    this.#engine.closeLink(this.#linkId);
  }

  get #settlesWhenSent(): boolean {
    return this.#link.attach.sndSettleMode === SND_SETTLE_MODE_SETTLED;
  }

  #attach(): void {
    const node = { linkId: this.#linkId, entityPath: this.#entityPath };
    if (this.#isBrowsing) {
      this.#engine.submit({ kind: 'attach-browser', ...node }, this, ATTACH);
      return;
    }
    const receiveMode = this.#settlesWhenSent ? 'receive-and-delete' : 'peek-lock';
    const asked = { ...node, receiveMode } as const;
    const session = this.#session;
    if (session === undefined) {
      this.#engine.submit({ kind: 'attach-receiver', ...asked }, this, ATTACH);
    } else {
      const { sessionId, connectionId } = session;
      this.#engine.submit({ kind: 'accept-session', ...asked, sessionId, connectionId }, this, ATTACH);
    }
  }

  #attached(result: Result): void {
    if (this.#isGone) return;
    const { session } = this.#link;
    const { sessions } = this.#transactions;
    const error = result.kind === 'failed' ? result.error : sessions.refusal(session, this.#entityPath); // TXN-10
    if (error !== undefined) {
      this.detached(error);
      return;
    }
    sessions.found(session, this.#entityPath);
    if (this.#session === undefined) this.#accept(this.#reply());
    else this.#session.startWaiting((error) => this.detached(error)); // SES-09
  }

  #accept(reply: AttachReply): void {
    if (!this.#link.accept(this, reply)) this.detached();
  }

  /** The session is given back with the link. */
  #refuseLarge(sessionId: string): void {
    const description = `The id of the session is ${sessionId.length} characters long and does not fit into a frame of this client.`;
    this.#link.refuse({ condition: 'amqp:frame-size-too-small', description });
    this.detached();
  }

  /** qpid-jms takes an echoed filter for one that is applied; and a mode is echoed only where it is kept. */
  #reply(): AttachReply {
    const { source } = this.#link.attach;
    const asked = decodeTerminus(source);
    if (source === undefined || asked === undefined) return {};
    const hasFilter = (entriesOf(asked.filter)?.length ?? 0) > 0;
    const { distributionMode: mode } = asked;
    const keepsMode = mode === undefined || mode === (this.#isBrowsing ? 'copy' : 'move');
    if (!hasFilter && keepsMode) return {};
    return { source: answeredSource(source, { filter: undefined, keepsMode }) };
  }

  /** TXN-02 */
  #enlist({ deliveryId, context: lockToken, isSettled }: ClientWord, state: TransactionalState): void {
    const said = state.outcome;
    const outcome = isSettled || said !== undefined ? outcomeOf(said, isSettled) : undefined;
    const { transactionId } = state;
    if (outcome === undefined) {
      const text = `The transactional-state of delivery ${deliveryId} has no outcome; say what is to become of the message.`;
      const error = new ServiceBusError('argument', text, { entityPath: this.#entityPath });
      this.#transactions.doom(transactionId, error);
      this.#reject(deliveryId, error);
      return;
    }
    // AMQP's second step: the client has had our word, and lets go of a delivery that is a part of the transaction.
    if (isSettled && this.#transactions.hasEnlisted(transactionId, this.#link, deliveryId)) return;
    const tag = --this.#lastEnlistTag;
    if (!isSettled) this.#enlisting.set(tag, { deliveryId, state });
    const command = { kind: 'settle', entityPath: this.#entityPath, lockToken, outcome } as const;
    const { session } = this.#link;
    const membership = { transactionId, session, heldBytes: 0, isForgotten: isSettled };
    this.#engine.submit(this.#transactions.enlistment(command, membership), this, tag);
  }

  /** TXN-05: it is settled with the commit; after a roll back the client may do so again, which .NET, Java and proton cannot with a delivery that is settled. */
  #enlisted(tag: number, result: Result): void {
    const asked = this.#enlisting.get(tag);
    if (asked === undefined) return;
    this.#enlisting.delete(tag);
    const { deliveryId, state } = asked;
    if (result.kind === 'failed') {
      this.#reject(deliveryId, result.error);
      return;
    }
    // The same once more at the commit: Java compares its type with that of its own, too.
    const outcome = echoOf(state);
    this.#link.update(deliveryId, outcome);
    this.#transactions.settleLater(state.transactionId, { link: this.#link, deliveryId, outcome });
  }

  #reject(deliveryId: number, error: ServiceBusError): void {
    this.#link.settle(deliveryId, { kind: 'rejected', error: amqpErrorOf(error, this.#context) });
  }
}
