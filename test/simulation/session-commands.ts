// Makes up commands about sessions: few ids, so that they are met again, and claims that hold, held once, or never did.

import type { Command, ReceiveMode } from '../../src/broker/command.js';
import type { Pace } from './pace.js';
import type { Picks } from './picks.js';
import type { Random } from './random.js';
import { CONNECTION_IDS, SESSION_IDS } from './session-ids.js';

type SessionKind = Extract<
  Command['kind'],
  'accept-session' | 'renew-session-lock' | 'get-session-state' | 'set-session-state' | 'list-sessions'
>;

/** Of the service. */
const MAX_ID_LENGTH = 128;
/** Fits into few queues, and fills the smallest. */
const LARGE_STATE_BYTES = 400 * 1024;

type NewReceiver = {
  readonly linkId: number;
  readonly entityPath: string;
  readonly receiveMode: ReceiveMode;
};

export class SessionCommands {
  readonly #random: Random;
  readonly #pace: Pace;
  readonly #picks: Picks;
  readonly #nextChance: number;
  readonly #stateSizes: readonly number[];
  #stateCount = 0;

  constructor(random: Random, pace: Pace, picks: Picks) {
    this.#random = random;
    this.#pace = pace;
    this.#picks = picks;
    this.#nextChance = random.pick([0.2, 0.5, 0.9]);
    this.#stateSizes = random.pick([
      [10, 10, 30],
      [0, 20, 500, 1200],
      [10, 30, LARGE_STATE_BYTES, LARGE_STATE_BYTES],
    ]);
  }

  accept(receiver: NewReceiver): Command {
    const { sessionId } = this.#picks.anyClaim();
    const isTooLong = this.#random.chance(0.02);
    const known = this.#random.chance(0.3) ? sessionId : this.#random.pick(SESSION_IDS);
    const id = isTooLong ? 'x'.repeat(MAX_ID_LENGTH + 1) : known;
    return {
      kind: 'accept-session',
      ...receiver,
      connectionId: this.#random.pick(CONNECTION_IDS),
      sessionId: this.#random.chance(this.#nextChance) ? undefined : id,
    };
  }

  next(kind: Exclude<SessionKind, 'accept-session'>, now: number): Command {
    if (kind === 'list-sessions') return this.#list(now);
    const { entityPath, sessionId, connectionId } = this.#picks.claim();
    const claimed = {
      entityPath: this.#picks.pathOf({ entityPath }),
      session: this.#picks.bent({ sessionId, connectionId }),
    };
    if (kind === 'set-session-state') return { kind, ...claimed, state: this.#state() };
    return { kind, ...claimed };
  }

  #list(now: number): Command {
    return {
      kind: 'list-sessions',
      entityPath: this.#picks.sessionPath(),
      stateSetAfter: this.#random.pick([undefined, undefined, 0, this.#pace.cutoff(now) - 1]),
      skip: this.#random.pick([0, 0, 0, 0, 1, 2, -1]),
      maxCount: this.#random.pick([1, 2, 100, 100, 100, 0]),
    };
  }

  #state(): Uint8Array | undefined {
    if (this.#random.chance(0.25)) return undefined;
    this.#stateCount += 1;
    const text = `state ${this.#stateCount}`;
    const size = this.#random.pick(this.#stateSizes);
    return size === LARGE_STATE_BYTES
      ? new Uint8Array(LARGE_STATE_BYTES)
      : new TextEncoder().encode(text.padEnd(size, '.').slice(0, size));
  }
}
