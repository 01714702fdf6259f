// The attackers' AMQP client.

import type { Socket } from 'node:net';
import rhea from 'rhea';

export function openConnection(port: number): rhea.Connection {
  const options = { host: '127.0.0.1', port, username: 'any', password: 'any', reconnect: false } as const;
  return rhea.create_container().connect(options);
}

/** rhea's types leave the socket out. */
export function socketOf(connection: rhea.Connection): Socket {
  return (connection as unknown as { readonly socket: Socket }).socket;
}
