// The AMQP front end: serves byte streams as connections, and stops reading from a connection while too much of it is not yet durable.

import type { Duplex } from 'node:stream';
import type { AutoCreate } from '../auto-create.js';
import { ByteBudget, STUCK_TEXT } from '../budget/byte-budget.js';
import type { AmqpError } from '../codec/performatives.js';
import type { Engine } from '../engine/engine.js';
import { type StartTimer, startRealTimer } from '../engine/timer.js';
import type { Authorizer } from '../security/authorizer.js';
import type { Faults } from '../steer/faults.js';
import type { ActivityStream } from '../watch/activity-stream.js';
import type { ClientTransport } from '../watch/client-activity.js';
import { ConnectionActivity, type Remote } from './connection-activity.js';
import { ConnectionClaims } from './connection-claims.js';
import { type Credentials, isIdentified, isKnown } from './credentials.js';
import { conditionOf, describe, type ErrorContext } from './error-condition.js';
import { ConnectionFaults } from './faults/connection-faults.js';
import { type FrameSink, FrameTrace } from './frame-trace.js';
import { Hints } from './hints.js';
import { hasTimeouts, type IdleTimeouts, IdleWatch, NO_IDLE_TIMEOUTS } from './idle-watch.js';
import { LinkRouter } from './link-router.js';
import { TransactionIds } from './links/transactions.js';
import { OpenConnections } from './open-connections.js';
import { Connection, type ConnectionListener } from './protocol/connection.js';
import type { Identity } from './protocol/handshake.js';
import type { Link } from './protocol/link-table.js';
import { Transport, type TransportOwner } from './transport.js';

/** JMS clients schedule with `x-opt-delivery-time` only if this is offered (SCH-01). */
const CAPABILITIES: readonly string[] = ['DELAYED_DELIVERY'];

/** Calls `tick` every second or so with the real time. Returns a function that stops it. */
export type Ticker = (tick: (nowMs: number) => void) => () => void;

type AmqpServerOptions = {
  readonly product: string;
  readonly version: string;
  readonly nextGuid: () => string;
  /** Whether an input that needs no answer is answered with an empty frame, which carries TCP's acknowledgement. */
  readonly nudges: boolean;
  /** Called once for each kind of client mistake, with the remedy. */
  readonly onHint: (hint: string) => void;
  /** Called with each internal fault, an error with a stack. */
  readonly onFault: (fault: unknown) => void;
  /** Default: none. */
  readonly idleTimeouts?: IdleTimeouts;
  /** Called with each frame that is received or sent. Default: no frame is decoded for it. */
  readonly onFrame?: FrameSink | undefined;
  /** Default: the machine's time. */
  readonly ticker?: Ticker;
  /** Timer for the wait for a session and for the expiry of tokens. Default: the machine's time. */
  readonly startTimer?: StartTimer;
  /** Checks keys and tokens. Default: all are accepted. */
  readonly authorizer?: Authorizer;
  /** The time for the expiry of tokens, in milliseconds since 1970. Default: the machine's time. */
  readonly now?: () => number;
  /** Creates missing entities. Default: none is created. */
  readonly autoCreate?: AutoCreate | undefined;
  /** The stream of what happens. Default: none. */
  readonly activity?: ActivityStream | undefined;
  /** Whether a transaction may receive from several entities (TXN-10). Default: no. */
  readonly spansEntities?: boolean;
  /** Whether a message may take any time to arrive. Default: no. */
  readonly allowsSlowMessages?: boolean;
  /** The faults that may hit the operations of clients. Default: none. */
  readonly faults?: Faults;
  /** The most open connections, and the most links of each. Further ones are refused. Default: any number. */
  readonly maxConnections?: number;
  readonly maxLinks?: number;
  /** Counts what is held for all clients. Default: a budget of its own. */
  readonly budget?: ByteBudget;
};

const STUCK: AmqpError = { condition: 'amqp:resource-limit-exceeded', description: STUCK_TEXT };
const TICK_MS = 1000;
/** A client beyond `maxConnections` is told, and disconnected after this time. */
const REFUSAL_MS = 5000;
const EVERY_SECOND: Ticker = (tick) => {
  // The timer does not keep the process alive.
  const timer = setInterval(() => tick(performance.now()), TICK_MS).unref();
  return () => clearInterval(timer);
};

