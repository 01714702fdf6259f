// A client's link to the transaction coordinator: declares transactions and discharges them (TXN-01, AMQP 4.2).

import type { Command } from '../../broker/contract/command.js';
import type { Result } from '../../broker/contract/result.js';
import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import { type Coordination, decodeCoordination } from '../../codec/coordination.js';
import { DecodeError } from '../../codec/decode-error.js';
import { ACCEPTED, type DeliveryState } from '../../codec/delivery-state.js';
import type { AmqpError } from '../../codec/performatives.js';
import { compacted } from '../../codec/small-part.js';
import { decodeTerminus, encodeCoordinator } from '../../codec/terminus.js';
import { readRequestParts } from '../../content/request-parts.js';
import type { Engine } from '../../engine/engine.js';
import type { Requester, RequestOrigin } from '../../engine/requester.js';
import type { ConnectionActivity } from '../connection-activity.js';
import { amqpErrorOf, type ErrorContext } from '../error-condition.js';
import type { ConnectionFaults } from '../faults/connection-faults.js';
import type { DelayLine } from '../faults/delay-line.js';
import type { IncomingDelivery, SenderLink, SenderLinkOwner } from '../protocol/sender-link.js';
import type { ConnectionTransactions } from './transactions.js';

/** Credit of the link. It is ample, because the client's next operations would overtake a roll back that waits for credit. */
const CREDIT = 1000;
const MAX_REQUEST_BYTES = 16 * 1024;
const ROLL_BACK = -1;
const CAPABILITIES: readonly string[] = [
  'amqp:local-transactions',
  'amqp:multi-txns-per-ssn',
  'amqp:multi-ssns-per-txn',
];
const PRE_SETTLED: AmqpError = {
  condition: 'amqp:not-allowed',
  description:
    'A message to the coordinator was sent settled, so that its sender could not be told of its outcome. Send it unsettled.',
};

type PendingRequest = Coordination & {
  /** Why the discharge rolls back although the client asked to commit. */
  readonly refusal?: ServiceBusError | undefined;
};

type ControlLinkOptions = {
  readonly transactions: ConnectionTransactions;
  readonly context: ErrorContext;
  readonly activity: ConnectionActivity;
  readonly faults: ConnectionFaults;
};

export class ControlLink implements SenderLinkOwner, Requester {
  readonly origin: RequestOrigin | undefined;
  readonly #engine: Engine;
  readonly #link: SenderLink;
  readonly #transactions: ConnectionTransactions;
  readonly #context: ErrorContext;
  /** Unanswered requests, by delivery-id. */
  readonly #pending = new Map<number, PendingRequest>();
  /** Requests whose answers are lost by a fault. */
  readonly #unanswered = new Set<number>();
  readonly #faults: ConnectionFaults;
  readonly #delayed: DelayLine;
  #isGone = false;

  constructor(engine: Engine, link: SenderLink, options: ControlLinkOptions) {
    const { transactions, context, activity, faults } = options;
    this.#faults = faults;
    this.#delayed = faults.newLine();
    this.origin = activity.origin(undefined);
    this.#engine = engine;
    this.#link = link;
    this.#transactions = transactions;
    this.#context = context;
    transactions.sessions.controlLink(link.amqpSession);
    const target = answeredTarget(link.attach.target);
    if (link.accept(this, { target, maxMessageSize: MAX_REQUEST_BYTES })) link.setCredit(CREDIT);
  }

