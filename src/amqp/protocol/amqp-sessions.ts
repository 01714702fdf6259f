// The AMQP sessions of a connection by channel. Remembers ended channels, because frames may still arrive on them (AMQP 2.5).

import type { AmqpPerformative, Begin, Close, Detach, End } from '../../codec/performatives.js';
import { AmqpSession, type SessionConnection } from './amqp-session.js';
import { ProtocolError } from './protocol-error.js';

export class AmqpSessions {
  readonly #connection: SessionConnection;
  readonly #byChannel = new Map<number, AmqpSession>();
  readonly #endedChannels = new Set<number>();
  /** Sessions with an outcome that is not yet written. */
  readonly #unflushed = new Set<AmqpSession>();

  constructor(connection: SessionConnection) {
    this.#connection = connection;
  }

  begin(channel: number, begin: Begin): void {
    if (this.#byChannel.has(channel)) {
      throw new ProtocolError('connection', 'amqp:not-allowed', `a second begin came on channel ${channel}`);
    }
    this.#endedChannels.delete(channel);
    this.#byChannel.set(channel, new AmqpSession(this.#connection, channel, begin));
  }

  /** Passes a frame to its session. Throws ProtocolError only if the connection must end. */
  receive(channel: number, performative: AmqpPerformative, payload: readonly Buffer[]): void {
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

  /** Tells the links that `ending` will end; earlier frames are still unhandled. */
  announceEnd(channel: number, ending: Detach | End | Close): void {
    if (ending.kind === 'close') for (const session of this.#byChannel.values()) session.announceEnd();
    else this.#byChannel.get(channel)?.announceEnd(ending.kind === 'detach' ? ending.handle : undefined);
  }

  /** Resumes deliveries that wait for room in the output. */
  offerRoom(): void {
    for (const session of this.#byChannel.values()) session.offerRoom();
  }

  markUnflushed(session: AmqpSession): void {
    this.#unflushed.add(session);
  }

  flushOutcomes(): void {
    for (const session of this.#unflushed) session.flushOutcome();
    this.#unflushed.clear();
  }

  /** Ends every session and link, because the connection has ended. */
  onGone(): void {
    const sessions = [...this.#byChannel.values()];
    this.#byChannel.clear();
    for (const session of sessions) session.onGone();
  }
}
