// The AMQP front end: takes byte streams from anywhere, keeps their connections, and holds them back when too much waits.

import type { Duplex } from 'node:stream';
import { type After, afterRealTime } from '../engine/after.js';
import type { Engine } from '../engine/engine.js';
import type { Authorizer } from '../security/authorizer.js';
import { ConnectionClaims } from './connection-claims.js';
import type { ErrorContext } from './error-condition.js';
import { Hints } from './hints.js';
import { hasTimeouts, type IdleTimeouts, NO_IDLE_TIMEOUTS } from './idle-timeouts.js';
import { IdleWatch } from './idle-watch.js';
import { Ingress } from './ingress.js';
import { LinkRouter } from './link-router.js';
import { Connection, type ConnectionListener } from './protocol/connection.js';
import type { Identity } from './protocol/sasl.js';
import type { Link } from './protocol/session.js';
import { TransactionIds } from './transaction-id.js';
import { Transport, type TransportOwner } from './transport.js';

/** JMS clients schedule by `x-opt-delivery-time` where it is offered, and refuse to elsewhere (SCH-01). */
const CAPABILITIES: readonly string[] = ['DELAYED_DELIVERY'];

/** Calls `tick` every second or so with the real time, until what it gives back is called. */
export type Ticker = (tick: (nowMs: number) => void) => () => void;

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
  /** Default: none. */
  readonly idleTimeouts?: IdleTimeouts;
  /** Default: the machine's time. */
  readonly ticker?: Ticker;
  /** Ends waits for a session, and links whose token ends. Default: the machine's time. */
  readonly after?: After;
  /** Looks at keys and tokens. Default: none, and each will do. */
  readonly authorizer?: Authorizer;
  /** By which tokens expire, in milliseconds since 1970. Default: the machine's time. */
  readonly now?: () => number;
  /** Whether a transaction may receive from several entities (TXN-10). Default: no. */
  readonly spansEntities?: boolean;
};

const TICK_MS = 1000;
const EVERY_SECOND: Ticker = (tick) => {
  // Waiting for it alone keeps no process alive.
  const timer = setInterval(() => tick(performance.now()), TICK_MS).unref();
  return () => clearInterval(timer);
};

export class AmqpServer implements TransportOwner {
  readonly #engine: Engine;
  readonly #options: AmqpServerOptions;
  readonly #containerId: string;
  readonly #transactionIds: TransactionIds;
  readonly #transports = new Set<Transport>();
  readonly #ingress: Ingress;
  readonly #hints: Hints;
  readonly #idleTimeouts: IdleTimeouts;
  readonly #watches = new Map<Transport, IdleWatch>();
  #stopTicking: (() => void) | undefined;

  constructor(engine: Engine, options: AmqpServerOptions) {
    this.#engine = engine;
    this.#options = options;
    const guid = options.nextGuid();
    this.#containerId = `${options.product.toLowerCase()}-${guid.slice(0, 8)}`;
    this.#transactionIds = new TransactionIds(guid);
    this.#hints = new Hints(options.onHint);
    this.#idleTimeouts = options.idleTimeouts ?? NO_IDLE_TIMEOUTS;
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
    const watch = this.#watchFor(context);
    const { after = afterRealTime, now = Date.now, ticker = EVERY_SECOND, authorizer } = this.#options;
    const claims = authorizer?.mode === 'strict' ? new ConnectionClaims({ context, now, after }) : undefined;
    const faulted = (cause: unknown) => transport.connection.fault(cause);
    const { spansEntities = false } = this.#options;
    const transactionIds = this.#transactionIds;
    const options = { after, watch, authorizer, claims, now, faulted, transactionIds, spansEntities };
    const router = new LinkRouter(this.#engine, context, options);
    const listener: ConnectionListener = {
      outputReady: () => transport.outputReady(),
      misaddressed: (firstBytes) => this.#hints.misaddressed(firstBytes),
      accepts: (identity) => {
        if (!isKnown(identity, authorizer, claims)) return false;
        if (isTelling(identity)) watch?.authorized();
        return true;
      },
      opened: (open) => {
        host = open.hostname ?? host;
      },
      attached: (link: Link) => router.route(link),
      ended: (_error, fault) => {
        if (fault !== undefined) this.#options.onFault(fault);
        claims?.stop();
        transport.end();
      },
    };
    const transport = new Transport(
      new Connection(listener, {
        containerId: this.#containerId,
        capabilities: CAPABILITIES,
        ...this.#options,
      }),
      duplex,
      { owner: this, nudges: this.#options.nudges },
    );
    this.#transports.add(transport);
    if (watch !== undefined) this.#watches.set(transport, watch);
    this.#ingress.opened(transport);
    this.#stopTicking ??= ticker((nowMs) => this.#tick(nowMs));
  }

  /** Closes every connection with a reason. */
  close(error: { condition: string; description: string } | undefined): void {
    this.#rest();
    for (const { connection } of this.#transports) connection.close(error);
  }

  received(transport: Transport): void {
    this.#ingress.received(transport);
  }

  closed(transport: Transport): void {
    this.#transports.delete(transport);
    this.#watches.delete(transport);
    this.#ingress.closed(transport);
    if (this.#transports.size === 0) this.#rest();
  }

  #rest(): void {
    this.#stopTicking?.();
    this.#stopTicking = undefined;
  }

  #tick(nowMs: number): void {
    for (const { connection } of this.#transports) connection.tick(nowMs);
    for (const [{ connection }, watch] of this.#watches) watch.tick(connection, nowMs);
    this.#ingress.tick(nowMs);
  }

  #watchFor(context: ErrorContext): IdleWatch | undefined {
    const timeouts = this.#idleTimeouts;
    return hasTimeouts(timeouts)
      ? new IdleWatch({ timeouts, containerId: this.#containerId, context })
      : undefined;
  }
}

/** Whoever names a policy must have its key; all others have to put a token to `$cbs`. */
function isKnown(
  identity: Identity,
  authorizer: Authorizer | undefined,
  claims: ConnectionClaims | undefined,
): boolean {
  if (identity.mechanism !== 'PLAIN' || authorizer === undefined) return true;
  const judged = authorizer.checkKey(identity.name, identity.password);
  if (judged.kind === 'refusal') return false;
  claims?.authenticated(judged);
  return true;
}

/** A client that comes anonymously says who it is with a token. */
function isTelling({ mechanism }: Identity): boolean {
  return mechanism === 'PLAIN' || mechanism === 'EXTERNAL';
}
