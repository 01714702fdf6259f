// The servers that clients connect to: AMQP and HTTP over all namespaces, behind one gateway.

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { AmqpServer, ClientTraffic } from './amqp/amqp-server.js';
import type { Remote } from './amqp/connection-activity.js';
import { ByteBudget } from './budget/byte-budget.js';
import { isLoopback } from './config/connection-string.js';
import type { EmulatorOptions } from './config/options/emulator-options.js';
import { certificateOptions } from './config/part-options.js';
import { splitKeyName } from './description/namespace-name.js';
import { Descriptors } from './gateway/descriptors.js';
import { type Admission, Gateway } from './gateway/gateway.js';
import { withGatewayAnswers } from './gateway/gateway-answers.js';
import { HttpServer, type RequestHandler, refuseSocket } from './gateway/http-server.js';
import { OriginCheck } from './gateway/origin-check.js';
import { AmqpWebSocketServer } from './gateway/websocket-server.js';
import type { Metric } from './http/control/metric.js';
import { isAboutHealth } from './http/health.js';
import type { HttpContext, HttpNamespaces, NamespacesPort } from './http/http-context.js';
import { createHttpHandler } from './http/http-handler.js';
import { namespaceInPath, shownKeyIn } from './http/namespace-names.js';
import { recordingRequests } from './http/recorded-requests.js';
import type { RunningNamespace } from './namespace.js';
import type { NamespaceChoice, Namespaces } from './namespaces.js';
import { type HeldPorts, openPorts, type Ports } from './open-ports.js';
import type { ShownKey } from './security/access.js';
import { withoutPort } from './security/certificate-names.js';
import { type Certificates, openCertificates } from './security/certificates.js';
import {
  amqpServer,
  clientRefused,
  controlContext,
  httpContext,
  type OpenPorts,
  pageDirectory,
  type Shared,
  startPage,
} from './server-options.js';
import type { ActivityStream } from './watch/activity-stream.js';
import type { ClientTransport } from './watch/client-activity.js';

/** The AMQP error with which all connections are closed. */
type CloseReason = { readonly condition: string; readonly description: string };

const NO_ROOM: CloseReason = {
  condition: 'amqp:resource-limit-exceeded',
  description: 'The emulator has no room for another connection; its log says why.',
};

/** The state that `GET /health` reports: healthy while `failure` is undefined. */
type Health = { failure: string | undefined };

type Parts = {
  readonly options: EmulatorOptions;
  readonly health: Health;
  readonly opened: OpenPorts;
  readonly places: Places;
  readonly metricsContext: HttpContext;
  readonly amqp: AmqpServer;
  readonly http: HttpServer;
  readonly gateway: Gateway;
  /** undefined: TLS is off. */
  readonly certificates: Certificates | undefined;
};

/** The namespaces that have a port of their own, by its number. */
type Places = Map<number, RunningNamespace>;

export class FrontEnds {
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Throws a JitneyError. */
  static async make(
    namespaces: Namespaces,
    options: EmulatorOptions,
    { guids, entraTokens, stop }: Pick<Shared, 'guids' | 'entraTokens'> & { readonly stop: () => void },
  ): Promise<FrontEnds> {
    const shared = { guids, entraTokens, budget: new ByteBudget() };
    const health: Health = { failure: undefined };
    const opened: OpenPorts = { ports: {} };
    const places: Places = new Map();
    const amqp = amqpServer(namespaces, options, shared);
    const contextOf = contexts(namespaces, shared, { opened, places, stop });
    const metricsContext = contextOf(namespaces.default);
    const answer = createHttpHandler(() => health.failure, metricsContext, {
      start: startPage(options),
      directory: pageDirectory(options),
    });
    const recorderOf = (request: IncomingMessage) => recorderFor(request, namespaces, places);
    const served = { amqp, answer, recorderOf, budget: shared.budget, places };
    const gateway = await makeGateway(options, namespaces.default.activity, served);
    return new FrontEnds({ options, health, opened, places, metricsContext, amqp, ...gateway });
  }

  /** The bytes on their way to and from the clients of a namespace. */
  trafficOf(namespace: RunningNamespace): ClientTraffic {
    return this.#parts.amqp.trafficOf(namespace);
  }

