// Holds words that may return messages until the frames behind them in the same read are known: a link that goes with one of
// those is not to be given what comes back.

import type { AmqpPerformative, Close, Detach, Disposition, End } from '../../codec/performatives.js';

type Held = { readonly channel: number; readonly performative: Disposition | Detach | End | Close };
type Leaving = (channel: number, ending: Detach | End | Close) => void;

const NONE: readonly Held[] = [];

export class Returns {
  readonly #leaving: Leaving;
  #held: Held[] = [];

  /** `leaving` hears of each end when it is read; it takes effect in its turn, behind the words before it. */
  constructor(leaving: Leaving) {
    this.#leaving = leaving;
  }

  /** True when the frame waits in line; all others come behind those that do. */
  holds(channel: number, performative: AmqpPerformative): boolean {
    switch (performative.kind) {
      case 'disposition':
        if (this.#held.length === 0 && (!performative.role || isAccepted(performative))) return false;
        break;
      case 'detach':
      case 'end':
      case 'close':
        if (this.#held.length === 0) return false;
        this.#leaving(channel, performative);
        break;
      default:
        return false;
    }
    this.#held.push({ channel, performative });
    return true;
  }

  /** The frames in line, in their order; there are none any more. */
  take(): readonly Held[] {
    if (this.#held.length === 0) return NONE;
    const held = this.#held;
    this.#held = [];
    return held;
  }
}

/** As all clients write it, in three bytes and an empty list; in another form it only waits for nothing. */
function isAccepted({ state }: Disposition): boolean {
  return state?.[1] === 0x53 && state[2] === 0x24;
}
