// Delays frames that may return messages to their queue, until the frames behind them in the same read are known. A link that
// ends in one of these frames must not receive the returned messages.

import type { AmqpPerformative, Close, Detach, Disposition, End } from '../../codec/performatives.js';

type DelayedFrame = { readonly channel: number; readonly performative: Disposition | Detach | End | Close };
type OnEnding = (channel: number, ending: Detach | End | Close) => void;

const NONE: readonly DelayedFrame[] = [];

export class DelayedFrames {
  readonly #onEnding: OnEnding;
  #frames: DelayedFrame[] = [];

  /** Calls `onEnding` when the end of a link is read. The frame itself is handled in order, after the frames before it. */
  constructor(onEnding: OnEnding) {
    this.#onEnding = onEnding;
  }

  /** True when the frame is delayed. Handle the frames of `take` before any other frame. */
  delay(channel: number, performative: AmqpPerformative): boolean {
    switch (performative.kind) {
      case 'disposition':
        if (this.#frames.length === 0 && (!performative.role || isAccepted(performative))) return false;
        break;
      case 'detach':
      case 'end':
      case 'close':
        if (this.#frames.length === 0) return false;
        this.#onEnding(channel, performative);
        break;
      default:
        return false;
    }
    this.#frames.push({ channel, performative });
    return true;
  }

  /** Removes and returns the delayed frames, in their order. */
  take(): readonly DelayedFrame[] {
    if (this.#frames.length === 0) return NONE;
    const frames = this.#frames;
    this.#frames = [];
    return frames;
  }
}

/** Recognises the form that all clients write: three bytes and an empty list. Any other form is delayed without need, which does no harm. */
export function isAccepted({ state }: Disposition): boolean {
  return state?.[1] === 0x53 && state[2] === 0x24;
}
