// When the list beside the lanes changes: to the newest scene now and then, at once when something is followed or no longer, and always
// to the last one.

import { REAL_TIMING, type Timing } from '../../state/timing.js';

/** The list is read, so that it may change less often than what moves. */
const LIST_MS = 400;

type Listed = { readonly isFollowing: boolean };

export class ListPace<Scene extends Listed> {
  readonly #show: (scene: Scene) => void;
  readonly #timing: Timing;
  #shown: Scene | undefined;
  #shownAt = Number.NEGATIVE_INFINITY;
  /** Undefined if it is shown. */
  #newest: Scene | undefined;

  constructor(show: (scene: Scene) => void, timing = REAL_TIMING) {
    this.#show = show;
    this.#timing = timing;
  }

  note(scene: Scene): void {
    const isUrgent = scene.isFollowing !== this.#shown?.isFollowing;
    const isAwaited = this.#newest !== undefined;
    this.#newest = scene;
    if (isAwaited && !isUrgent) return; // it will be shown in the place of the one before
    const restMs = isUrgent ? 0 : Math.max(0, this.#shownAt + LIST_MS - this.#timing.now());
    // In a task of its own, so that neither this one nor that takes long.
    this.#timing.startTimer(restMs, () => this.#showNewest());
  }

  #showNewest(): void {
    const newest = this.#newest;
    if (newest === undefined) return; // an urgent one has come before the timer
    this.#newest = undefined;
    this.#shown = newest;
    this.#shownAt = this.#timing.now();
    this.#show(newest);
  }
}
