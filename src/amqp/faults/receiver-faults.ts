// The faults of one receiver link, which hit its deliveries and their settlements.

import type { Command, Outcome } from '../../broker/contract/command.js';
import type { Delivery } from '../../broker/contract/effect.js';
import type { MessageView } from '../../broker/rules/message-view.js';
import type { AmqpError } from '../../codec/performatives.js';
import { compacted } from '../../codec/small-part.js';
import type { Engine } from '../../engine/engine.js';
import type { Requester, RequestOrigin } from '../../engine/requester.js';
import type { FaultOperation, FiredFault } from '../../steer/fault.js';
import type { ClientDisposition } from '../protocol/outgoing-transfers.js';
import type { ConnectionFaults } from './connection-faults.js';
import type { DelayLine } from './delay-line.js';
import { deliveredMessage } from './faulted-messages.js';

/** The functions of the receiver that its faults use. */
export type FaultyReceiver = {
  readonly entityPath: string;
  /** Writes the delivery to the link. */
  write(delivery: Delivery, content: Uint8Array): void;
  settle(disposition: ClientDisposition, outcome: Outcome, options?: { readonly isAnswered: boolean }): void;
  /** The delivery is not written, and the client's credit stays. */
  leaveOut(): void;
  reject(deliveryId: number, error: AmqpError): void;
  detach(error: AmqpError): void;
};

const NO_REQUESTER: Requester = { completed() {} };
const OPERATIONS: Readonly<Partial<Record<Outcome['kind'], FaultOperation>>> = {
  complete: 'complete',
  abandon: 'abandon',
  defer: 'defer',
  'dead-letter': 'dead-letter',
};

export class ReceiverFaults {
  readonly #engine: Engine;
  readonly #faults: ConnectionFaults;
  readonly #receiver: FaultyReceiver;
  readonly #delayed: DelayLine;
  /** Deliveries whose completion is lost by a fault. */
  readonly #twice = new Set<string>();
  /** The messages of deliveries that are not settled, by lock token, while a fault needs them. */
  readonly #delivered = new Map<string, MessageView>();
  /** The session that the link holds. */
  sessionId: string | undefined;

  constructor(engine: Engine, faults: ConnectionFaults, receiver: FaultyReceiver) {
    this.#engine = engine;
    this.#faults = faults;
    this.#receiver = receiver;
    this.#delayed = faults.newLine();
  }

  /** Whether deliveries and settlements must come here. */
  get isNeeded(): boolean {
    return this.#faults.isArmed || !this.#delayed.isEmpty || this.#twice.size > 0;
  }

  /** Calls it after the deliveries that are held back. */
  inOrder(run: () => void): void {
    if (this.#delayed.isEmpty) run();
    else this.#delayed.add(0, run);
  }

  deliver(delivery: Delivery, given: Uint8Array): void {
    const { entityPath } = this.#receiver;
    const content = compacted(given);
    const message = deliveredMessage(delivery, content);
    const write = () => this.#write(delivery, content, message);
    const giveBack = () => this.#giveBack(delivery);
    this.#faults.run(
      {
        operation: 'receive',
        path: entityPath,
        messages: () => [message],
        carryOut: write,
        carryOutUnanswered: () => this.#receiver.leaveOut(),
        fail: (error) => this.#detach(error, giveBack),
        detach: (error) => this.#detach(error, giveBack),
        special: (kind, fired) => {
          write();
          if (delivery.lockToken === undefined) return; // a message comes once in receive-and-delete mode
          if (kind === 'deliver-twice') this.#twice.add(delivery.lockToken);
          else this.#endLockLater(delivery, fired);
        },
        drop: giveBack,
      },
      this.#delayed,
    );
  }

  settle(disposition: ClientDisposition, outcome: Outcome): void {
    const { deliveryId, context: lockToken, isSettled } = disposition;
    const operation = OPERATIONS[outcome.kind];
    const message = this.#delivered.get(lockToken);
    this.#delivered.delete(lockToken);
    const carryOut = () => this.#receiver.settle(disposition, this.#outcomeOf(lockToken, outcome));
    if (operation === undefined) {
      carryOut();
      return;
    }
    this.#faults.run(
      {
        operation,
        path: this.#receiver.entityPath,
        messages: message && (() => [message]),
        carryOut,
        carryOutUnanswered: () => this.#receiver.settle(disposition, outcome, { isAnswered: false }),
        fail: (error) => {
          if (message !== undefined) this.#delivered.set(lockToken, message);
          if (!isSettled) this.#receiver.reject(deliveryId, error);
        },
        detach: (error) => this.#receiver.detach(error),
      },
      this.#delayed,
    );
  }

  /** The link has gone. */
  end(): void {
    this.#twice.clear();
    this.#delivered.clear();
    this.#faults.endLine(this.#delayed);
  }

  #write(delivery: Delivery, content: Uint8Array, message: MessageView): void {
    const { lockToken } = delivery;
    if (lockToken !== undefined && this.#faults.needsSettled) this.#delivered.set(lockToken, message);
    this.#receiver.write(delivery, content);
  }

  /** A completion that is lost on its way: the message comes again, as after the end of its lock. */
  #outcomeOf(lockToken: string, outcome: Outcome): Outcome {
    const isLost = this.#twice.delete(lockToken) && outcome.kind === 'complete';
    return isLost ? { kind: 'abandon', changes: [] } : outcome;
  }

  #detach(error: AmqpError, giveBack: () => void): void {
    this.#receiver.detach(error);
    giveBack();
  }

  /** The client has never seen the message (DLV-03). */
  #giveBack({ lockToken }: Delivery): void {
    if (lockToken === undefined) return;
    const { entityPath } = this.#receiver;
    this.#submit({ kind: 'settle', entityPath, lockToken, outcome: { kind: 'release' } });
  }

  #endLockLater({ properties: { sequenceNumber } }: Delivery, { delayMs, faultId }: FiredFault): void {
    // Recorded, so that people do not look for the cause in the program that had the lock.
    const origin = { connectionId: undefined, linkId: undefined, program: `fault ${faultId}` };
    const end = () => this.#submit(this.#endOfLock(sequenceNumber), origin);
    // Without a delay, the lock ends before the client can settle the message.
    if (delayMs === 0) end();
    else this.#faults.runLater(delayMs, end);
  }

  #endOfLock(sequenceNumber: number): Command {
    const { entityPath } = this.#receiver;
    const { sessionId } = this;
    if (sessionId !== undefined) return { kind: 'end-session', entityPath, sessionId };
    return {
      kind: 'manage-messages',
      entityPath,
      action: { kind: 'end-lock' },
      selection: { kind: 'numbers', sequenceNumbers: [sequenceNumber] },
    };
  }

  #submit(command: Command, origin?: RequestOrigin): void {
    this.#engine.submit(command, origin === undefined ? NO_REQUESTER : { ...NO_REQUESTER, origin }, 0);
  }
}
