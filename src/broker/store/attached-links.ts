// Attached links of one kind: by id, and by queue, so that what happens to a queue costs nothing for the links of others.

import type { MessageStore, Queue } from './queue.js';

/** A link, and the store that it is attached to. */
export type Attached = { readonly store: MessageStore };

export class AttachedLinks<Link extends Attached> {
  readonly #byId = new Map<number, Link>();
  readonly #idsByQueue = new Map<Queue, Set<number>>();

  get(linkId: number): Link | undefined {
    return this.#byId.get(linkId);
  }

  has(linkId: number): boolean {
    return this.#byId.has(linkId);
  }

  all(): Iterable<Link> {
    return this.#byId.values();
  }

  add(linkId: number, link: Link): void {
    const { queue } = link.store;
    this.#byId.set(linkId, link);
    const ids = this.#idsByQueue.get(queue);
    if (ids === undefined) this.#idsByQueue.set(queue, new Set([linkId]));
    else ids.add(linkId);
  }

  delete(linkId: number): void {
    const queue = this.#byId.get(linkId)?.store.queue;
    if (queue === undefined) return;
    this.#byId.delete(linkId);
    const ids = this.#idsByQueue.get(queue);
    ids?.delete(linkId);
    if (ids?.size === 0) this.#idsByQueue.delete(queue);
  }

  /** The ids of the links to the queue, in the order of their attaching. */
  idsOf(queue: Queue): readonly number[] {
    return [...(this.#idsByQueue.get(queue) ?? [])];
  }
}
