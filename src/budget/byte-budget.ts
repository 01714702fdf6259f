// One budget for all bytes that are held for clients, in every protocol: unfinished messages, messages that are not yet durable, bodies of
// requests, answers that are being made, and answers that are not read.
//
// A client may take more while it holds no more than is still free. So shares shrink as the sum grows, and a new client finds room. The
// sum can exceed the limit by one read for each client, and the same amount again is kept for clients that hold little. Everything that
// does not fit waits. One of the waiting clients has the turn for input, and one the turn for answers: it may exceed its share, so that a
// message larger than any share can finish. There are two turns because an answer ends by itself, but an unfinished message may keep its
// turn for a minute.

import { type StartTimer, startRealTimer } from '../engine/timer.js';

const LIMIT_BYTES = 64 * 1024 * 1024;
/** A client that holds at most this part of the limit, 16 KiB, may go on until the sum is twice the limit. */
const SMALL_PART = 4096;
/** A client that gives nothing back for this time while others wait is ended. A turn also lasts no longer than this. */
const STUCK_MS = 60_000;
const TICK_MS = 1000;

/** The sentence for a client that is ended. */
export const STUCK_TEXT = `Memory was held for ${STUCK_MS / 1000} s while others had to wait for it: the rest of messages, the discharge of a transaction, or the reading of answers did not come.`;

/** The purpose of a turn: more of what a client sends, or an answer. */
export type Lane = 'input' | 'answers';

export type Waiting = {
  /** How much more is wanted; 0 means any amount. */
  readonly bytes?: number;
  /** Which turn would help. Default: `answers` if bytes are wanted, otherwise `input`. */
  readonly lane?: Lane;
  /** Identifies the holder of the turn, because several requests of one client have it one after the other. Default: the share. */
  readonly key?: object;
  /** Whether the turn would help. Default: yes. */
  readonly mayExceed?: () => boolean;
  /** Called once, when there is room. The wanted bytes must be taken within this call. */
  readonly goOn: () => void;
  /** Called instead if the client goes first. */
  readonly gone?: () => void;
};

type Turn = {
  readonly share: ByteShare;
  readonly key: object;
  /** The turn is over when its share holds at most this. */
  readonly untilBytes: number;
  ageMs: number;
};

export class ByteBudget {
  readonly limitBytes: number;
  /** The sum of all bytes that are held. */
  sum = 0;
  readonly #startTimer: StartTimer;
  readonly #shares = new Set<ByteShare>();
  readonly #byOwner = new WeakMap<object, ByteShare>();
  /** The waiting clients, in the order in which they came. */
  readonly #waiting = new Map<Waiting, ByteShare>();
  readonly #turns = new Map<Lane, Turn>();
  #isPassPlanned = false;
  #stopTimer: (() => void) | undefined;

  constructor({ limitBytes = LIMIT_BYTES, startTimer = startRealTimer }: BudgetOptions = {}) {
    this.limitBytes = limitBytes;
    this.#startTimer = startTimer;
  }

  /** Opens the share of a new client, which `of` finds by its `owner`. `end` must end the client; `close` must be called when it has gone. */
  open(end: () => void, owner?: object): ByteShare {
    const share = new ByteShare(this, end);
    this.#shares.add(share);
    if (owner !== undefined) this.#byOwner.set(owner, share);
    return share;
  }

  of(owner: object): ByteShare | undefined {
    return this.#byOwner.get(owner);
  }

  get isWaitedFor(): boolean {
    return this.#waiting.size > 0;
  }

