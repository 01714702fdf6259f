// Delays rejections until the sends before them have their outcomes, so that outcomes keep the order of transfers (SND-03).

import type { ServiceBusError } from '../../broker/contract/service-bus-error.js';

export type Rejection = { readonly deliveryId: number; readonly error: ServiceBusError };

type Waiting = { readonly rejection: Rejection; readonly behindCount: number };

export class RejectionQueue {
  readonly #reject: (rejection: Rejection) => void;
  readonly #waiting: Waiting[] = [];
  #submittedCount = 0;
  #completedCount = 0;

  constructor(reject: (rejection: Rejection) => void) {
    this.#reject = reject;
  }

  /** The number of deliveries without an outcome. */
  get openCount(): number {
    return this.#submittedCount - this.#completedCount + this.#waiting.length;
  }

  /** Counts a send that was submitted to the engine. */
  submitted(): void {
    this.#submittedCount += 1;
  }

  /** Counts the outcome of the oldest submitted send, and rejects what waited only for it. */
  completed(): void {
    this.#completedCount += 1;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (next.behindCount > this.#completedCount) return;
      this.#waiting.shift();
      this.#reject(next.rejection);
    }
  }

  /** Rejects now, or once all earlier sends have their outcomes. */
  add(rejection: Rejection): void {
    if (this.openCount === 0) this.#reject(rejection);
    else this.#waiting.push({ rejection, behindCount: this.#submittedCount });
  }
}
