// The servers that clients connect to: AMQP and HTTP over one engine, behind one gateway.

import type { Socket } from 'node:net';
import type { AmqpServer } from './amqp/amqp-server.js';
import type { Remote } from './amqp/connection-activity.js';
import { ByteBudget } from './budget/byte-budget.js';
import { isLoopback } from './config/connection-string.js';
import type { EmulatorOptions } from './config/options/emulator-options.js';
import { certificateOptions } from './config/part-options.js';
import type { Engine } from './engine/engine.js';
import { Descriptors } from './gateway/descriptors.js';
import { type Admission, Gateway } from './gateway/gateway.js';
import { withGatewayAnswers } from './gateway/gateway-answers.js';
import { HttpServer, type RequestHandler, refuseSocket } from './gateway/http-server.js';
import { OriginCheck } from './gateway/origin-check.js';
import { AmqpWebSocketServer } from './gateway/websocket-server.js';
import { isAboutHealth } from './http/health.js';
import { createHttpHandler } from './http/http-handler.js';
import { recordingRequests } from './http/recorded-requests.js';
import { type HeldPorts, openPorts, type Ports } from './open-ports.js';
import { withoutPort } from './security/certificate-names.js';
import { type Certificates, openCertificates } from './security/certificates.js';
import {
  accessControl,
  amqpServer,
  autoCreateFor,
  clientRefused,
  controlContext,
  httpContext,
  type OpenPorts,
  pageDirectory,
  type Shared,
  type Steering,
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
  readonly amqp: AmqpServer;
  readonly http: HttpServer;
  readonly gateway: Gateway;
  /** undefined: TLS is off. */
  readonly certificates: Certificates | undefined;
};

export class FrontEnds {
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Throws a JitneyError. */
  static async make(
    engine: Engine,
    options: EmulatorOptions,
    { guids, activity, ...steering }: Pick<Shared, 'guids' | 'activity'> & Steering,
  ): Promise<FrontEnds> {
    const { faults } = steering;
    const budget = new ByteBudget();
    const autoCreate = autoCreateFor(engine, options);
    const shared = { guids, activity, faults, budget, autoCreate, access: accessControl(engine, options) };
    const health: Health = { failure: undefined };
    const opened: OpenPorts = { ports: {} };
    const amqp = amqpServer(engine, options, shared);
    faults.connections = amqp.connections;
    const answer = createHttpHandler(
      () => health.failure,
      {
        ...httpContext(engine, options, shared),
        control: controlContext(options, { opened, activity, amqp, ...steering }),
      },
      { start: startPage(options), directory: pageDirectory(options) },
    );
    const gateway = await makeGateway(options, { amqp, answer, activity, budget });
    return new FrontEnds({ options, health, opened, amqp, ...gateway });
  }

  /** The AMQP connections of all clients. */
  get connections(): Pick<AmqpServer, 'unsentBytes' | 'heldBytes' | 'onTraffic'> {
    return this.#parts.amqp;
  }

  /** The authority's certificate in PEM; undefined when clients have none to trust. Throws a JitneyError. */
  async authority(): Promise<string | undefined> {
    return this.#parts.certificates?.authority();
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

/** Wires both servers into the gateway, with TLS, WebSockets and the origin check. Opens no port. Throws a JitneyError. */
async function makeGateway(
  options: EmulatorOptions,
  {
    amqp,
    answer,
    activity,
    budget,
  }: { amqp: AmqpServer; answer: RequestHandler; activity: ActivityStream; budget: ByteBudget },
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
  const webSockets = new AmqpWebSocketServer(
    (stream, socket) => amqp.serve(stream, 'websocket', remoteOf(socket)),
    originCheck,
  );
  const http = new HttpServer(
    recordingRequests(withGatewayAnswers(answer, { originCheck, certificates }), activity),
    {},
    (...request) => webSockets.upgrade(...request),
    refused,
    budget,
  );
  const protocols = {
    amqp: (socket: Socket) => amqp.serve(socket, transportOf(socket), remoteOf(socket)),
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
    amqp: (socket) => amqp.serve(socket, 'tcp', remoteOf(socket), NO_ROOM),
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
