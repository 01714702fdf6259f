// Listens on one port at every address of a host; `localhost` means both loopback addresses.

import { isIPv6, type Server, type Socket } from 'node:net';
import { isOfKind } from '../jitney-error.js';
import { translateListenError } from './port-error.js';

/** So many clients may connect between two turns. Node's 511 are too few: the kernel resets further ones, which believe that they are connected. */
const BACKLOG = 4096;

export type Address = { readonly host: string; readonly port: number };

type Listening<S extends Server> = { readonly servers: readonly S[]; readonly port: number };

const ATTEMPTS = 10;

/** V8 compiles a pattern to machine code at once if the first text has so many characters. */
const LONG_TEXT_LENGTH = 1000;

/** Port 0 picks a port that is free on all addresses. Throws a JitneyError. */
export async function listen<S extends Server>(address: Address, makeServer: () => S): Promise<Listening<S>> {
  // A client may resolve localhost to either address; without IPv6, 127.0.0.1 is enough.
  if (address.host.toLowerCase() !== 'localhost') {
    const server = await listenOn(address, makeServer());
    return { servers: [server], port: portOf(server) };
  }
  for (let attempt = 1; ; attempt++) {
    const first = makeServer();
    const lobby = new Lobby(first);
    await listenOn({ host: '127.0.0.1', port: address.port }, first);
    compileIPv6Pattern();
    try {
      const second = await listenIfAvailable({ host: '::1', port: portOf(first) }, makeServer());
      lobby.letIn();
      return { servers: second === undefined ? [first] : [first, second], port: portOf(first) };
    } catch (error) {
      await lobby.closeDown();
      const isCollision = address.port === 0 && isOfKind(error, 'in-use');
      if (!isCollision || attempt === ATTEMPTS) throw error;
    }
  }
}

/**
 * Node matches each address with its pattern of IPv6. V8 compiles a pattern to bytecode first, and to machine code when it is used again:
 * both together take 3 ms longer for this one.
 */
function compileIPv6Pattern(): void {
  isIPv6(' '.repeat(LONG_TEXT_LENGTH));
}

/** Holds the clients of the first server until the second server also listens. */
class Lobby {
  readonly #server: Server;
  readonly #serve: readonly ((socket: Socket) => void)[];
  readonly #waiting = new Set<Socket>();

  constructor(server: Server) {
    this.#server = server;
    this.#serve = server.listeners('connection') as ((socket: Socket) => void)[];
    server.removeAllListeners('connection');
    server.on('connection', this.#wait);
  }

  letIn(): void {
    this.#server.off('connection', this.#wait);
    for (const serve of this.#serve) this.#server.on('connection', serve);
    for (const socket of this.#waiting) this.#server.emit('connection', socket);
  }

  /** Resolves when the address is free again. */
  async closeDown(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#waiting) socket.destroy();
    await closed;
  }

  readonly #wait = (socket: Socket): void => {
    this.#waiting.add(socket);
    // Without a listener, a client that disconnects would end the process.
    socket.on('error', () => {});
    socket.once('close', () => this.#waiting.delete(socket));
  };
}

async function listenIfAvailable<S extends Server>(address: Address, server: S): Promise<S | undefined> {
  try {
    return await listenOn(address, server);
  } catch (error) {
    if (isOfKind(error, 'bad-address')) return undefined;
    throw error;
  }
}

function listenOn<S extends Server>({ host, port }: Address, server: S): Promise<S> {
  return new Promise((resolve, reject) => {
    const refuse = (error: Error) => reject(translateListenError(error, host, port));
    server.once('error', refuse);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off('error', refuse);
      // A client that cannot be accepted (too many open files) must not end the process.
      server.on('error', () => {});
      resolve(server);
    });
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('A TCP server has an address and a port');
  return address.port;
}