  delivered(delivery: IncomingDelivery): void {
    // The link may have been detached by a delivery before this one.
    if (this.#isGone) return;
    const { deliveryId, isSettled } = delivery;
    if (isSettled) {
      this.#link.detach(PRE_SETTLED);
      this.detached();
      return;
    }
    const request = read(delivery);
    if (request instanceof ServiceBusError) this.#reject(deliveryId, request);
    else if ('condition' in request) this.#link.settle(deliveryId, { kind: 'rejected', error: request });
    else if (this.#faults.isArmed || !this.#delayed.isEmpty) this.#runFaultable(deliveryId, request);
    else this.#handle(deliveryId, request);
    this.#topUp();
  }

  #runFaultable(deliveryId: number, request: Coordination): void {
    const faultable = {
      operation: request.kind,
      path: '',
      carryOut: () => this.#handle(deliveryId, request),
      carryOutUnanswered: () => {
        this.#unanswered.add(deliveryId);
        this.#handle(deliveryId, request);
      },
      fail: (error: AmqpError) => this.#settle(deliveryId, { kind: 'rejected', error }),
      detach: (error: AmqpError) => {
        this.#link.detach(error);
        this.detached();
      },
    } as const;
    this.#faults.run(faultable, this.#delayed);
  }

  completed(tag: number, result: Result): void {
    const request = this.#pending.get(tag);
    if (request === undefined) return;
    this.#pending.delete(tag);
    if (request.kind === 'declare') this.#declared(tag, result);
    else this.#discharged(tag, request, result);
    this.#topUp();
  }

  faulted(cause: unknown): void {
    this.#link.fault(cause);
  }

  /** TXN-04 */
  detached(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#faults.endLine(this.#delayed);
    for (const command of this.#transactions.rollBacks(this.#link)) this.#submit(command, ROLL_BACK);
  }

  #handle(deliveryId: number, request: Coordination): void {
    const transactions = this.#transactions;
    if (request.kind === 'declare') {
      this.#pending.set(deliveryId, request);
      this.#submit(transactions.declaration(), deliveryId);
      return;
    }
    const { transactionId, isFailed } = request;
    const refusal = isFailed ? undefined : transactions.refusalOf(transactionId);
    this.#pending.set(deliveryId, { ...request, refusal });
    this.#submit(transactions.discharge(transactionId, isFailed || refusal !== undefined), deliveryId);
  }

  #declared(deliveryId: number, result: Result): void {
    if (result.kind !== 'declared') {
      this.#answer(deliveryId, result);
      return;
    }
    const transactionId = this.#transactions.declared(result.transactionId, this.#link);
    if (this.#isGone) {
      for (const command of this.#transactions.rollBacks(this.#link)) this.#submit(command, ROLL_BACK);
    } else {
      this.#settle(deliveryId, { kind: 'declared', transactionId });
    }
  }

  #discharged(
    deliveryId: number,
    { transactionId, isFailed, refusal }: Extract<PendingRequest, { kind: 'discharge' }>,
    result: Result,
  ): void {
    const isCommitted = !isFailed && refusal === undefined && result.kind !== 'failed';
    this.#transactions.ended(transactionId, isCommitted);
    if (refusal !== undefined) this.#reject(deliveryId, refusal);
    else this.#answer(deliveryId, result);
  }

  #answer(deliveryId: number, result: Result): void {
    if (result.kind === 'failed') this.#reject(deliveryId, result.error);
    else this.#settle(deliveryId, ACCEPTED);
  }

  #reject(deliveryId: number, error: ServiceBusError): void {
    this.#settle(deliveryId, { kind: 'rejected', error: amqpErrorOf(error, this.#context) });
  }

  #settle(deliveryId: number, state: DeliveryState): void {
    if (this.#unanswered.delete(deliveryId)) return;
    this.#link.settle(deliveryId, state);
  }

  #submit(command: Command, tag: number): void {
    this.#engine.submit(command, this, tag);
  }

  #topUp(): void {
    const openCount = this.#pending.size;
    if (this.#link.credit + openCount < CREDIT / 2) this.#link.setCredit(CREDIT - openCount);
  }
}

/** Reads a declare or discharge, or returns the error to reject it with. */
function read({ payload, isTooLarge }: IncomingDelivery): Coordination | ServiceBusError | AmqpError {
  if (isTooLarge) {
    const text = `A message to the coordinator is larger than the ${MAX_REQUEST_BYTES} bytes that were announced on the link.`;
    return new ServiceBusError('message-size-exceeded', text);
  }
  try {
    const { value } = readRequestParts(compacted(payload));
    if (value === undefined) {
      return invalid('it has no value as its body; send a declare or a discharge in an amqp-value section');
    }
    const request = decodeCoordination(value);
    if (request.kind === 'discharge' || !request.isGlobal) return request;
    const text = "The declare has a 'global-id': transactions are local here. Leave it null.";
    return new ServiceBusError('not-implemented', text);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return invalid(error.message, error.condition);
  }
}

function invalid(why: string, condition = 'amqp:invalid-field'): AmqpError {
  return { condition, description: `A message to the coordinator cannot be read: ${why}.` };
}

/** The target of the client's attach, with our capabilities if it requests others. */
function answeredTarget(target: Buffer | undefined): Buffer | undefined {
  const capabilities = decodeTerminus(target)?.capabilities ?? [];
  return capabilities.every((each) => CAPABILITIES.includes(each)) ? target : encodeCoordinator(CAPABILITIES);
}
