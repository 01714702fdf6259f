// The messages of one connection that have not arrived in full. One that comes too slowly ends its link: otherwise it would hold memory,
// and make other clients wait, for as long as its sender likes.

import type { AmqpError } from '../../codec/performatives.js';
import type { PartialDelivery } from './partial-delivery.js';

/** The time for a whole message. */
const MAX_MS = 60_000;
/** During this time the pace does not matter. */
const GRACE_MS = 5000;
const LEAST_BYTES_PER_MS = 64;
/** The longest time that one tick counts: if the process stood still for longer, nothing could be read meanwhile. */
const LONGEST_TICK_MS = 2000;

/** The link of an unfinished message. */
type UnfinishedLink = { detach(error: AmqpError): void };

type Unfinished = { readonly delivery: PartialDelivery; ageMs: number };

export class UnfinishedMessages {
  readonly #byLink = new Map<UnfinishedLink, Unfinished>();
  #lastMs: number | undefined;

  /** Notes which delivery of a link is unfinished; undefined for none. */
  note(link: UnfinishedLink, delivery: PartialDelivery | undefined): void {
    if (delivery === undefined) this.#byLink.delete(link);
    else this.#byLink.set(link, { delivery, ageMs: 0 });
  }

  /** Gives their blocks to others, because the rest of these messages may come late. */
  release(): void {
    for (const { delivery } of this.#byLink.values()) delivery.release();
  }

  /** Called about every second. Returns how many links were detached. Time in which nothing is read does not count. */
  tick(nowMs: number, isHeldBack: boolean): number {
    const elapsedMs = Math.min(LONGEST_TICK_MS, nowMs - (this.#lastMs ?? nowMs));
    this.#lastMs = nowMs;
    if (isHeldBack) return 0;
    let count = 0;
    for (const [link, unfinished] of this.#byLink) {
      unfinished.ageMs += elapsedMs;
      const error = tooSlow(unfinished);
      if (error === undefined) continue;
      this.#byLink.delete(link);
      link.detach(error);
      count += 1;
    }
    return count;
  }
}

function tooSlow({ delivery: { receivedBytes }, ageMs }: Unfinished): AmqpError | undefined {
  const isInTime = ageMs < MAX_MS && (ageMs <= GRACE_MS || receivedBytes >= ageMs * LEAST_BYTES_PER_MS);
  if (isInTime) return undefined;
  return {
    condition: 'amqp:resource-limit-exceeded',
    description:
      `A message has come too slowly: ${receivedBytes} bytes of it in ${Math.round(ageMs / 1000)} s, and its end is still missing. ` +
      `It must come within ${MAX_MS / 1000} s, and after ${GRACE_MS / 1000} s at ${LEAST_BYTES_PER_MS} KB/s or more. ` +
      'Send it again; with --limits none a message may take any time.',
  };
}
