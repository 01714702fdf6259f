// A binary heap that reports the index of each item, so that any item can be removed in O(log n).

import { assert } from '../contract/assert.js';

/** One object serves all heaps of a kind: there may be several for each queue. */
export type HeapOptions<T> = {
  readonly isBefore: (a: T, b: T) => boolean;
  /** Called whenever an item is moved to `index`. */
  readonly onMove?: (item: T, index: number) => void;
};

const IGNORE_MOVE = () => {};

export class BinaryHeap<T> {
  readonly #items: T[] = [];
  readonly #isBefore: (a: T, b: T) => boolean;
  readonly #onMove: (item: T, index: number) => void;

  constructor({ isBefore, onMove = IGNORE_MOVE }: HeapOptions<T>) {
    this.#isBefore = isBefore;
    this.#onMove = onMove;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  get count(): number {
    return this.#items.length;
  }

  /** All items, in arbitrary order. */
  items(): Iterable<T> {
    return this.#items;
  }

  add(item: T): void {
    this.#items.push(item);
    this.#moveUp(item, this.#items.length - 1);
  }

  takeFirst(): T | undefined {
    const first = this.#items[0];
    if (first !== undefined) this.removeAt(0);
    return first;
  }

  removeAt(index: number): void {
    const last = this.#items.pop();
    assert(last !== undefined && index <= this.#items.length, 'the heap has no item at this index');
    if (index < this.#items.length) this.#reorder(last, index);
  }

  /** Moves the item at `index` to its new position after its sort key has changed. */
  reorderAt(index: number): void {
    this.#reorder(this.#at(index), index);
  }

  #reorder(item: T, index: number): void {
    if (index > 0 && this.#isBefore(item, this.#at(parentOf(index)))) this.#moveUp(item, index);
    else this.#moveDown(item, index);
  }

  #moveUp(item: T, from: number): void {
    let index = from;
    while (index > 0) {
      const parentIndex = parentOf(index);
      const parent = this.#at(parentIndex);
      if (!this.#isBefore(item, parent)) break;
      this.#put(parent, index);
      index = parentIndex;
    }
    this.#put(item, index);
  }

  #moveDown(item: T, from: number): void {
    let index = from;
    for (;;) {
      const childIndex = this.#firstChildOf(index);
      if (childIndex === undefined) break;
      const child = this.#at(childIndex);
      if (!this.#isBefore(child, item)) break;
      this.#put(child, index);
      index = childIndex;
    }
    this.#put(item, index);
  }

  #firstChildOf(index: number): number | undefined {
    const left = 2 * index + 1;
    const right = left + 1;
    if (left >= this.#items.length) return undefined;
    if (right >= this.#items.length) return left;
    return this.#isBefore(this.#at(right), this.#at(left)) ? right : left;
  }

  #put(item: T, index: number): void {
    this.#items[index] = item;
    this.#onMove(item, index);
  }

  #at(index: number): T {
    const item = this.#items[index];
    assert(item !== undefined, 'the heap has no item at this index');
    return item;
  }
}

function parentOf(index: number): number {
  return (index - 1) >> 1;
}
