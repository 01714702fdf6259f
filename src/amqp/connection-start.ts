// The start of a connection, which is complete once its client has opened it and its namespace is known: it is recorded then, or refused.

import type { AmqpError, Open } from '../codec/performatives.js';
import type { StartTimer } from '../engine/timer.js';
import type { ConnectionActivity } from './connection-activity.js';
import type { AmqpNamespace } from './connection-binding.js';
import type { ConnectionFaults } from './faults/connection-faults.js';
import type { Transport } from './transport.js';

/** A client that is refused is told, and disconnected after this time. */
const REFUSAL_MS = 5000;

type ConnectionStartOptions = {
  /** The error with which each link is refused from the beginning. */
  readonly refusal: AmqpError | undefined;
  /** The error for another connection of the namespace; undefined while there is room for it. */
  readonly refusalOfMore: (namespace: AmqpNamespace) => AmqpError | undefined;
  readonly activity: ConnectionActivity;
  readonly faults: ConnectionFaults;
  readonly startTimer: StartTimer;
  readonly transport: () => Transport;
};

export class ConnectionStart {
  readonly #options: ConnectionStartOptions;
  #refusal: AmqpError | undefined;
  #open: Open | undefined;
  #namespace: AmqpNamespace | undefined;
  #stopTimer = () => {};

  constructor(options: ConnectionStartOptions) {
    this.#options = options;
    this.#refusal = options.refusal;
  }

  /** The error with which links are refused; undefined if they are not. */
  get refusal(): AmqpError | undefined {
    return this.#refusal;
  }

  opened(open: Open): void {
    this.#open = open;
    this.#complete();
  }

  bound(namespace: AmqpNamespace): void {
    const { activity, faults } = this.#options;
    this.#namespace = namespace;
    activity.bind(namespace);
    faults.bind(namespace.faults);
    this.#complete();
    activity.tellEarly();
  }

  end(): void {
    this.#stopTimer();
  }

  #complete(): void {
    if (this.#open === undefined || this.#namespace === undefined || this.#refusal !== undefined) return;
    const { refusalOfMore, activity, faults, startTimer } = this.#options;
    const transport = this.#options.transport();
    const refusal = refusalOfMore(this.#namespace);
    this.#refusal = refusal;
    if (refusal === undefined) activity.opened(this.#open, transport);
    else this.#stopTimer = startTimer(REFUSAL_MS, () => transport.connection.close(refusal));
    if (faults.isArmed) faults.opened(transport);
  }
}
