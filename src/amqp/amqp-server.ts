// The AMQP front end: serves byte streams as connections, and stops reading from a connection while too much of it is not yet durable.

import type { Duplex } from 'node:stream';
import type { AutoCreate } from '../auto-create.js';
import { ByteBudget, STUCK_TEXT } from '../budget/byte-budget.js';
import type { AmqpError, Open } from '../codec/performatives.js';
import { ReusedBlocks } from '../codec/reused-blocks.js';
import type { Engine } from '../engine/engine.js';
import { type StartTimer, startRealTimer } from '../engine/timer.js';
import type { ShownKey } from '../security/access.js';
import type { Authorizer } from '../security/authorizer.js';
import type { Faults } from '../steer/faults.js';
import type { ActivityStream } from '../watch/activity-stream.js';
import type { ClientTransport } from '../watch/client-activity.js';
import { ConnectionActivity, type Remote } from './connection-activity.js';
import {
  type AmqpNamespace,
  type ChosenNamespace,
  ConnectionBinding,
  type FindNamespace,
} from './connection-binding.js';
import { ConnectionClaims } from './connection-claims.js';
import { ConnectionStart } from './connection-start.js';
import { type Credentials, isIdentified, isKnown, shownKeyOf } from './credentials.js';
import { conditionOf, describe, type ErrorContext } from './error-condition.js';
import { ConnectionFaults } from './faults/connection-faults.js';
import { type FrameSink, FrameTrace } from './frame-trace.js';
import { Hints } from './hints.js';
import { hasTimeouts, type IdleTimeouts, IdleWatch, NO_IDLE_TIMEOUTS } from './idle-watch.js';
import {
  isClientProvider,
  type JmsChoice,
  type JmsConnection,
  offered,
  readJmsConnection,
} from './jms/jms-connection.js';
import { JmsLinks } from './jms/jms-links.js';
import { LinkRouter } from './link-router.js';
import { TransactionIds } from './links/transactions.js';
import { OpenConnections } from './open-connections.js';
import { Connection, type ConnectionListener } from './protocol/connection.js';
import type { Identity } from './protocol/handshake.js';
import type { Link } from './protocol/link-table.js';
import type { Capabilities } from './protocol/open.js';
import { Transport, type TransportOwner } from './transport.js';

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
  /** Names the entity that was probably meant. Default: nothing is said. */
  readonly similarTo?: (path: string) => Promise<string>;
  /** Creates missing entities. Default: none is created. */
  readonly autoCreate?: AutoCreate | undefined;
  /** The stream of what happens. Default: none. */
  readonly activity?: ActivityStream | undefined;
  /** Whether a transaction may receive from several entities (TXN-10). Default: no. */
  readonly spansEntities?: boolean;
  /** Whether a message may take any time to arrive. Default: no. */
  readonly allowsSlowMessages?: boolean;
  /** Default: connections of azure-servicebus-jms are served, and messages have up to 100 MiB. */
  readonly jms?: JmsOptions;
  /** The faults that may hit the operations of clients. Default: none. */
  readonly faults?: Faults;
  /** The most open connections, and the most links of each. Further ones are refused. Default: any number. */
  readonly maxConnections?: number;
  readonly maxLinks?: number;
  /** Counts what is held for all clients. Default: a budget of its own. */
  readonly budget?: ByteBudget;
  /** Further namespaces. Default: all clients use the one of the engine. */
  readonly namespaces?: AmqpNamespaces;
};

type JmsOptions = {
  readonly choice: JmsChoice;
  /** Whether the tier, which somebody has chosen, has no JMS 2.0 (JMS-04). */
  readonly isBeyondTier: boolean;
  /** The largest message of the tier. */
  readonly maxMessageSizeBytes: number;
};

/** The namespaces of an emulator. */
export type AmqpNamespaces = {
  /** The namespace of clients that choose no other. */
  readonly default: AmqpNamespace;
  /** Whether there is another one than the default, or may be. If not, a connection need not wait for its first token. */
  readonly areSeveral: boolean;
  /**
   * `place`: the namespace to whose own port the client has come; undefined: the port is for all. `bound`: the one that the connection
   * belongs to; none is made for it.
   */
  find(
    key: ShownKey | undefined,
    place: AmqpNamespace | undefined,
    bound: AmqpNamespace | undefined,
  ): ReturnType<FindNamespace>;
};

