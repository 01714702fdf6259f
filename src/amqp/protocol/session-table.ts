// The sessions of a connection by channel, and the channels that are still spoken on though their session has ended (AMQP 2.5).

import type { AmqpPerformative, Begin, Close, Detach, End } from '../../codec/performatives.js';
import type { Connection } from './connection.js';
import { ProtocolError } from './protocol-error.js';
import { Session } from './session.js';

export class SessionTable {
  readonly #connection: Connection;
  readonly #byChannel = new Map<number, Session>();
  readonly #endedChannels = new Set<number>();
  /** Sessions that gather outcomes which are not yet written. */
  readonly #unflushed = new Set<Session>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  begin(channel: number, begin: Begin): void {
    if (this.#byChannel.has(channel)) {
      throw new ProtocolError('connection', 'amqp:not-allowed', `a second begin came on channel ${channel}`);
    }
    this.#endedChannels.delete(channel);
    this.#byChannel.set(channel, new Session(this.#connection, channel, begin));
  }

  /** Throws ProtocolError when it is more than the session that cannot go on. */
  receive(channel: number, performative: AmqpPerformative, payload: Buffer): void {
    const session = this.#byChannel.get(channel);
    if (session === undefined) {
      // pyamqp detaches links of a session it has ended.
      if (this.#endedChannels.has(channel)) return;
      throw new ProtocolError(
        'connection',
        'amqp:not-allowed',
        `${performative.kind} came on channel ${channel}, which has no session`,
      );
    }
    if (performative.kind === 'end') {
      this.#byChannel.delete(channel);
      this.#endedChannels.add(channel);
      session.onPeerEnd();
      return;
    }
    try {
      session.receive(performative, payload);
    } catch (error) {
      if (!(error instanceof ProtocolError) || error.scope === 'connection') throw error;
      session.fail(error, performative);
    }
  }

  /** Links are about to go with this frame, behind others that are still to be received. */
  leaving(channel: number, ending: Detach | End | Close): void {
    if (ending.kind === 'close') for (const session of this.#byChannel.values()) session.leaving();
    else this.#byChannel.get(channel)?.leaving(ending.kind === 'detach' ? ending.handle : undefined);
  }

  offerRoom(): void {
    for (const session of this.#byChannel.values()) session.offerRoom();
  }

  needsOutcomeFlush(session: Session): void {
    this.#unflushed.add(session);
  }

  flushOutcomes(): void {
    for (const session of this.#unflushed) session.flushOutcome();
    this.#unflushed.clear();
  }

  /** The connection is gone; every link hears of it. */
  onGone(): void {
    const sessions = [...this.#byChannel.values()];
    this.#byChannel.clear();
    for (const session of sessions) session.onGone();
  }
}
