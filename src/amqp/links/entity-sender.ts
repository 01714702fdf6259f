// A client's sender link to an entity: each message becomes a command, each result an outcome; credit follows durability.

import type { Command, SingleCommand, UsedEntity } from '../../broker/contract/command.js';
import type { NewMessage } from '../../broker/contract/message-properties.js';
import type { Result } from '../../broker/contract/result.js';
import {
  type ErrorReason,
  type RefusalData,
  ServiceBusError,
} from '../../broker/contract/service-bus-error.js';
import { DecodeError } from '../../codec/decode-error.js';
import { ACCEPTED, type DeliveryState } from '../../codec/delivery-state.js';
import { compacted } from '../../codec/small-part.js';
import { type AmqpValue, amqp } from '../../codec/types.js';
import { readMessage } from '../../content/read-message.js';
import { BATCH_MESSAGE_FORMAT, splitBatch } from '../../content/sections.js';
import type { LinkSink } from '../../engine/delivery-queue.js';
import type { Engine } from '../../engine/engine.js';
import type { Requester, RequestOrigin } from '../../engine/requester.js';
import type { ConnectionActivity } from '../connection-activity.js';
import { amqpErrorOf, type ErrorContext } from '../error-condition.js';
import type { ConnectionFaults, Faultable } from '../faults/connection-faults.js';
import type { DelayLine } from '../faults/delay-line.js';
import { sentMessages } from '../faults/faulted-messages.js';
import type { AttachReply } from '../protocol/link-attachment.js';
import type { IncomingDelivery, SenderLink, SenderLinkOwner } from '../protocol/sender-link.js';
import { type Rejection, RejectionQueue } from './rejection-queue.js';
import type { ConnectionTransactions, Membership } from './transactions.js';

/** The messages that a client may have in flight on one link: enough for pipelining never to wait (SND-03). */
const CREDIT = 1000;
/** Memory of a message that is not yet durable, in addition to its bytes. */
const MESSAGE_BYTES = 256;
const SINGLE_FORMAT = 0;
const MAX_BATCH_SIZE = amqp.symbol('com.microsoft:max-message-batch-size');
/** The property of a link that sends to another entity through its own. */
export const TRANSFER_DESTINATION = 'com.microsoft:transfer-destination-address';
const ATTACH = -1;
/** The tag of the command that finds the destination. */
const FIND_DESTINATION = -3;
const NO_BATCHES =
  'A batch was sent by an anonymous sender, which takes each message to the address in its own properties. ' +
  'Send the messages one by one, or open a sender for their queue or topic.';
/** The tag of a send that the client has settled, so that it needs no outcome (SND-05). */
const PRE_SETTLED = -2;

type AttachSender = Extract<Command, { kind: 'attach-sender' }>;

type EntitySenderOptions = {
  readonly entityPath: string;
  /** The command that attaches the link, if it is to do more. */
  readonly attachAs?: ((attach: AttachSender) => Command) | undefined;
  /** Takes each message to the entity that it names, instead of this one (JMS-21). */
  readonly relay?: Relay | undefined;
  /** The target of the answer, for a node that was made for the link and goes with it. */
  readonly madeTarget?: Buffer | undefined;
  /** The entity to which messages are sent through this one (TXN-10). */
  readonly destination?: Destination | undefined;
  readonly context: ErrorContext;
  readonly transactions: ConnectionTransactions;
  readonly activity: ConnectionActivity;
  readonly faults: ConnectionFaults;
};

type Found = Extract<Result, { kind: 'entity' }>;

/** Where the messages of an anonymous sender go. */
export type Relay = {
  readonly limits: Found;
  /** Throws ServiceBusError. */
  entityPathOf(payload: Buffer): string;
  /** The entity to be made if it is missing. */
  entityOf(payload: Buffer, entityPath: string): UsedEntity | undefined;
};

export type Destination = {
  /** As the client wrote it. */
  readonly address: string;
  readonly entityPath: string;
};

