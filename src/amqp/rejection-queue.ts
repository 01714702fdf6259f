// Rejections that are known at once and wait for the outcomes of the sends before them, so that outcomes keep the order of transfers (SND-03).

import type { ServiceBusError } from '../broker/service-bus-error.js';

export type Rejection = { readonly deliveryId: number; readonly error: ServiceBusError };

type Waiting = { readonly rejection: Rejection; readonly behindCount: number };

export class RejectionQueue {
  readonly #tell: (rejection: Rejection) => void;
  readonly #waiting: Waiting[] = [];
  #submittedCount = 0;
  #completedCount = 0;

  constructor(tell: (rejection: Rejection) => void) {
    this.#tell = tell;
  }

  /** Deliveries that have come and whose outcome has not been told. */
  get openCount(): number {
    return this.#submittedCount - this.#completedCount + this.#waiting.length;
  }

  /** A send was handed on. */
  submitted(): void {
    this.#submittedCount += 1;
  }

  /** The outcome of the send submitted first has been told. */
  completed(): void {
    this.#completedCount += 1;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (next.behindCount > this.#completedCount) return;
      this.#waiting.shift();
      this.#tell(next.rejection);
    }
  }

  /** Tells it now, or when all that was submitted before has been told of. */
  add(rejection: Rejection): void {
    if (this.openCount === 0) this.#tell(rejection);
    else this.#waiting.push({ rejection, behindCount: this.#submittedCount });
  }
}
