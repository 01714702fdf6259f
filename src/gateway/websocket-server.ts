// AMQP over WebSockets: accepts upgrade requests at the SDKs' path and turns each WebSocket into a byte stream. Loads ws at first use.

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { RawData, WebSocket, WebSocketServer } from 'ws';
import { refuseSocket } from './http-server.js';
import type { OriginCheck } from './origin-check.js';
import type { HttpRefusal } from './request-target.js';

/** The path of the SDKs. .NET's client adds a final slash. */
const PATH = /^\/\$servicebus\/websocket\/?$/i;
/** AMQP's WebSocket binding defines `amqp`; Azure's clients send `AMQPWSB10`. */
const SUBPROTOCOLS: readonly string[] = ['AMQPWSB10', 'amqp'];
/** The largest WebSocket frame, which may hold several AMQP frames. A larger one closes the connection with 1009. */
const MAX_FRAME_BYTES = 4 * 1024 * 1024;
type Done = (error?: Error | null) => void;

const NORMAL = 1000;
const NOT_UNDERSTOOD = 1003;

type Frames = Pick<WebSocket, 'on' | 'send' | 'pause' | 'resume' | 'close' | 'terminate'>;

export class AmqpWebSocketServer {
  readonly #amqp: (stream: Duplex, socket: Socket) => void;
  readonly #originCheck: OriginCheck;
  #loading: Promise<WebSocketServer> | undefined;

  constructor(amqp: (stream: Duplex, socket: Socket) => void, originCheck: OriginCheck) {
    this.#amqp = amqp;
    this.#originCheck = originCheck;
  }

  /** `head` holds the bytes that followed the request. The caller must listen for errors of the socket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refusal = this.#refusal(request);
    if (refusal !== undefined) {
      refuseSocket(socket, refusal);
      return;
    }
    this.#loading ??= loadServer();
    this.#loading.then(
      (server) => {
        if (!socket.destroyed) {
          server.handleUpgrade(request, socket, head, (frames) =>
            this.#amqp(new WebSocketDuplex(frames), request.socket),
          );
        }
      },
      () => refuseSocket(socket, { status: 500, text: 'The package ws cannot be loaded.' }),
    );
  }

  #refusal(request: IncomingMessage): HttpRefusal | undefined {
    const originRefusal = this.#originCheck.refusal(request);
    if (originRefusal !== undefined) return { status: 403, text: originRefusal };
    const path = request.url?.split('?', 1)[0] ?? '';
    if (!PATH.test(path)) {
      return {
        status: 404,
        text: `There is no WebSocket at '${path.slice(0, 200)}': connect to /$servicebus/websocket`,
      };
    }
    const requested = subprotocolsOf(request);
    if (requested.length > 0 && chooseSubprotocol(requested) === undefined) {
      return {
        status: 400,
        text: `None of the subprotocols '${requested.join(', ').slice(0, 200)}' is supported: ask for AMQPWSB10 or amqp`,
      };
    }
    return undefined;
  }
}

async function loadServer(): Promise<WebSocketServer> {
  const { WebSocketServer } = await import('ws');
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Applications compress their messages if they need to. Compressing again would only cost time and memory.
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    handleProtocols: (requested) => chooseSubprotocol([...requested]) ?? false,
  });
}

function subprotocolsOf({ headers }: IncomingMessage): readonly string[] {
  const text = headers['sec-websocket-protocol'] ?? '';
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** The first supported subprotocol in the client's order. */
function chooseSubprotocol(requested: readonly string[]): string | undefined {
  return requested.find((name) => SUBPROTOCOLS.includes(name));
}

/** A WebSocket as a byte stream: each write is one binary frame, and reading stops with its reader. */
class WebSocketDuplex extends Duplex {
  readonly #frames: Frames;

  constructor(frames: Frames) {
    super();
    this.#frames = frames;
    frames.on('message', (data, isBinary) => this.#received(data, isBinary));
    // ws reports the error to the peer and closes; 'close' is handled below.
    frames.on('error', () => {});
    frames.on('close', () => this.#closed());
  }

  override _read(): void {
    this.#frames.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#frames.send(chunk, { binary: true }, done);
  }

  /** Sends everything written since the last frame as one: several AMQP frames, or a whole message. */
  override _writev(chunks: { readonly chunk: Buffer }[], done: Done): void {
    const [first] = chunks;
    const all = chunks.length === 1 && first ? first.chunk : Buffer.concat(chunks.map(({ chunk }) => chunk));
    this.#frames.send(all, { binary: true }, done);
  }

  override _final(done: Done): void {
    this.#frames.close(NORMAL);
    done();
  }

  override _destroy(error: Error | null, done: Done): void {
    // Has no effect on a closed WebSocket.
    this.#frames.terminate();
    done(error);
  }

  #received(data: RawData, isBinary: boolean): void {
    if (!isBinary) {
      this.#frames.close(NOT_UNDERSTOOD, 'AMQP comes in binary frames');
      return;
    }
    // ws delivers a Buffer by default.
    if (Buffer.isBuffer(data) && !this.push(data)) this.#frames.pause();
  }

  #closed(): void {
    if (!this.readableEnded && !this.destroyed) this.push(null);
    // Ends the writing side; received data can still be read.
    if (!this.writableEnded) this.end();
  }
}