export class EntitySender implements SenderLinkOwner, Requester, LinkSink {
  readonly origin: RequestOrigin | undefined;
  readonly #activity: ConnectionActivity;
  readonly #engine: Engine;
  readonly #link: SenderLink;
  readonly #entityPath: string;
  readonly #context: ErrorContext;
  readonly #destination: Destination | undefined;
  readonly #transactions: ConnectionTransactions;
  readonly #faults: ConnectionFaults;
  readonly #delayed: DelayLine;
  readonly #linkId: number;
  /** Pending sends in transactions. */
  readonly #enlisting = new Map<number, Membership>();
  readonly #rejections = new RejectionQueue((rejection) => this.#reject(rejection));
  readonly #madeTarget: Buffer | undefined;
  readonly #relay: Relay | undefined;
  #found: Found | undefined;
  #isGone = false;
  #submittedCount = 0;
  #submittedBytes = 0;

  constructor(engine: Engine, link: SenderLink, options: EntitySenderOptions) {
    const { entityPath, destination, context, transactions, activity, faults } = options;
    const { attachAs = (attach: AttachSender): Command => attach } = options;
    this.#faults = faults;
    this.#delayed = faults.newLine();
    this.#engine = engine;
    this.#link = link;
    this.#entityPath = entityPath;
    this.#destination = destination;
    this.#madeTarget = options.madeTarget;
    this.#relay = options.relay;
    this.#context = context;
    this.#transactions = transactions;
    this.#linkId = engine.openLink(this);
    this.#activity = activity;
    this.origin = activity.origin(this.#linkId);
    activity.linkOpened(link, this.#linkId);
    if (this.#relay === undefined) {
      engine.submit(attachAs({ kind: 'attach-sender', linkId: this.#linkId, entityPath }), this, ATTACH);
    } else this.#accept(this.#relay.limits);
  }

  /** The messages of a batch are kept one by one. */
  keepsPayload(messageFormat: number): boolean {
    return messageFormat === SINGLE_FORMAT && this.#engine.keepsContents;
  }

  delivered(delivery: IncomingDelivery): void {
    if (!this.#faults.isArmed && this.#delayed.isEmpty) {
      this.#handle(delivery);
      return;
    }
    const kept = { ...delivery, payload: compacted(delivery.payload) };
    this.#faults.run(this.#faultable(kept), this.#delayed);
  }

  #handle(delivery: IncomingDelivery): void {
    const command = this.#refusalOfMore(delivery) ?? this.#commandFor(delivery);
    const { deliveryId, isSettled, state } = delivery;
    if (command instanceof ServiceBusError) {
      if (state?.kind === 'transactional') this.#transactions.doom(state.transactionId, command);
      if (!isSettled) this.#rejections.add({ deliveryId, error: command });
      this.#topUp();
      return;
    }
    this.#rejections.submitted();
    this.#countSubmitted(MESSAGE_BYTES + delivery.payload.length);
    const enlisted = this.#enlisted(command, delivery);
    const whole =
      this.#relay === undefined ? enlisted : this.#using(this.#relay, enlisted, command, delivery);
    this.#engine.submit(whole, this, isSettled ? PRE_SETTLED : deliveryId);
  }

  completed(tag: number, result: Result): void {
    if (tag === ATTACH || tag === FIND_DESTINATION) {
      this.#attached(tag, result);
      return;
    }
    this.#countDurable();
    if (this.#isGone) return;
    const membership = this.#enlisting.size === 0 ? undefined : this.#takeEnlisting(tag, result);
    if (result.kind === 'failed' && result.error.reason === 'transaction-unknown') {
      // TXN-01: Java takes every outcome of such a send for success, and no commit will report the failure.
      this.detached(result.error);
      return;
    }
    if (tag !== PRE_SETTLED) {
      // SND-02
      if (result.kind === 'failed') this.#reject({ deliveryId: tag, error: result.error });
      else this.#link.settle(tag, membership === undefined ? ACCEPTED : provisional(membership));
    }
    this.#rejections.completed();
    this.#topUp();
  }

  faulted(cause: unknown): void {
    this.#link.fault(cause);
  }

  detached(error?: ServiceBusError): void {
    if (this.#isGone) return;
    this.#isGone = true;
    if (error !== undefined) this.#link.detach(amqpErrorOf(error, this.#context));
    this.#faults.endLine(this.#delayed);
    const closed = this.#madeTarget && (() => this.#link.attachment.answerDetach()); // JMS-43
    this.#engine.closeLink(this.#linkId, { closed });
    this.#activity.linkClosed(this.#linkId);
  }

  deliver(): void {}
  drained(): void {}
  dropped(): void {}
  isReady(): boolean {
    return true;
  }

  /** A send that a fault may hit. */
  #faultable(delivery: IncomingDelivery): Faultable {
    const { deliveryId, isSettled, state, payload } = delivery;
    return {
      operation: 'send',
      path: this.#entityPath,
      messages: () => sentMessages(delivery),
      carryOut: () => this.#handle(delivery),
      carryOutUnanswered: () => this.#handle({ ...delivery, isSettled: true }),
      fail: (error) => {
        if (state?.kind === 'transactional') {
          this.#transactions.doom(state.transactionId, this.#error('internal', error.description));
        }
        if (!isSettled) this.#link.settle(deliveryId, { kind: 'rejected', error });
        this.#topUp();
      },
      detach: (error) => {
        this.#link.detach(error);
        this.detached();
      },
      held: (isHeld) => this.#link.held.addPartial(isHeld ? payload.length : -payload.length),
    };
  }

  #countSubmitted(bytes: number): void {
    this.#submittedCount += 1;
    this.#submittedBytes += bytes;
    this.#link.held.addSubmitted(bytes);
  }

  /** Counts the message with the average size, because a list of all sizes would cost something for each message. */
  #countDurable(): void {
    const bytes = Math.round(this.#submittedBytes / this.#submittedCount);
    this.#submittedCount -= 1;
    this.#submittedBytes -= bytes;
    this.#link.held.addSubmitted(-bytes);
  }

  #attached(tag: number, result: Result): void {
    // SND-08: also when the entity does not exist
    if (result.kind === 'failed') this.#link.refuse(amqpErrorOf(result.error, this.#context));
    if (result.kind !== 'entity') {
      this.detached();
      return;
    }
    const destination = this.#destination;
    this.#found ??= result;
    if (destination !== undefined && tag === ATTACH) {
      const { entityPath } = destination;
      this.#engine.submit({ kind: 'find-entity', entityPath }, this, FIND_DESTINATION);
      return;
    }
    this.#transactions.sessions.found(this.#link.amqpSession, this.#entityPath);
    this.#accept(this.#found);
  }

  #accept(found: Found): void {
    this.#found = found;
    if (!this.#link.accept(this, this.#reply(found))) {
      this.detached();
      return;
    }
    this.#link.attachment.answersLater = this.#madeTarget !== undefined;
    this.#link.setCredit(CREDIT);
  }

  #reply(found: Found): AttachReply {
    const reply = replyFor(found, this.#destination);
    return this.#madeTarget === undefined ? reply : { ...reply, target: this.#madeTarget };
  }

  #enlisted(command: SingleCommand, { deliveryId, isSettled, state, payload }: IncomingDelivery): Command {
    if (state?.kind !== 'transactional') return command;
    const membership = this.#membershipIn(state, payload);
    if (!isSettled) this.#enlisting.set(deliveryId, membership);
    return this.#transactions.enlistment(command, membership);
  }

  /** The command of an anonymous sender, which makes the entity if it is missing (JMS-10). */
  #using(
    relay: Relay,
    enlisted: Command,
    command: SingleCommand,
    { payload }: Pick<IncomingDelivery, 'payload'>,
  ): Command {
    const entity = command.kind === 'send' ? relay.entityOf(payload, command.entityPath) : undefined;
    if (entity === undefined || (enlisted.kind !== 'send' && enlisted.kind !== 'enlist')) return enlisted;
    return { kind: 'use-entity', entity, command: enlisted };
  }

