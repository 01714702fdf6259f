// Measures how long either side of a connection has been silent, which decides on heartbeats and idle closes. Reads no clock.

export class Heartbeat {
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

  /** The age of the connection, the shortest time that the peer can have been silent, and the longest that we can. */
  tick(nowMs: number): { ageMs: number; peerSilentMs: number; selfSilentMs: number } {
    this.#startedAt ??= nowMs;
    // Both err on the safe side: the peer spoke just now, we spoke right after the last tick.
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
