// The log of a store that requires sessions: keeps the sessions in step with the messages that come, go and become available.

import { assert } from '../assert.js';
import type { Instant } from '../instant.js';
import type { MessageSessions } from './message-sessions.js';
import type { Log } from './partitioned-log.js';
import type { StoredMessage } from './stored-message.js';

export class SessionedLog implements Log {
  readonly #log: Log;
  readonly #sessions: MessageSessions;

  constructor(log: Log, sessions: MessageSessions) {
    this.#log = log;
    this.#sessions = sessions;
  }

  get count(): number {
    return this.#log.count;
  }

  get hasAvailable(): boolean {
    return this.#log.hasAvailable;
  }

  get nextExpiry(): Instant {
    return this.#log.nextExpiry;
  }

  add(message: StoredMessage): void {
    this.#log.add(message);
    this.#sessions.add(message);
  }

  find(sequenceNumber: number): StoredMessage | undefined {
    return this.#log.find(sequenceNumber);
  }

  /** Nobody is given a message without its session (SES-04). */
  takeFirst(): StoredMessage | undefined {
    assert(false, 'a message was taken from a store of sessions without its session');
    return undefined;
  }

  firstAvailableFrom(sequenceNumber: number): StoredMessage | undefined {
    return this.#log.firstAvailableFrom(sequenceNumber);
  }

  /** From any session: messages are forwarded in the order of their numbers (SES-19). */
  takeFirstToMove(now: Instant): StoredMessage | undefined {
    const message = this.#log.takeFirstToMove(now);
    if (message !== undefined) this.#sessions.withdrawn(message);
    return message;
  }

  withdraw(message: StoredMessage): void {
    this.#log.withdraw(message);
    this.#sessions.withdrawn(message);
  }

  giveBack(message: StoredMessage): void {
    this.#log.giveBack(message);
    this.#sessions.madeAvailable(message);
  }

  remove(message: StoredMessage): void {
    this.#log.remove(message);
    this.#sessions.remove(message);
  }

  takeExpired(now: Instant, maxChunks: number): readonly StoredMessage[] {
    const taken = this.#log.takeExpired(now, maxChunks);
    for (const message of taken) this.#sessions.withdrawn(message);
    return taken;
  }

  from(sequenceNumber: number): Generator<StoredMessage> {
    return this.#log.from(sequenceNumber);
  }
}