const NO_JMS_OPTIONS: JmsOptions = {
  choice: 'azure',
  isBeyondTier: false,
  maxMessageSizeBytes: 100 * 1024 * 1024,
};
/** JMS-04. The text is the service's. */
const BEYOND_TIER: AmqpError = {
  condition: 'amqp:not-implemented',
  description: 'Full JMS 2.0 parity over AMQP is a feature supported only by a Premium Messaging namespace.',
};
const STUCK: AmqpError = { condition: 'amqp:resource-limit-exceeded', description: STUCK_TEXT };
/** The engine is closed for its clients, while the emulator goes on. */
const CLOSED: AmqpError = { condition: 'amqp:connection:forced', description: 'The namespace was closed.' };
const DEFAULT_NAME = 'default';
const TICK_MS = 1000;
const EVERY_SECOND: Ticker = (tick) => {
  // The timer does not keep the process alive.
  const timer = setInterval(() => tick(performance.now()), TICK_MS).unref();
  return () => clearInterval(timer);
};

export class AmqpServer implements TransportOwner {
  /** The namespace of clients that choose no other. */
  readonly namespace: AmqpNamespace;
  /** Counts what is held for all clients. */
  readonly budget: ByteBudget;
  readonly #engine: Engine;
  readonly #options: AmqpServerOptions;
  /** The names of this run, drawn for the first connection. */
  #run: { readonly containerId: string; readonly transactionIds: TransactionIds } | undefined;
  readonly #frameBlocks = new ReusedBlocks();
  readonly #outputBlocks = new ReusedBlocks();
  readonly #transports = new Map<Transport, ConnectionBinding>();
  readonly #hints: Hints;
  readonly #idleTimeouts: IdleTimeouts;
  readonly #trafficListeners = new Set<TrafficListener>();
  readonly #watches = new Map<Transport, IdleWatch>();
  #stopTicking: (() => void) | undefined;

  constructor(engine: Engine, options: AmqpServerOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#hints = new Hints(options.onHint);
    this.#idleTimeouts = options.idleTimeouts ?? NO_IDLE_TIMEOUTS;
    this.budget = options.budget ?? new ByteBudget();
    const { authorizer, autoCreate, similarTo, activity, faults, namespaces } = options;
    const only = { name: DEFAULT_NAME, engine, authorizer, autoCreate, similarTo, activity, faults };
    this.namespace = namespaces?.default ?? { ...only, connections: new OpenConnections() };
  }

  /** Not when the server is made: a random number has Node load `node:crypto`, which takes milliseconds of a start. */
  #named() {
    if (this.#run !== undefined) return this.#run;
    const { nextGuid, product } = this.#options;
    const guid = nextGuid();
    const containerId = `${product.toLowerCase()}-${guid.slice(0, 8)}`;
    this.#run = { containerId, transactionIds: new TransactionIds(guid) };
    return this.#run;
  }

  /** The connections of the default namespace. */
  get connections(): OpenConnections {
    return this.namespace.connections;
  }

