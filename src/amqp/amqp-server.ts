// The AMQP front end: takes byte streams from anywhere, keeps their connections, and holds them back when too much waits.

import type { Duplex } from 'node:stream';
import type { Engine } from '../engine/engine.js';
import type { ErrorContext } from './error-condition.js';
import { Hints } from './hints.js';
import { Ingress } from './ingress.js';
import { LinkRouter } from './link-router.js';
import { Connection, type ConnectionListener } from './protocol/connection.js';
import type { Link } from './protocol/session.js';
import { Transport, type TransportOwner } from './transport.js';

export type AmqpServerOptions = {
  readonly product: string;
  readonly version: string;
  readonly nextGuid: () => string;
  /** Whether inputs that need no answer are answered with an empty frame, for the sake of TCP's acknowledgements. */
  readonly nudges: boolean;
  /** Told, once each, what a client did that cannot work, and how it could. */
  readonly onHint: (hint: string) => void;
  /** Told of faults of our own, with their stack. */
  readonly onFault: (fault: unknown) => void;
};

const TICK_MS = 1000;

export class AmqpServer implements TransportOwner {
  readonly #engine: Engine;
  readonly #options: AmqpServerOptions;
  readonly #containerId: string;
  readonly #transports = new Set<Transport>();
  readonly #ingress: Ingress;
  readonly #hints: Hints;
  #ticker: NodeJS.Timeout | undefined;

  constructor(engine: Engine, options: AmqpServerOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#containerId = `${options.product.toLowerCase()}-${options.nextGuid().slice(0, 8)}`;
    this.#hints = new Hints(options.onHint);
    this.#ingress = new Ingress(engine, this.#transports);
    engine.onDurable(() => this.#ingress.balance());
  }

  /** Speaks AMQP on a byte stream until either side ends it. */
  serve(duplex: Duplex): void {
    let host = 'localhost';
    const context: ErrorContext = {
      get host() {
        return host;
      },
      nextGuid: this.#options.nextGuid,
    };
    const router = new LinkRouter(this.#engine, context);
    const listener: ConnectionListener = {
      outputReady: () => transport.outputReady(),
      misaddressed: (firstBytes) => this.#hints.misaddressed(firstBytes),
      accepts: () => true,
      opened: (open) => {
        host = open.hostname ?? host;
      },
      attached: (link: Link) => router.route(link),
      ended: (_error, fault) => {
        if (fault !== undefined) this.#options.onFault(fault);
        transport.end();
      },
    };
    const transport = new Transport(
      new Connection(listener, { containerId: this.#containerId, ...this.#options }),
      duplex,
      { owner: this, nudges: this.#options.nudges },
    );
    this.#transports.add(transport);
    this.#ingress.opened(transport);
    this.#ticker ??= setInterval(() => this.#tick(), TICK_MS).unref();
  }

  /** Closes every connection with a reason. */
  close(error: { condition: string; description: string } | undefined): void {
    clearInterval(this.#ticker);
    this.#ticker = undefined;
    for (const { connection } of this.#transports) connection.close(error);
  }

  received(transport: Transport): void {
    this.#ingress.received(transport);
  }

  closed(transport: Transport): void {
    this.#transports.delete(transport);
    this.#ingress.closed(transport);
    if (this.#transports.size > 0) return;
    clearInterval(this.#ticker);
    this.#ticker = undefined;
  }

  #tick(): void {
    const now = performance.now();
    for (const { connection } of this.#transports) connection.tick(now);
    this.#ingress.tick(now);
  }
}
