// A client's link to the transaction coordinator: declares transactions and discharges them (TXN-01, AMQP 4.2).

import type { Command } from '../broker/command.js';
import type { Result } from '../broker/result.js';
import { ServiceBusError } from '../broker/service-bus-error.js';
import { type Coordination, decodeCoordination } from '../codec/coordination.js';
import { DecodeError } from '../codec/decode-error.js';
import { ACCEPTED, type DeliveryState } from '../codec/delivery-state.js';
import type { AmqpError } from '../codec/performatives.js';
import { decodeTerminus, encodeCoordinator } from '../codec/terminus.js';
import { readRequestParts } from '../content/request-parts.js';
import type { Engine, Requester } from '../engine/engine.js';
import { amqpErrorOf, type ErrorContext } from './error-condition.js';
import type { IncomingDelivery, SenderLink, SenderLinkOwner } from './protocol/sender-link.js';
import type { Transactions } from './transactions.js';

/** Ample: a roll back that waits for credit would be overtaken by what the client does next. */
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

type Asked = Coordination & {
  /** Why the discharge rolls back what the client wants to commit. */
  readonly refusal?: ServiceBusError | undefined;
};

export class ControlLink implements SenderLinkOwner, Requester {
  readonly #engine: Engine;
  readonly #link: SenderLink;
  readonly #transactions: Transactions;
  readonly #context: ErrorContext;
  /** The requests without an answer yet, by delivery-id. */
  readonly #asked = new Map<number, Asked>();
  #isGone = false;

  constructor(
    engine: Engine,
    link: SenderLink,
    { transactions, context }: { transactions: Transactions; context: ErrorContext },
  ) {
    this.#engine = engine;
    this.#link = link;
    this.#transactions = transactions;
    this.#context = context;
    transactions.sessions.controlLink(link.session);
    const target = answeredTarget(link.attach.target);
    if (link.accept(this, { target, maxMessageSize: MAX_REQUEST_BYTES })) link.setCredit(CREDIT);
  }

  delivered(delivery: IncomingDelivery): void {
    // Behind those of a link that is gone already.
    if (this.#isGone) return;
    const { deliveryId, isSettled } = delivery;
    if (isSettled) {
      this.#link.detach(PRE_SETTLED);
      this.detached();
      return;
    }
    const asked = read(delivery);
    if (asked instanceof ServiceBusError) this.#reject(deliveryId, asked);
    else if ('condition' in asked) this.#link.settle(deliveryId, { kind: 'rejected', error: asked });
    else this.#ask(deliveryId, asked);
    this.#topUp();
  }

  completed(tag: number, result: Result): void {
    const asked = this.#asked.get(tag);
    if (asked === undefined) return;
    this.#asked.delete(tag);
    if (asked.kind === 'declare') this.#declared(tag, result);
    else this.#discharged(tag, asked, result);
    this.#topUp();
  }

  faulted(cause: unknown): void {
    this.#link.session.connection.fault(cause);
  }

  /** TXN-04 */
  detached(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    for (const command of this.#transactions.rollBacks(this.#link)) this.#submit(command, ROLL_BACK);
  }

  #ask(deliveryId: number, asked: Coordination): void {
    const transactions = this.#transactions;
    if (asked.kind === 'declare') {
      this.#asked.set(deliveryId, asked);
      this.#submit(transactions.declaration(), deliveryId);
      return;
    }
    const { transactionId, isFailed } = asked;
    const refusal = isFailed ? undefined : transactions.refusalOf(transactionId);
    this.#asked.set(deliveryId, { ...asked, refusal });
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
      this.#link.settle(deliveryId, { kind: 'declared', transactionId });
    }
  }

  #discharged(
    deliveryId: number,
    { transactionId, isFailed, refusal }: Extract<Asked, { kind: 'discharge' }>,
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
    this.#link.settle(deliveryId, state);
  }

  #submit(command: Command, tag: number): void {
    this.#engine.submit(command, this, tag);
  }

  #topUp(): void {
    const openCount = this.#asked.size;
    if (this.#link.credit + openCount < CREDIT / 2) this.#link.setCredit(CREDIT - openCount);
  }
}

/** Reads the request, or says why it cannot be read. */
function read({ payload, isTooLarge }: IncomingDelivery): Coordination | ServiceBusError | AmqpError {
  if (isTooLarge) {
    const text = `A message to the coordinator is larger than the ${MAX_REQUEST_BYTES} bytes that were announced on the link.`;
    return new ServiceBusError('message-size-exceeded', text);
  }
  try {
    const { value } = readRequestParts(payload);
    if (value === undefined) {
      return invalid('it has no value as its body; send a declare or a discharge in an amqp-value section');
    }
    const asked = decodeCoordination(value);
    if (asked.kind === 'discharge' || !asked.isGlobal) return asked;
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

/** As it came, but for capabilities that are not there: then with those that are. */
function answeredTarget(target: Buffer | undefined): Buffer | undefined {
  const asked = decodeTerminus(target)?.capabilities ?? [];
  return asked.every((each) => CAPABILITIES.includes(each)) ? target : encodeCoordinator(CAPABILITIES);
}
