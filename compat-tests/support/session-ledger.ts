// The clients' own account of a crowd on sessions: who holds what, what came, what was completed; and the promises that were broken.

/** A session in the hands of one receiver, as its client knows it. */
export type Hold = {
  readonly sessionId: string;
  /** Received in this hold and not settled. */
  readonly locked: Set<number>;
  /** By the broker's clock, which on one machine is the client's. */
  lockedUntil: number;
  isOver: boolean;
};

type Message = {
  /** While it is `asked` it may come again or not: a lock may have ended before the broker read the question. */
  completion: 'none' | 'asked' | 'confirmed';
  /** Deliveries that count for certain: abandoned, or held when a lock ended. */
  countedDeliveries: number;
};

type Session = {
  /** In the order in which they are sent. */
  readonly messages: Message[];
  hold: Hold | undefined;
  openCount: number;
  /** Locks that have, or may have, ended by themselves: each may have counted deliveries that no client has seen. */
  lostLocks: number;
};

/** A client that closes so shortly before its lock ends may come too late. */
const TOO_LATE_MS = 1000;

export class SessionLedger {
  /** Promises that the broker has broken. */
  readonly problems: string[] = [];
  readonly #sessions = new Map<string, Session>();
  readonly #unfinished = new Set<string>();
  #sentCount = 0;
  #completedCount = 0;

  get sentCount(): number {
    return this.#sentCount;
  }

  get completedCount(): number {
    return this.#completedCount;
  }

  /** The sessions of which something is not completed. */
  get unfinished(): readonly string[] {
    return [...this.#unfinished];
  }

  /** How many messages of the session are not completed. */
  openCount(sessionId: string): number {
    return this.#session(sessionId).openCount;
  }

  /** The next message of the session is on its way. */
  sending(sessionId: string): void {
    const session = this.#sessions.get(sessionId) ?? {
      messages: [],
      hold: undefined,
      openCount: 0,
      lostLocks: 0,
    };
    session.messages.push({ completion: 'none', countedDeliveries: 0 });
    session.openCount++;
    this.#sessions.set(sessionId, session);
    this.#unfinished.add(sessionId);
    this.#sentCount++;
  }

  /** A client has heard that it holds the session. */
  accepted(sessionId: string, times: { readonly now: number; readonly lockedUntil: number }): Hold {
    const session = this.#session(sessionId);
    const { now, lockedUntil } = times;
    if (session.hold !== undefined && now < session.hold.lockedUntil) {
      this.problems.push(`${sessionId} was given to a second receiver while it was held`); // SES-04
    }
    // Its former holder has not noticed yet, and this one may be given what that one was.
    if (session.hold !== undefined) this.#endByItself(session.hold);
    session.hold = { sessionId, locked: new Set(), lockedUntil, isOver: false };
    return session.hold;
  }

  renewed(hold: Hold, lockedUntil: number): void {
    hold.lockedUntil = lockedUntil;
  }

  /** SES-05: what is left comes in order, however often and to whomever it came before. */
  received(hold: Hold, index: number, deliveryCount: number): void {
    if (hold.isOver) return; // read only after its lock had ended, and another may be at work on it
    const { sessionId } = hold;
    const session = this.#session(sessionId);
    const message = session.messages[index];
    if (message === undefined) {
      this.problems.push(`${sessionId}/${index} came and was never sent`);
      return;
    }
    if (message.completion === 'confirmed') {
      this.problems.push(`${sessionId}/${index} came after it was completed`);
    }
    message.completion = 'none';
    const next = session.messages.findIndex((one, at) => one.completion === 'none' && !hold.locked.has(at));
    if (index !== next) this.problems.push(`${sessionId}/${index} came when ${next} was next`);
    this.#checkCount(`${sessionId}/${index}`, deliveryCount, {
      from: message.countedDeliveries,
      to: message.countedDeliveries + session.lostLocks,
    });
    hold.locked.add(index);
  }

  completing(hold: Hold, index: number): void {
    this.#message(hold, index).completion = 'asked';
  }

  /** The broker has said that it is completed. */
  completed(hold: Hold, index: number, askedAt: number): void {
    const session = this.#session(hold.sessionId);
    const message = this.#message(hold, index);
    this.#checkHolder(hold, index, askedAt);
    if (message.completion === 'confirmed') {
      this.problems.push(`${hold.sessionId}/${index} was completed twice`);
      return;
    }
    // The answer to a former holder may arrive after those to the next one.
    if (
      !hold.isOver &&
      session.messages.slice(index + 1).some(({ completion }) => completion === 'confirmed')
    ) {
      this.problems.push(`${hold.sessionId}/${index} was completed after a later one`);
    }
    message.completion = 'confirmed';
    hold.locked.delete(index);
    this.#completedCount++;
    if (--session.openCount === 0) this.#unfinished.delete(hold.sessionId);
  }

  abandoned(hold: Hold, index: number, askedAt: number): void {
    this.#checkHolder(hold, index, askedAt);
    // Otherwise it was counted when another was given the session.
    if (!hold.isOver) this.#message(hold, index).countedDeliveries++;
    hold.locked.delete(index);
  }

  /** The client is about to close its receiver: what it leaves is not counted (SES-14). */
  closing(hold: Hold, now: number): void {
    if (now > hold.lockedUntil - TOO_LATE_MS) this.#session(hold.sessionId).lostLocks++;
    this.#end(hold);
  }

  /** The client has heard that its lock has ended; what it held is counted (SES-13). */
  lost(hold: Hold, now: number): void {
    if (now < hold.lockedUntil) this.problems.push(`${hold.sessionId} was lost before its lock ended`);
    if (hold.isOver) return;
    for (const index of hold.locked) this.#message(hold, index).completion = 'none';
    this.#endByItself(hold);
  }

  /** Nothing more will be received. */
  finish(): void {
    for (const sessionId of this.#unfinished) {
      for (const [index, { completion }] of this.#session(sessionId).messages.entries()) {
        if (completion === 'confirmed') continue;
        this.problems.push(`${sessionId}/${index} is lost: sent and never completed`);
      }
    }
  }

  #checkCount(
    name: string,
    count: number,
    { from, to }: { readonly from: number; readonly to: number },
  ): void {
    if (count >= from && count <= to) return;
    const expected = from === to ? from : `${from} to ${to}`;
    this.problems.push(`${name} came with delivery count ${count} instead of ${expected}`);
  }

  /** SES-12 */
  #checkHolder(hold: Hold, index: number, askedAt: number): void {
    if (askedAt < hold.lockedUntil) return;
    this.problems.push(`${hold.sessionId}/${index} was settled by one who no longer held it`);
  }

  #endByItself(hold: Hold): void {
    for (const index of hold.locked) this.#message(hold, index).countedDeliveries++;
    this.#session(hold.sessionId).lostLocks++;
    this.#end(hold);
  }

  #end(hold: Hold): void {
    hold.isOver = true;
    const session = this.#session(hold.sessionId);
    if (session.hold === hold) session.hold = undefined;
  }

  #session(sessionId: string): Session {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw new Error(`the ledger does not know ${sessionId}`);
    return session;
  }

  #message({ sessionId }: Hold, index: number): Message {
    const message = this.#session(sessionId).messages[index];
    if (message === undefined) throw new Error(`the ledger does not know ${sessionId}/${index}`);
    return message;
  }
}
