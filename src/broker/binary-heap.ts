// A binary heap whose items may be told their place in it, so that any of them can be taken out in O(log n).

import { assert } from './assert.js';

export type HeapOptions<T> = {
  readonly isBefore: (a: T, b: T) => boolean;
  /** Called whenever an item comes to lie at `index`. */
  readonly placed?: (item: T, index: number) => void;
};

export class BinaryHeap<T> {
  readonly #items: T[] = [];
  readonly #isBefore: (a: T, b: T) => boolean;
  readonly #placed: (item: T, index: number) => void;

  constructor({ isBefore, placed = () => {} }: HeapOptions<T>) {
    this.#isBefore = isBefore;
    this.#placed = placed;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  get count(): number {
    return this.#items.length;
  }

  /** All of them, in no order that means anything. */
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
    assert(last !== undefined && index <= this.#items.length, 'no item at this place of the heap');
    if (index < this.#items.length) this.#settle(last, index);
  }

  /** The order of the item at `index` has changed: moves it to where it belongs. */
  reorderAt(index: number): void {
    this.#settle(this.#at(index), index);
  }

  #settle(item: T, index: number): void {
    if (index > 0 && this.#isBefore(item, this.#at(parentOf(index)))) this.#moveUp(item, index);
    else this.#moveDown(item, index);
  }

  #moveUp(item: T, from: number): void {
    let index = from;
    while (index > 0) {
      const parentIndex = parentOf(index);
      const parent = this.#at(parentIndex);
      if (!this.#isBefore(item, parent)) break;
      this.#place(parent, index);
      index = parentIndex;
    }
    this.#place(item, index);
  }

  #moveDown(item: T, from: number): void {
    let index = from;
    for (;;) {
      const childIndex = this.#firstChildOf(index);
      if (childIndex === undefined) break;
      const child = this.#at(childIndex);
      if (!this.#isBefore(child, item)) break;
      this.#place(child, index);
      index = childIndex;
    }
    this.#place(item, index);
  }

  #firstChildOf(index: number): number | undefined {
    const left = 2 * index + 1;
    const right = left + 1;
    if (left >= this.#items.length) return undefined;
    if (right >= this.#items.length) return left;
    return this.#isBefore(this.#at(right), this.#at(left)) ? right : left;
  }

  #place(item: T, index: number): void {
    this.#items[index] = item;
    this.#placed(item, index);
  }

  #at(index: number): T {
    const item = this.#items[index];
    assert(item !== undefined, 'no item at this place of the heap');
    return item;
  }
}

function parentOf(index: number): number {
  return (index - 1) >> 1;
}
