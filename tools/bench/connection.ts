// A plain AMQP connection to a broker: quicker than the SDK, so that the broker is what is measured.

import rhea, { type Connection, type EventContext, type ReceiverOptions } from 'rhea';
import { HOST } from './ports.js';

/** Nothing comes before credit is given; a delivery is settled when the broker has confirmed it (AMQP 2.7.3). */
export const PEEK_LOCK = {
  autoaccept: false,
  credit_window: 0,
  snd_settle_mode: 0,
  rcv_settle_mode: 1,
} as const satisfies ReceiverOptions;

/** `onLost` hears it when the broker ends the connection, or a link of it. */
export function openConnection(port: number, onLost: (error: Error) => void): Connection {
  // A container of its own: handlers of one connection never hear of another.
  const connection = rhea
    .create_container()
    .connect({ host: HOST, port, username: 'bench', reconnect: false });
  for (const event of ['connection_error', 'sender_error', 'receiver_error', 'rejected', 'disconnected']) {
    connection.on(event, (context: EventContext) => onLost(describeLoss(event, context)));
  }
  return connection;
}

export async function closeConnection(connection: Connection): Promise<void> {
  connection.removeAllListeners('disconnected');
  const closed = new Promise((resolve) => connection.once('connection_close', resolve));
  connection.close();
  await closed;
}

export function nextEvent(emitter: NodeJS.EventEmitter, event: string): Promise<EventContext> {
  return new Promise((resolve) => emitter.once(event, resolve));
}

function describeLoss(event: string, { connection, sender, receiver, delivery, error }: EventContext): Error {
  const cause =
    delivery?.remote_state?.error ?? sender?.error ?? receiver?.error ?? connection.error ?? error;
  const text = typeof cause === 'object' && 'description' in cause ? cause.description : cause;
  return new Error(`the broker does not play along (${event}): ${text ?? 'no reason given'}`);
}