export class AmqpServer implements TransportOwner {
  readonly connections = new OpenConnections();
  /** Counts what is held for all clients. */
  readonly budget: ByteBudget;
  readonly #engine: Engine;
  readonly #options: AmqpServerOptions;
  readonly #containerId: string;
  readonly #transactionIds: TransactionIds;
  readonly #transports = new Set<Transport>();
  readonly #hints: Hints;
  readonly #idleTimeouts: IdleTimeouts;
  readonly #trafficListeners = new Set<() => void>();
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
    this.budget = options.budget ?? new ByteBudget();
  }

  /**
   * Speaks AMQP on a byte stream until either side ends it. `remote` is shown to people. With a `refusal`, each link is refused
   * with it: the JavaScript SDK waits for a minute when its connection is closed just after the open.
   */
  serve(
    duplex: Duplex,
    transportKind: ClientTransport = 'tcp',
    remote: Remote = {},
    refusal?: AmqpError,
  ): void {
    let host = 'localhost';
    const context: ErrorContext = {
      get host() {
        return host;
      },
      nextGuid: this.#options.nextGuid,
    };
    const watch = this.#watchFor(context);
    const { startTimer = startRealTimer, now = Date.now, authorizer, spansEntities = false } = this.#options;
    const claims =
      authorizer?.mode === 'strict' ? new ConnectionClaims({ context, now, startTimer }) : undefined;
    const faulted = (cause: unknown) => transport.connection.fault(cause);
    const connectionId = this.#connectionNumber();
    const activity = new ConnectionActivity({
      stream: this.#options.activity,
      ...{ connections: this.connections, connectionId, context, now },
      ...{ transport: transportKind, remote },
    });
    let refused = refusal;
    let stopRefusing = () => {};
    const identified = (given: Identity): true => {
      if (isIdentified(given)) watch?.authorized();
      activity.identified(given);
      return true;
    };
    const faults = this.#faultsOf({ activity, context, startTimer, now }, () => transport);
    const router = new LinkRouter(this.#engine, context, {
      ...{ authorizer, claims, now, startTimer, spansEntities, transactionIds: this.#transactionIds },
      ...{ connectionId, activity, watch, faulted, faults, autoCreate: this.#options.autoCreate },
    });
    const listener: ConnectionListener = {
      outputReady: () => transport.outputReady(),
      misaddressed: (firstBytes) => this.#hints.misaddressed(firstBytes),
      accepts: (given) => this.#accepts(given, { claims, identified, transport: () => transport, faulted }),
      opened: (open) => {
        host = open.hostname ?? host;
        if (refused !== undefined) return;
        refused = this.#refusalOfMore(context);
        if (refused === undefined) activity.opened(open, transport);
        else stopRefusing = startTimer(REFUSAL_MS, () => transport.connection.close(refused));
        if (faults.isArmed) faults.opened(transport);
      },
      attached: (link: Link) => (refused === undefined ? router.route(link) : link.refuse(refused)),
      tooSlow: (linkCount) =>
        this.#hints.tooSlow(`A client at ${remote.address ?? 'an unknown address'}`, linkCount),
      ended: (error, fault) => {
        activity.closed(error);
        if (fault !== undefined) this.#options.onFault(fault);
        claims?.stop();
        faults.end();
        stopRefusing();
        transport.end();
      },
    };
    const transport = this.#newTransport(duplex, listener, this.#traceOf(connectionId));
    this.#transports.add(transport);
    if (watch !== undefined) this.#watches.set(transport, watch);
    this.#stopTicking ??= (this.#options.ticker ?? EVERY_SECOND)((nowMs) => this.#tick(nowMs));
  }

  /** Whether a client is known; undefined while its token is checked. */
  #accepts(given: Identity, { claims, identified, transport, faulted }: Acceptance): boolean | undefined {
    const { authorizer, now = Date.now } = this.#options;
    const known = isKnown(given, { authorizer, claims, nowMs: now() });
    if (typeof known === 'boolean') return known && identified(given);
    known.then((isGood) => transport().connection.decide(isGood && identified(given))).catch(faulted);
    return undefined;
  }

  #newTransport(duplex: Duplex, listener: ConnectionListener, trace: FrameTrace | undefined): Transport {
    const { nudges } = this.#options;
    const share = this.budget.open(() => connection.close(STUCK));
    const options = { containerId: this.#containerId, capabilities: CAPABILITIES, ...this.#options, share };
    const connection = new Connection(listener, options);
    return new Transport(connection, duplex, { owner: this, nudges, trace });
  }

  #faultsOf(
    shared: Pick<
      ConstructorParameters<typeof ConnectionFaults>[0],
      'activity' | 'context' | 'startTimer' | 'now'
    >,
    transport: () => Transport,
  ): ConnectionFaults {
    return new ConnectionFaults({
      ...shared,
      faults: this.#options.faults,
      connection: {
        close: (error) => transport().connection.close(error),
        reset: () => transport().reset(),
        silence: () => transport().silence(),
      },
    });
  }

  /** The error for another connection; undefined while there is room for it. */
  #refusalOfMore(context: ErrorContext): AmqpError | undefined {
    const { maxConnections = Number.POSITIVE_INFINITY } = this.#options;
    if (this.connections.count < maxConnections) return undefined;
    this.#hints.tooManyConnections(maxConnections);
    const description = describe(`ConnectionsQuotaExceeded for namespace: ${context.host}.`, context);
    return { condition: conditionOf('quota-exceeded'), description };
  }

  /** Returns a function that opens the connection at the engine when its number is first needed. */
  #connectionNumber(): () => number {
    let connectionId: number | undefined;
    return () => {
      connectionId ??= this.#engine.openConnection();
      return connectionId;
    };
  }

  #traceOf(connectionId: () => number): FrameTrace | undefined {
    const { onFrame } = this.#options;
    return onFrame && new FrameTrace(connectionId(), onFrame);
  }

  /** Closes every connection with a reason. */
  close(error: { condition: string; description: string } | undefined): void {
    this.#stopTicker();
    for (const { connection } of this.#transports) connection.close(error);
  }

  /** Output of all connections that is not sent yet. */
  get unsentBytes(): number {
    return this.#sum(({ unsentBytes }) => unsentBytes);
  }

  /** Bytes of messages that have arrived in part, or wait for the end of a transaction. */
  get heldBytes(): number {
    return this.#sum(({ connection }) => connection.held.unfinished);
  }

  /** Calls the listener after each read, each finished write and each end of a connection. Returns a function that ends it. */
  onTraffic(listener: () => void): () => void {
    this.#trafficListeners.add(listener);
    return () => this.#trafficListeners.delete(listener);
  }

  received(): void {
    this.#noteTraffic();
  }

  sent(): void {
    this.#noteTraffic();
  }

  closed(transport: Transport): void {
    this.#transports.delete(transport);
    this.#watches.delete(transport);
    if (this.#transports.size === 0) this.#stopTicker();
    this.#noteTraffic();
  }

  #noteTraffic(): void {
    if (this.#trafficListeners.size === 0) return; // the usual case, for each read and write
    for (const listener of this.#trafficListeners) listener();
  }

  #sum(bytesOf: (transport: Transport) => number): number {
    let sum = 0;
    for (const transport of this.#transports) sum += bytesOf(transport);
    return sum;
  }

  #stopTicker(): void {
    this.#stopTicking?.();
    this.#stopTicking = undefined;
  }

  #tick(nowMs: number): void {
    for (const { connection } of this.#transports) connection.tick(nowMs);
    for (const [{ connection }, watch] of this.#watches) watch.tick(connection, nowMs);
  }

  #watchFor(context: ErrorContext): IdleWatch | undefined {
    const timeouts = this.#idleTimeouts;
    return hasTimeouts(timeouts)
      ? new IdleWatch({ timeouts, containerId: this.#containerId, context })
      : undefined;
  }
}

type Acceptance = Pick<Credentials, 'claims'> & {
  /** Notes who the client is. */
  readonly identified: (identity: Identity) => true;
  readonly transport: () => Transport;
  readonly faulted: (cause: unknown) => void;
};
