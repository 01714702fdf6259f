// A client's sender link to an entity: each message becomes a command, each result an outcome, credit follows durability.

import type { Command } from '../broker/command.js';
import type { NewMessage } from '../broker/message/message-properties.js';
import type { Result } from '../broker/result.js';
import { type ErrorReason, type RefusalData, ServiceBusError } from '../broker/service-bus-error.js';
import { DecodeError } from '../codec/decode-error.js';
import { ACCEPTED } from '../codec/delivery-state.js';
import { amqp } from '../codec/types.js';
import { BATCH_MESSAGE_FORMAT, splitBatch } from '../content/batch.js';
import { readMessage } from '../content/properties.js';
import type { Engine, LinkSink, Requester } from '../engine/engine.js';
import { amqpErrorOf, type ErrorContext } from './error-condition.js';
import type { AttachReply } from './protocol/link-attachment.js';
import type { IncomingDelivery, SenderLink, SenderLinkOwner } from './protocol/sender-link.js';
import { type Rejection, RejectionQueue } from './rejection-queue.js';

/** Messages a client may have under way on one link; ample, so that pipelining is never held up (SND-03). */
const CREDIT = 1000;
const SINGLE_FORMAT = 0;
const MAX_BATCH_SIZE = amqp.symbol('com.microsoft:max-message-batch-size');
const ATTACH = -1;
/** The tag of a send whose outcome nobody waits for (SND-05). */
const PRE_SETTLED = -2;

export class EntitySender implements SenderLinkOwner, Requester, LinkSink {
  readonly #engine: Engine;
  readonly #link: SenderLink;
  readonly #entityPath: string;
  readonly #context: ErrorContext;
  readonly #linkId: number;
  readonly #rejections = new RejectionQueue((rejection) => this.#reject(rejection));
  #maxMessageSizeBytes = 0;
  #isGone = false;

  constructor(
    engine: Engine,
    link: SenderLink,
    { entityPath, context }: { entityPath: string; context: ErrorContext },
  ) {
    this.#engine = engine;
    this.#link = link;
    this.#entityPath = entityPath;
    this.#context = context;
    this.#linkId = engine.openLink(this);
    engine.submit({ kind: 'attach-sender', linkId: this.#linkId, entityPath }, this, ATTACH);
  }

  delivered(delivery: IncomingDelivery): void {
    const command = this.#commandFor(delivery);
    const { deliveryId, isSettled } = delivery;
    if (command instanceof ServiceBusError) {
      if (!isSettled) this.#rejections.add({ deliveryId, error: command });
      this.#topUp();
      return;
    }
    this.#rejections.submitted();
    this.#engine.submit(command, this, isSettled ? PRE_SETTLED : deliveryId);
  }

  completed(tag: number, result: Result): void {
    if (tag === ATTACH) {
      this.#attached(result);
      return;
    }
    if (this.#isGone) return;
    if (tag !== PRE_SETTLED) {
      // SND-02
      if (result.kind === 'failed') this.#reject({ deliveryId: tag, error: result.error });
      else this.#link.settle(tag, ACCEPTED);
    }
    this.#rejections.completed();
    this.#topUp();
  }

  faulted(cause: unknown): void {
    this.#link.session.connection.fault(cause);
  }

  detached(error?: ServiceBusError): void {
    if (this.#isGone) return;
    this.#isGone = true;
    if (error !== undefined) this.#link.detach(amqpErrorOf(error, this.#context));
    this.#engine.closeLink(this.#linkId);
  }

  deliver(): void {}
  drained(): void {}
  dropped(): void {}
  isReady(): boolean {
    return true;
  }

  #attached(result: Result): void {
    // SND-08: also when there is no such entity
    if (result.kind === 'failed') this.#link.refuse(amqpErrorOf(result.error, this.#context));
    else if (result.kind === 'entity') this.#maxMessageSizeBytes = result.maxMessageSizeBytes;
    const isAttached = result.kind === 'entity' && this.#link.accept(this, replyFor(result));
    if (isAttached) this.#link.setCredit(CREDIT);
    else this.detached();
  }

  #commandFor(delivery: IncomingDelivery): Command | ServiceBusError {
    if (delivery.isTooLarge) {
      return this.#error(
        'message-size-exceeded',
        `The received message exceeds the limit of ${this.#maxMessageSizeBytes} bytes that was announced on the link.`,
        { property: 'message', limit: this.#maxMessageSizeBytes },
      );
    }
    if (delivery.state !== undefined) {
      return this.#error('not-implemented', 'Transactions are not there yet; send without one.');
    }
    try {
      const messages = this.#messagesOf(delivery);
      return messages instanceof ServiceBusError
        ? messages
        : { kind: 'send', entityPath: this.#entityPath, messages };
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      return this.#error('argument', `The message is not a valid AMQP message: ${error.message}.`);
    }
  }

  #messagesOf({ messageFormat, payload }: IncomingDelivery): NewMessage[] | ServiceBusError {
    if (messageFormat === SINGLE_FORMAT) return [readMessage(payload)];
    if (messageFormat === BATCH_MESSAGE_FORMAT)
      return splitBatch(payload).map((message) => readMessage(message));
    return this.#error(
      'not-implemented',
      `Message format 0x${messageFormat.toString(16)} is not known; 0 and 0x${BATCH_MESSAGE_FORMAT.toString(16)} are.`,
    );
  }

  #reject({ deliveryId, error }: Rejection): void {
    this.#link.settle(deliveryId, { kind: 'rejected', error: amqpErrorOf(error, this.#context) });
  }

  /** What has no outcome yet counts against the credit. */
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

/** The size of batches as a long: .NET takes no other type. */
function replyFor({
  maxMessageSizeBytes,
  maxBatchSizeBytes,
}: Extract<Result, { kind: 'entity' }>): AttachReply {
  // LIM-02
  const properties = amqp.map([[MAX_BATCH_SIZE, amqp.long(maxBatchSizeBytes)]]);
  return { maxMessageSize: maxMessageSizeBytes, properties };
}
