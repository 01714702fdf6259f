// The real rhea client on one end of a memory pipe; events become promises.

import type { Duplex } from 'node:stream';
import rhea, { type Connection, type ConnectionOptions, type EventContext } from 'rhea';

/** Opens a rhea connection over a stream that is already connected. */
export function rheaConnect(stream: Duplex, options: Record<string, unknown> = {}): Connection {
  const container = rhea.create_container();
  // What a test does not listen for is not worth a line on the console.
  for (const event of ['disconnected', 'connection_error', 'error']) container.on(event, () => {});
  return container.connect({
    connection_details: () => ({
      connect: (_port: number, _host: string, _options: unknown, connected: () => void) => {
        setImmediate(connected);
        return stream;
      },
      host: 'test.servicebus.windows.net',
      port: 5672,
      options: {},
    }),
    username: 'anonymous',
    reconnect: false,
    ...options,
  } as unknown as ConnectionOptions);
}

/** The next time `emitter` says `event`. */
export function next(emitter: NodeJS.EventEmitter, event: string): Promise<EventContext> {
  return new Promise((resolve) => emitter.once(event, resolve));
}

/** Lets everything that is under way in this process happen, without a clock: so many turns of the event loop. */
export async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits until `condition` holds; gives up loudly after a bounded number of turns of the event loop. */
export async function until(condition: () => boolean, what: string, maxTurns = 200_000): Promise<void> {
  for (let turn = 0; !condition(); turn++) {
    if (turn >= maxTurns) throw new Error(`waited ${maxTurns} turns in vain until ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