  #refusalOfMore({ state, payload }: IncomingDelivery): ServiceBusError | undefined {
    if (state?.kind !== 'transactional') return undefined;
    return this.#transactions.refusalOfMore(this.#membershipIn(state, payload));
  }

  #membershipIn({ transactionId }: { readonly transactionId: Uint8Array }, payload: Buffer): Membership {
    return { transactionId, amqpSession: this.#link.amqpSession, heldBytes: payload.length };
  }

  #takeEnlisting(deliveryId: number, result: Result): Membership | undefined {
    const membership = this.#enlisting.get(deliveryId);
    this.#enlisting.delete(deliveryId);
    if (membership !== undefined && result.kind === 'failed') {
      this.#transactions.refused(membership, result.error.reason);
      // An entity that cannot be made is refused before the transaction has the message.
      if (this.#relay !== undefined) this.#transactions.doom(membership.transactionId, result.error);
    }
    return membership;
  }

  get #maxMessageSizeBytes(): number {
    return this.#found?.maxMessageSizeBytes ?? 0;
  }

  #commandFor(delivery: IncomingDelivery): SingleCommand | ServiceBusError {
    if (delivery.isTooLarge) {
      return this.#error(
        'message-size-exceeded',
        `The received message exceeds the limit of ${this.#maxMessageSizeBytes} bytes that was announced on the link.`,
        { property: 'message', limit: this.#maxMessageSizeBytes },
      );
    }
    if (delivery.state !== undefined && delivery.state.kind !== 'transactional') {
      return this.#error(
        'not-implemented',
        `The message has the state '${delivery.state.kind}'; only a transactional-state means something with a message.`,
      );
    }
    try {
      const isBatch = delivery.messageFormat === BATCH_MESSAGE_FORMAT;
      if (isBatch && this.#relay !== undefined) return this.#error('not-allowed', NO_BATCHES); // JMS-22
      const messages = this.#messagesOf(delivery);
      if (messages instanceof ServiceBusError) return messages;
      const destination = this.#destination?.entityPath;
      const entityPath = this.#relay?.entityPathOf(delivery.payload) ?? this.#entityPath;
      return destination === undefined
        ? { kind: 'send', entityPath, messages, isBatch }
        : { kind: 'transfer', entityPath: this.#entityPath, destination, messages, isBatch };
    } catch (error) {
      if (error instanceof ServiceBusError) return error;
      if (!(error instanceof DecodeError)) throw error;
      return this.#error('argument', `The message is not a valid AMQP message: ${error.message}.`);
    }
  }

  #messagesOf({ messageFormat, payload, state }: IncomingDelivery): NewMessage[] | ServiceBusError {
    // The engine copies a content that is stored at once. One in a transaction waits for the commit.
    const keepsViews = state === undefined;
    if (messageFormat === SINGLE_FORMAT) return [readMessage(payload, { keepsViews })];
    if (messageFormat === BATCH_MESSAGE_FORMAT)
      return splitBatch(payload).map((message) => readMessage(message, { keepsViews }));
    return this.#error(
      'not-implemented',
      `Message format 0x${messageFormat.toString(16)} is not known; 0 and 0x${BATCH_MESSAGE_FORMAT.toString(16)} are.`,
    );
  }

  #reject({ deliveryId, error }: Rejection): void {
    this.#link.settle(deliveryId, { kind: 'rejected', error: amqpErrorOf(error, this.#context) });
  }

  /** Renews the credit. Deliveries without an outcome count against it. */
  #topUp(): void {
    const { openCount } = this.#rejections;
    if (this.#link.credit < CREDIT / 2 && this.#link.credit + openCount < CREDIT / 2) {
      this.#link.setCredit(CREDIT - openCount);
    }
  }

  #error(reason: ErrorReason, message: string, data: RefusalData = {}): ServiceBusError {
    return new ServiceBusError(reason, message, { entityPath: this.#entityPath, ...data });
  }
}

/** TXN-04, JMS-76: the message is not stored before the commit. */
function provisional({ transactionId }: Membership): DeliveryState {
  return { kind: 'transactional', transactionId, outcome: ACCEPTED };
}

/** The batch size is a long: .NET takes no other type. */
function replyFor(
  { maxMessageSizeBytes, maxBatchSizeBytes }: Found,
  destination: Destination | undefined,
): AttachReply {
  const properties: [AmqpValue, AmqpValue][] = [[MAX_BATCH_SIZE, amqp.long(maxBatchSizeBytes)]]; // LIM-02
  // TXN-10: echoed, as the protocol guide demands.
  if (destination !== undefined) {
    properties.push([amqp.symbol(TRANSFER_DESTINATION), amqp.string(destination.address)]);
  }
  return { maxMessageSize: maxMessageSizeBytes, properties: amqp.map(properties) };
}