  /** Opens a port whose clients belong to the namespace, whether they have a key or not. Throws a JitneyError. */
  async openPort(namespace: RunningNamespace, port: number): Promise<number> {
    const { options, gateway, places } = this.#parts;
    const opened = await gateway.open({ host: options.host ?? 'localhost', port });
    places.set(opened, namespace);
    return opened;
  }

  async closePort(port: number): Promise<void> {
    await this.#parts.gateway.closePort(port);
    this.#parts.places.delete(port);
  }

  /** The metrics of `GET /metrics`. */
  async metrics(): Promise<readonly Metric[]> {
    const { readMetrics } = await import('./http/control/metrics.js');
    return readMetrics(this.#parts.metricsContext);
  }

  /** The authority's certificate in PEM; undefined when clients have none to trust. Throws a JitneyError. */
  async authority(): Promise<string | undefined> {
    return this.#parts.certificates?.authority();
  }

  /** The file with it; undefined if it is only in memory. */
  get authorityPath(): string | undefined {
    return this.#parts.certificates?.authorityPath;
  }

  /** Throws a JitneyError. */
  async open(held?: HeldPorts): Promise<Ports> {
    const { options, gateway, opened } = this.#parts;
    const ports = await openPorts(options, gateway, held);
    opened.ports = ports;
    return ports;
  }

  /** Closes every connection and reports the failure to health checks; the ports stay open for those. */
  fail(why: CloseReason): void {
    const { health, amqp, http } = this.#parts;
    health.failure = why.description;
    amqp.close(why);
    http.dropAll();
  }

  /** Closes the ports and every connection; resolves when all connections have ended. */
  async close(why: CloseReason): Promise<void> {
    const { health, amqp, http, gateway } = this.#parts;
    health.failure ??= why.description;
    amqp.close(why);
    // In parallel, because each may wait for clients that do not disconnect.
    const outcomes = await Promise.allSettled([http.close(), gateway.close()]);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }
}

/** Makes the context of a namespace's requests when it is first needed. That of `default` finds those of all. */
function contexts(
  namespaces: Namespaces,
  shared: Shared,
  {
    opened,
    places,
    stop,
  }: {
    readonly opened: OpenPorts;
    readonly places: Places;
    readonly stop: () => void;
  },
): (namespace: RunningNamespace) => HttpContext {
  const made = new WeakMap<RunningNamespace, HttpContext>();
  const contextOf = (namespace: RunningNamespace): HttpContext => {
    const found = made.get(namespace);
    if (found !== undefined) return found;
    const isDefault = namespace === namespaces.default;
    const listed = isDefault ? namespacesPort(namespaces, contextOf) : undefined;
    const context = {
      ...httpContext(namespace, shared),
      control: controlContext(namespace, opened, { namespaces: listed, stop: isDefault ? stop : undefined }),
      namespaces: isDefault ? httpNamespaces(namespaces, contextOf, places) : undefined,
    };
    made.set(namespace, context);
    return context;
  };
  return contextOf;
}

function namespacesPort(
  namespaces: Namespaces,
  contextOf: (namespace: RunningNamespace) => HttpContext,
): NamespacesPort {
  const listed = (namespace: RunningNamespace) => ({
    context: contextOf(namespace),
    port: namespaces.portOf(namespace),
    isMade: namespaces.isMade(namespace),
  });
  return {
    list: () => namespaces.all.map(listed),
    add: async (given) => listed(await namespaces.add(given)),
    remove: (name) => namespaces.remove(name),
  };
}

function httpNamespaces(
  namespaces: Namespaces,
  contextOf: (namespace: RunningNamespace) => HttpContext,
  places: Places,
): HttpNamespaces {
  const found = (chosen: NamespaceChoice) =>
    'refusal' in chosen
      ? chosen
      : { context: contextOf(chosen), enter: (end: () => void) => chosen.enter(end) };
  const find = (key: ShownKey | undefined, place: RunningNamespace | undefined) => {
    const chosen = namespaces.find(key, place);
    return chosen instanceof Promise ? chosen.then(found) : found(chosen);
  };
  return {
    ofKey: (key, port) => find(key, port === undefined ? undefined : places.get(port)),
    ofPath: (name, key) => {
      const chosen = namespaces.named(name, key);
      const within = (place: NamespaceChoice) =>
        'refusal' in place ? { ...place, isMissing: true } : find(key, place);
      return chosen instanceof Promise ? chosen.then(within) : within(chosen);
    },
  };
}

/** Says, when a request has been answered, in which stream it is recorded: its namespace may have been made for it. */
function recorderFor(
  { url = '', headers, socket }: IncomingMessage,
  namespaces: Namespaces,
  places: Places,
): (() => ActivityStream) | undefined {
  const { activity } = namespaces.default;
  if (!namespaces.areSeveral) return activity.isOn ? () => activity : undefined;
  const key = shownKeyIn(headers.authorization);
  const name = namespaceInPath(url) ?? (key && splitKeyName(key.keyName).namespace);
  const place = places.get(socket.localPort ?? 0);
  return () => (name === undefined ? place : namespaces.get(name))?.activity ?? activity;
}

type Served = {
  readonly amqp: AmqpServer;
  readonly answer: RequestHandler;
  readonly recorderOf: Parameters<typeof recordingRequests>[1];
  readonly budget: ByteBudget;
  readonly places: Places;
};

/** Wires both servers into the gateway, with TLS, WebSockets and the origin check. Opens no port. Throws a JitneyError. */
async function makeGateway(
  options: EmulatorOptions,
  activity: ActivityStream,
  { amqp, answer, recorderOf, budget, places }: Served,
): Promise<Pick<Parts, 'http' | 'gateway' | 'certificates'>> {
  const { host = 'localhost', certHosts = [], allowedHosts = [], allowedOrigins = [] } = options;
  const warn = (text: string) => options.log?.('warn', text);
  const refused = clientRefused(options, activity);
  const certificates =
    options.tls === 'off' ? undefined : await openCertificates({ ...certificateOptions(options), warn });
  const originCheck = new OriginCheck({
    hosts: [host, ...certHosts.map(withoutPort), ...allowedHosts],
    origins: allowedOrigins,
    isReached: !isLoopback(host),
    isForEveryHost: isAboutHealth,
    warn: refused,
  });
  const placeOf = ({ localPort = 0 }: Socket) => (places.size === 0 ? undefined : places.get(localPort));
  const serve = (stream: Duplex, socket: Socket, transport: ClientTransport) =>
    amqp.serve(stream, transport, remoteOf(socket), { place: placeOf(socket) });
  const webSockets = new AmqpWebSocketServer(
    (stream, socket) => serve(stream, socket, 'websocket'),
    originCheck,
  );
  const http = new HttpServer(
    recordingRequests(withGatewayAnswers(answer, { originCheck, certificates }), recorderOf),
    {},
    (...request) => webSockets.upgrade(...request),
    refused,
    budget,
  );
  const protocols = {
    amqp: (socket: Socket) => serve(socket, socket, transportOf(socket)),
    http: (socket: Socket) => http.take(socket),
  };
  const tls = certificates && { certificates, onHint: refused };
  const gateway = new Gateway(protocols, tls, admission(amqp, refused));
  return { http, gateway, certificates };
}

/** Refuses clients while there are still descriptors for the journal. */
function admission(amqp: AmqpServer, onFull: (text: string) => void): Admission {
  const descriptors = new Descriptors({ onFull });
  return {
    roomFor: (...client) => descriptors.roomFor(...client),
    amqp: (socket) => amqp.serve(socket, 'tcp', remoteOf(socket), { refusal: NO_ROOM }),
    http: (socket) => refuseSocket(socket, { status: 503, text: NO_ROOM.description }),
  };
}

/** An IPv4 address is shown as such, also on a socket for both families. */
function remoteOf({ remoteAddress, remotePort }: Socket): Remote {
  return { address: remoteAddress?.replace(/^::ffff:/, ''), port: remotePort };
}

function transportOf(socket: Socket): ClientTransport {
  return 'encrypted' in socket ? 'tls' : 'tcp';
}
