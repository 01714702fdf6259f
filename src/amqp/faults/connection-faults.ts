// Carries out the faults that hit the operations of one connection.

import type { MessageView } from '../../broker/rules/message-view.js';
import type { AmqpError } from '../../codec/performatives.js';
import type { StartTimer } from '../../engine/timer.js';
import type { FaultEffect, FaultOperation, FiredFault } from '../../steer/fault.js';
import { wireOf } from '../../steer/fault-conditions.js';
import { describeEffect } from '../../steer/fault-text.js';
import type { Faults } from '../../steer/faults.js';
import type { ConnectionActivity } from '../connection-activity.js';
import { describe, type ErrorContext, type Failure } from '../error-condition.js';
import { DelayLine } from './delay-line.js';

/** An operation of a client, and the ways in which it can end. */
export type Faultable = {
  readonly operation: FaultOperation;
  /** Empty for an operation of the whole namespace. */
  readonly path: string;
  /** Undefined if its messages are not known. */
  readonly messages?: (() => readonly MessageView[]) | undefined;
  /** Carries it out and answers. */
  carryOut(): void;
  /** Carries it out without an answer to the client. */
  carryOutUnanswered(): void;
  /** Answers with the error; nothing is carried out. */
  fail(failure: Failure): void;
  /** Detaches its link; nothing is carried out. */
  detach(error: AmqpError): void;
  /** Carries out an effect that only deliveries have. */
  special?(kind: 'deliver-twice' | 'end-lock', fired: FiredFault): void;
  /** Called when it is held back, and when it no longer is. */
  held?(isHeld: boolean): void;
  /** Gives up the operation that was held back, because the link has gone. */
  drop?(): void;
};

/** The ways to end a connection. */
export type FaultyConnection = {
  close(error: AmqpError): void;
  /** Cuts the byte stream. */
  reset(): void;
  /** Nothing is written or read any more. */
  silence(): void;
};

type ConnectionFaultsOptions = {
  readonly activity: ConnectionActivity;
  readonly context: ErrorContext;
  readonly startTimer: StartTimer;
  readonly now: () => number;
  readonly connection: FaultyConnection;
};

export class ConnectionFaults {
  readonly #options: ConnectionFaultsOptions;
  /** Undefined: none happen. */
  #faults: Faults | undefined;
  readonly #lines = new Set<DelayLine>();

  constructor(options: ConnectionFaultsOptions) {
    this.#options = options;
  }

  /** The faults of the connection's namespace, once that is known. */
  bind(faults: Faults | undefined): void {
    this.#faults = faults;
  }

  /** Whether any fault can happen. If not, an operation on a link without delays need not come here. */
  get isArmed(): boolean {
    return this.#faults?.isArmed === true;
  }

  /** Whether the contents of deliveries are needed when they are settled. */
  get needsSettled(): boolean {
    return this.#faults?.needsSettled === true;
  }

  /** Returns a line for the operations of a link that are held back. */
  newLine(): DelayLine {
    const { startTimer, now } = this.#options;
    const line = new DelayLine(startTimer, now);
    this.#lines.add(line);
    return line;
  }

  /** Drops what is held back on a link that has gone. */
  endLine(line: DelayLine): void {
    this.#lines.delete(line);
    line.clear();
  }

  /** Drops all that is held back, because the connection has ended. */
  end(): void {
    for (const line of this.#lines) line.clear();
    this.#lines.clear();
  }

  /** The client's open has come, and ours is not written yet. */
  opened(transport: { stall(isStalled: boolean): void }): void {
    const { close, silence } = this.#options.connection;
    const ends = { carryOut: () => {}, carryOutUnanswered: silence, fail: close, detach: close };
    const open: Faultable = { operation: 'open', path: '', ...ends };
    const fired = this.#find(open);
    if (fired === undefined) return;
    transport.stall(true);
    this.runLater(fired.delayMs, () => {
      this.#perform(open, fired);
      transport.stall(false);
    });
  }

  /** Calls it after the delay, unless the connection ends first. */
  runLater(delayMs: number, run: () => void, drop?: () => void): void {
    const line = this.newLine();
    const ended = (then: (() => void) | undefined) => () => {
      this.#lines.delete(line);
      then?.();
    };
    line.add(delayMs, ended(run), ended(drop));
  }

  /** Carries the operation out, or the fault that hits it. With a line, it comes after what is held back there. */
  run(operation: Faultable, line?: DelayLine): void {
    const fired = this.#find(operation);
    const isLocksEnd = fired?.effect.kind === 'end-lock'; // its delay is the time until the lock ends
    const delayMs = fired === undefined || isLocksEnd ? 0 : fired.delayMs;
    if (delayMs === 0 && line?.isEmpty !== false) {
      this.#perform(operation, fired);
      return;
    }
    operation.held?.(true);
    const perform = () => {
      operation.held?.(false);
      this.#perform(operation, fired);
    };
    const drop = () => {
      operation.held?.(false);
      operation.drop?.();
    };
    if (line === undefined) this.runLater(delayMs, perform, drop);
    else line.add(delayMs, perform, drop);
  }

  #find({ operation, path, messages }: Faultable): FiredFault | undefined {
    const fired = this.#faults?.find({ operation, path, messages, protocol: 'amqp' });
    if (fired !== undefined) {
      const { faultId, effect, delayMs } = fired;
      this.#options.activity.faultFired(path, operation, faultId, describeEffect(effect, delayMs));
    }
    return fired;
  }

  #perform(operation: Faultable, fired: FiredFault | undefined): void {
    const { connection } = this.#options;
    const effect = fired?.effect;
    switch (effect?.kind) {
      case undefined:
      case 'delay':
      case 'status':
        operation.carryOut();
        return;
      case 'error':
        operation.fail(this.#failureOf(effect, operation.path));
        return;
      case 'detach':
        operation.detach(this.#failureOf(effect, operation.path));
        return;
      case 'close':
        connection.close(this.#failureOf(effect, operation.path));
        return;
      case 'reset':
        connection.reset();
        return;
      case 'silence':
        connection.silence();
        return;
      case 'lose-answer':
        operation.carryOutUnanswered();
        return;
      case 'deliver-twice':
      case 'end-lock':
        if (operation.special === undefined) operation.carryOut();
        else operation.special(effect.kind, fired as FiredFault); // an operation with such a fault has it
    }
  }

  #failureOf({ condition, text }: Extract<FaultEffect, { condition: string }>, path: string): Failure {
    const wire = wireOf(condition);
    const description = describe(text ?? wire.text, this.#options.context, path === '' ? undefined : path);
    return { condition, status: wire.status, description };
  }
}
