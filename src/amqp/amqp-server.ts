// The AMQP front end: takes byte streams from anywhere, keeps their connections, and holds them back when too much waits.

import type { Duplex } from 'node:stream';
import type { Engine } from '../engine/engine.js';
import type { ErrorContext } from './error-condition.js';
import { LinkRouter } from './link-router.js';
import { Connection, type ConnectionListener } from './protocol/connection.js';
import type { Link } from './protocol/session.js';
import { Transport, type TransportOwner } from './transport.js';

export type AmqpServerOptions = {
  readonly product: string;
  readonly version: string;
  readonly nextGuid: () => string;
  /** Told of faults of our own, with their stack. */
  readonly onFault: (fault: unknown) => void;
};

/** Bytes not yet durable or half received, over all connections, beyond which sockets are not read. */
const INGRESS_LIMIT_BYTES = 64 * 1024 * 1024;
const TICK_MS = 1000;

export class AmqpServer implements TransportOwner {
  readonly #engine: Engine;
  readonly #options: AmqpServerOptions;
  readonly #containerId: string;
  readonly #transports = new Set<Transport>();
  /** Connections with half a message, the longest-waiting first. */
  readonly #partialBytes = new Map<Transport, number>();
  #partialSum = 0;
  #ticker: NodeJS.Timeout | undefined;
  #isHoldingBack = false;

  constructor(engine: Engine, options: AmqpServerOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#containerId = `${options.product.toLowerCase()}-${options.nextGuid().slice(0, 8)}`;
    engine.onDurable(() => this.#balance());
  }

  get connectionCount(): number {
    return this.#transports.size;
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
      this,
    );
    this.#transports.add(transport);
    if (this.#isHoldingBack) transport.pause();
    this.#ticker ??= setInterval(() => this.#tick(), TICK_MS).unref();
  }

  /** Closes every connection with a reason. */
  close(error: { condition: string; description: string } | undefined): void {
    clearInterval(this.#ticker);
    this.#ticker = undefined;
    for (const { connection } of this.#transports) connection.close(error);
  }

  received(transport: Transport): void {
    this.#countPartial(transport, transport.connection.partialBytes);
    this.#balance();
  }

  closed(transport: Transport): void {
    this.#transports.delete(transport);
    this.#countPartial(transport, 0);
    if (this.#transports.size === 0) {
      clearInterval(this.#ticker);
      this.#ticker = undefined;
    }
    this.#balance();
  }

  #tick(): void {
    const now = performance.now();
    for (const { connection } of this.#transports) connection.tick(now);
  }

  #countPartial(transport: Transport, partialBytes: number): void {
    const counted = this.#partialBytes.get(transport) ?? 0;
    if (counted === partialBytes) return;
    this.#partialSum += partialBytes - counted;
    if (partialBytes > 0) this.#partialBytes.set(transport, partialBytes);
    else this.#partialBytes.delete(transport);
  }

  #balance(): void {
    const pendingBytes = this.#engine.pendingBytes;
    const isOver = pendingBytes + this.#partialSum > INGRESS_LIMIT_BYTES;
    if (isOver !== this.#isHoldingBack) {
      this.#isHoldingBack = isOver;
      for (const transport of this.#transports) {
        if (isOver) transport.pause();
        else transport.resume();
      }
    }
    if (!isOver || pendingBytes > 0) return;
    // All that waits is halves of messages: only its other half helps one of them.
    const [oldest] = this.#partialBytes.keys();
    oldest?.resume();
  }
}
