// AMQP over WebSockets: answers the request that asks for one, at the path that the SDKs use. The package ws is loaded with the first.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocketServer } from 'ws';
import { type Refusal, refuseUpgrade } from './refuse-upgrade.js';
import type { VisitorCheck } from './visitor-check.js';
import { WebSocketDuplex } from './websocket-duplex.js';

/** .NET's client asks for it with a slash at its end. */
const PATH = /^\/\$servicebus\/websocket\/?$/i;
/** AMQP's own WebSocket binding says `amqp`, Azure's clients the other. */
const SUBPROTOCOLS: readonly string[] = ['AMQPWSB10', 'amqp'];
/** Several frames of AMQP may come in one of WebSocket; the client is told 1009 about more. */
const MAX_FRAME_BYTES = 4 * 1024 * 1024;

export class WebSocketDoor {
  readonly #amqp: (stream: Duplex) => void;
  readonly #visitors: VisitorCheck;
  #loading: Promise<WebSocketServer> | undefined;

  constructor(amqp: (stream: Duplex) => void, visitors: VisitorCheck) {
    this.#amqp = amqp;
    this.#visitors = visitors;
  }

  /** `head` is what came behind the request. Whoever calls listens for errors of the socket. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refusal = this.#refusal(request);
    if (refusal !== undefined) {
      refuseUpgrade(socket, refusal);
      return;
    }
    this.#loading ??= loadServer();
    this.#loading.then(
      (server) => {
        if (!socket.destroyed) {
          server.handleUpgrade(request, socket, head, (frames) => this.#amqp(new WebSocketDuplex(frames)));
        }
      },
      () => refuseUpgrade(socket, { status: 500, text: 'The package ws cannot be loaded.' }),
    );
  }

  #refusal(request: IncomingMessage): Refusal | undefined {
    const stranger = this.#visitors.refusal(request);
    if (stranger !== undefined) return { status: 403, text: stranger };
    const path = request.url?.split('?', 1)[0] ?? '';
    if (!PATH.test(path)) {
      return {
        status: 404,
        text: `There is no WebSocket at '${path.slice(0, 200)}': AMQP is spoken at /$servicebus/websocket`,
      };
    }
    const asked = subprotocolsOf(request);
    if (asked.length > 0 && chosen(asked) === undefined) {
      return {
        status: 400,
        text: `None of the subprotocols '${asked.join(', ').slice(0, 200)}' is known here: ask for AMQPWSB10 or amqp`,
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
    // Messages are compressed by who wants it; here it would only cost time and memory.
    perMessageDeflate: false,
    maxPayload: MAX_FRAME_BYTES,
    handleProtocols: (asked) => chosen([...asked]) ?? false,
  });
}

function subprotocolsOf({ headers }: IncomingMessage): readonly string[] {
  const text = headers['sec-websocket-protocol'] ?? '';
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** The first that the client asks for and we know. */
function chosen(asked: readonly string[]): string | undefined {
  return asked.find((name) => SUBPROTOCOLS.includes(name));
}