  /**
   * Speaks AMQP on a byte stream until either side ends it. `remote` is shown to people. With a `refusal`, each link is refused
   * with it: the JavaScript SDK waits for a minute when its connection is closed just after the open.
   */
  serve(
    duplex: Duplex,
    transportKind: ClientTransport = 'tcp',
    remote: Remote = {},
    { refusal, place }: Served = {},
  ): void {
    const heard = { host: 'localhost' };
    const context = this.#contextOf(heard);
    const watch = this.#watchFor(context);
    const { startTimer = startRealTimer, now = Date.now, authorizer, spansEntities = false } = this.#options;
    const claims =
      authorizer?.mode === 'strict' ? new ConnectionClaims({ context, now, startTimer }) : undefined;
    const faulted = (cause: unknown) => transport.connection.fault(cause);
    const connectionId = this.#connectionNumber();
    const activity = new ConnectionActivity({
      ...{ connectionId, context, now },
      ...{ transport: transportKind, remote },
    });
    const faults = this.#faultsOf({ activity, context, startTimer, now }, () => transport);
    const start = new ConnectionStart({
      ...{ refusal, activity, faults, startTimer, transport: () => transport },
      refusalOfMore: (namespace) => this.#refusalOfMore(namespace, context),
    });
    const binding = this.#bindingTo(place, {
      bound: (namespace) => start.bound(namespace),
      end: () => transport.connection.close(CLOSED),
    });
    const router = new LinkRouter(binding, context, {
      ...{ claims, now, startTimer, spansEntities, transactionIds: this.#named().transactionIds },
      ...{ connectionId, activity, watch, faulted, faults },
      createsMissing: this.#options.autoCreate !== undefined,
    });
    const acceptance = { claims, watch, activity, binding, faulted, transport: () => transport };
    const listener: ConnectionListener = {
      outputReady: () => transport.outputReady(),
      misaddressed: (firstBytes) => this.#hints.misaddressed(firstBytes),
      accepts: (given) => this.#accepts(given, acceptance),
      opened: (open) => {
        heard.host = open.hostname ?? heard.host;
        start.opened(open);
        const connection = this.#jmsOf(open);
        if (connection !== undefined) {
          const { maxMessageSizeBytes } = this.#jms;
          router.offersJms(new JmsLinks({ connection, context, claims, maxMessageSizeBytes }));
        } else if (isClientProvider(open)) transport.connection.close(BEYOND_TIER);
      },
      attached: (link: Link) =>
        start.refusal === undefined ? router.route(link) : link.refuse(start.refusal),
      tooSlow: (linkCount) =>
        this.#hints.tooSlow(`A client at ${remote.address ?? 'an unknown address'}`, linkCount),
      ended: (error, fault) => {
        binding.take();
        activity.closed(error);
        if (fault !== undefined) this.#options.onFault(fault);
        for (const ending of [claims, start, faults, binding]) ending?.end();
        transport.end();
      },
    };
    const transport = this.#newTransport(duplex, listener, this.#traceOf(connectionId));
    this.#transports.set(transport, binding);
    if (place !== undefined || this.#options.namespaces?.areSeveral !== true) binding.take();
    if (watch !== undefined) this.#watches.set(transport, watch);
    this.#stopTicking ??= (this.#options.ticker ?? EVERY_SECOND)((nowMs) => this.#tick(nowMs));
  }

  get #jms(): JmsOptions {
    return this.#options.jms ?? NO_JMS_OPTIONS;
  }

  /** Undefined if the connection is not one of JMS 2.0, or the tier has none. */
  #jmsOf(open: Open): JmsConnection | undefined {
    const { choice, isBeyondTier } = this.#jms;
    return isBeyondTier ? undefined : readJmsConnection(open, choice);
  }

  /** The host is the one that the client's open names, once that has come. */
  #contextOf(heard: { readonly host: string }): ErrorContext {
    return {
      get host() {
        return heard.host;
      },
      nextGuid: this.#options.nextGuid,
    };
  }

  /** A client on the port of a namespace belongs to it from the start. */
  #bindingTo(
    place: AmqpNamespace | undefined,
    then: Pick<ConstructorParameters<typeof ConnectionBinding>[0], 'bound' | 'end'>,
  ): ConnectionBinding {
    const { namespaces } = this.#options;
    const fallback = place ?? this.namespace;
    const find: FindNamespace = (key, bound) => namespaces?.find(key, place, bound) ?? fallback;
    return new ConnectionBinding({ find, fallback, ...then });
  }

  /** Whether a client is known; undefined while its token is checked. */
  #accepts(
    given: Identity,
    { claims, watch, activity, binding, transport, faulted }: Acceptance,
  ): boolean | undefined {
    const { now = Date.now } = this.#options;
    const identified = (): true => {
      if (isIdentified(given)) watch?.authorized();
      activity.identified(given);
      return true;
    };
    const knownIn = (chosen: ChosenNamespace) =>
      'refusal' in chosen ? false : isKnown(given, { authorizer: chosen.authorizer, claims, nowMs: now() });
    // An anonymous client chooses its namespace by its first token.
    const chosen = given.mechanism === 'PLAIN' ? binding.choose(shownKeyOf(given)) : this.namespace;
    const known = chosen instanceof Promise ? chosen.then(knownIn) : knownIn(chosen);
    if (typeof known === 'boolean') return known && identified();
    known.then((isGood) => transport().connection.decide(isGood && identified())).catch(faulted);
    return undefined;
  }

  #newTransport(duplex: Duplex, listener: ConnectionListener, trace: FrameTrace | undefined): Transport {
    const { nudges } = this.#options;
    const share = this.budget.open(() => connection.close(STUCK));
    const { containerId } = this.#named();
    const capabilities: Capabilities = {
      ofConnection: (open) => (this.#jmsOf(open) === undefined ? [] : offered(open)), // JMS-05
      ofLink: offered,
    };
    const blocks = { frameBlocks: this.#frameBlocks, outputBlocks: this.#outputBlocks };
    const own = { containerId, capabilities, ...blocks };
    const options = { ...own, ...this.#options, share };
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
      connection: {
        close: (error) => transport().connection.close(error),
        reset: () => transport().reset(),
        silence: () => transport().silence(),
      },
    });
  }

  /** The error for another connection; undefined while there is room for it. */
  #refusalOfMore({ connections }: AmqpNamespace, context: ErrorContext): AmqpError | undefined {
    const { maxConnections = Number.POSITIVE_INFINITY } = this.#options;
    if (connections.count < maxConnections) return undefined;
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
    for (const { connection } of this.#transports.keys()) connection.close(error);
  }

  /** The bytes on their way to and from the clients of a namespace. */
  trafficOf(namespace: AmqpNamespace = this.namespace): ClientTraffic {
    const sum = (bytesOf: (transport: Transport) => number) => {
      let bytes = 0;
      for (const [transport, binding] of this.#transports) {
        if (binding.namespace === namespace) bytes += bytesOf(transport);
      }
      return bytes;
    };
    const listeners = this.#trafficListeners;
    return {
      get unsentBytes() {
        return sum(({ unsentBytes }) => unsentBytes);
      },
      get heldBytes() {
        return sum(({ connection }) => connection.held.unfinished);
      },
      onTraffic(tell) {
        const listener = { namespace, tell };
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
  }

  received(transport: Transport): void {
    this.#noteTraffic(transport);
  }

  sent(transport: Transport): void {
    this.#noteTraffic(transport);
  }

  closed(transport: Transport): void {
    const of = this.#transports.get(transport)?.namespace;
    this.#transports.delete(transport);
    this.#watches.delete(transport);
    if (this.#transports.size === 0) this.#stopTicker();
    this.#noteTraffic(transport, of);
  }

  #noteTraffic(transport: Transport, ended?: AmqpNamespace): void {
    if (this.#trafficListeners.size === 0) return; // the usual case, for each read and write
    const of = ended ?? this.#transports.get(transport)?.namespace;
    for (const { namespace, tell } of this.#trafficListeners) if (namespace === of) tell();
  }

  #stopTicker(): void {
    this.#stopTicking?.();
    this.#stopTicking = undefined;
  }

  #tick(nowMs: number): void {
    for (const { connection } of this.#transports.keys()) connection.tick(nowMs);
    for (const [{ connection }, watch] of this.#watches) watch.tick(connection, nowMs);
  }

  #watchFor(context: ErrorContext): IdleWatch | undefined {
    const timeouts = this.#idleTimeouts;
    return hasTimeouts(timeouts)
      ? new IdleWatch({ timeouts, containerId: this.#named().containerId, context })
      : undefined;
  }
}

type Served = {
  readonly refusal?: AmqpError;
  /** The namespace whose own port the client has come to. */
  readonly place?: AmqpNamespace | undefined;
};

/** The bytes on their way to and from clients. */
export type ClientTraffic = {
  /** Output that is not sent yet. */
  readonly unsentBytes: number;
  /** Bytes of messages that have arrived in part, or wait for the end of a transaction. */
  readonly heldBytes: number;
  /** Calls the listener after each read, each finished write and each end of a connection. Returns a function that ends it. */
  onTraffic(listener: () => void): () => void;
};

type TrafficListener = { readonly namespace: AmqpNamespace; readonly tell: () => void };

type Acceptance = Pick<Credentials, 'claims'> & {
  readonly watch: IdleWatch | undefined;
  readonly activity: ConnectionActivity;
  readonly binding: ConnectionBinding;
  readonly transport: () => Transport;
  readonly faulted: (cause: unknown) => void;
};
