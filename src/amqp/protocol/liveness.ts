// Keeps when a connection was last heard from and last spoke, by the time it is told: the ground for heartbeats and idle closes.

export class Liveness {
  #startedAt: number | undefined;
  #lastTick = 0;
  #lastReceived = 0;
  #lastSent = 0;
  #hasReceived = true;
  #hasSent = true;

  received(): void {
    this.#hasReceived = true;
  }

  sent(): void {
    this.#hasSent = true;
  }

  /** How long the connection exists, how long the peer has been silent at least, and how long we have been at most. */
  tick(nowMs: number): { ageMs: number; peerSilentMs: number; selfSilentMs: number } {
    this.#startedAt ??= nowMs;
    // Both err on the safe side: the peer spoke just now, we spoke right after the last look at the clock.
    if (this.#hasReceived) this.#lastReceived = nowMs;
    if (this.#hasSent) this.#lastSent = this.#lastTick;
    this.#hasReceived = false;
    this.#hasSent = false;
    this.#lastTick = nowMs;
    return {
      ageMs: nowMs - this.#startedAt,
      peerSilentMs: nowMs - this.#lastReceived,
      selfSilentMs: nowMs - this.#lastSent,
    };
  }
}