  hasTurn(key: object): boolean {
    return [...this.#turns.values()].some((turn) => turn.key === key && !isOver(turn));
  }

  wait(share: ByteShare, waiting: Waiting): void {
    this.#waiting.set(waiting, share);
    this.#stopTimer ??= this.#startTimer(TICK_MS, () => this.#tick());
    this.releasing();
  }

  /** Gives the turn to a client that cannot wait, if no other client waits for it. */
  takeTurn(share: ByteShare): boolean {
    return !this.isWaitedFor && this.#giveTurn(share, { bytes: 1, key: share, lane: 'input' });
  }

  /** Lets waiting clients go on if there is room, after other work has had its turn of the event loop. */
  releasing(): void {
    if (this.#isPassPlanned) return;
    this.#isPassPlanned = true;
    setImmediate(() => this.#pass());
  }

  closed(share: ByteShare): void {
    this.#shares.delete(share);
    for (const [lane, turn] of this.#turns) if (turn.share === share) this.#turns.delete(lane);
    for (const [waiting, of] of this.#waiting) {
      if (of !== share) continue;
      this.#waiting.delete(waiting);
      waiting.gone?.();
    }
    if (this.isWaitedFor) this.releasing();
  }

  #pass(): void {
    this.#isPassPlanned = false;
    for (const [waiting, share] of [...this.#waiting]) {
      const { bytes = 0, key = share, mayExceed = () => true, goOn } = waiting;
      const { lane = bytes > 0 ? 'answers' : 'input' } = waiting;
      if (!this.#waiting.has(waiting)) continue;
      if (!share.fits(bytes) && !(mayExceed() && this.#giveTurn(share, { bytes, key, lane }))) continue;
      this.#waiting.delete(waiting);
      goOn();
    }
  }

  #giveTurn(share: ByteShare, { bytes, key, lane }: { bytes: number; key: object; lane: Lane }): boolean {
    const turn = this.#turns.get(lane);
    if (turn !== undefined && !isOver(turn)) return turn.key === key;
    // A reader of input already holds its part, so its turn is over when it holds less.
    this.#turns.set(lane, { share, key, untilBytes: share.bytes - (bytes > 0 ? 0 : 1), ageMs: 0 });
    return true;
  }

  #tick(): void {
    this.#stopTimer = undefined;
    const isContended = this.isWaitedFor;
    for (const share of this.#shares) share.age(isContended ? TICK_MS : 0);
    if (!isContended) return;
    for (const turn of [...this.#turns.values()]) {
      if (isOver(turn)) continue;
      turn.ageMs += TICK_MS;
      if (turn.ageMs >= STUCK_MS) turn.share.end();
    }
    this.#endStuck();
    this.releasing();
    this.#stopTimer = this.#startTimer(TICK_MS, () => this.#tick());
  }

  /** Ends stuck clients, the largest and longest first, until half of the budget is free. Then it stops, because others may be stuck only because of them. */
  #endStuck(): void {
    const stuck = [...this.#shares].filter(({ stuckMs }) => stuckMs >= STUCK_MS);
    let rest = this.sum;
    for (const share of stuck.sort((a, b) => b.bytes * b.stuckMs - a.bytes * a.stuckMs)) {
      if (rest <= this.limitBytes / 2) return;
      rest -= share.bytes;
      share.end();
    }
  }
}

function isOver({ share, untilBytes }: Turn): boolean {
  return share.bytes <= Math.max(0, untilBytes) || share.fits(0);
}

export type BudgetOptions = { readonly limitBytes?: number; readonly startTimer?: StartTimer };

/** The bytes that are held for one client. */
export class ByteShare {
  bytes = 0;
  /** How long other clients have waited while this one gave nothing back. */
  stuckMs = 0;
  readonly end: () => void;
  readonly #budget: ByteBudget;
  #isClosed = false;
  #releasedBytes = 0;
  /** The bytes that were held when `stuckMs` began. */
  #stuckBytes = 0;

  constructor(budget: ByteBudget, end: () => void) {
    this.#budget = budget;
    this.end = end;
  }

  /** Counts bytes that are held from now on; negative for bytes that are given back. */
  add(given: number): void {
    // After the client has gone, only the bytes that it left behind can be given back.
    const bytes = this.#isClosed ? Math.max(-this.bytes, Math.min(0, given)) : given;
    this.bytes += bytes;
    this.#budget.sum += bytes;
    if (bytes >= 0) return;
    this.#releasedBytes -= bytes;
    if (this.#budget.isWaitedFor) this.#budget.releasing();
  }

  fits(bytes: number): boolean {
    const { limitBytes, sum } = this.#budget;
    const wanted = this.bytes + bytes;
    return wanted <= limitBytes - sum || (wanted <= limitBytes / SMALL_PART && sum <= 2 * limitBytes);
  }

  /** Whether so many more bytes may be taken. If not, call `wait`. */
  mayTake(bytes = 0, key: object = this): boolean {
    return this.fits(bytes) || this.#budget.hasTurn(key);
  }

  /** Like `mayTake`, for a client that would otherwise be refused: it takes the turn if no other client waits for it. */
  claim(bytes: number): boolean {
    return this.mayTake(bytes) || this.#budget.takeTurn(this);
  }

  wait(waiting: Waiting): void {
    if (this.#isClosed) waiting.gone?.();
    else this.#budget.wait(this, waiting);
  }

  /** Takes so many more bytes as soon as there is room. Returns undefined if there is room now; rejects if the client goes. */
  take(bytes: number, key: object = this): Promise<void> | undefined {
    if (this.mayTake(bytes, key)) {
      this.add(bytes);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const goOn = () => {
        this.add(bytes);
        resolve();
      };
      this.wait({ bytes, key, goOn, gone: () => reject(new ClientGone()) });
    });
  }

  /** Must be called when the client has gone. Only `leftBytes` of its bytes are still held, and will be given back later. */
  close(leftBytes = 0): void {
    if (this.#isClosed) return;
    this.add(leftBytes - this.bytes);
    this.#isClosed = true;
    this.#budget.closed(this);
  }

  /** Counts time in which other clients wait; 0 if none does. A client that has given back as many bytes as it held at the start is not stuck. */
  age(durationMs: number): void {
    const isStuck = durationMs > 0 && this.bytes > 0 && this.#releasedBytes < this.#stuckBytes;
    this.stuckMs = isStuck ? this.stuckMs + durationMs : 0;
    if (isStuck) return;
    this.#stuckBytes = Math.max(1, this.bytes);
    this.#releasedBytes = 0;
  }
}

/** The error if a client has gone before there was room for its answer. */
export class ClientGone extends Error {
  constructor() {
    super('the client has gone');
  }
}
