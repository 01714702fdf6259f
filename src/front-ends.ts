// The servers that clients connect to: AMQP and HTTP over one engine, behind one gateway.

import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import type { ActivityStream } from './activity/activity-stream.js';
import type { ClientTransport } from './activity/client-activity.js';
import { hideSecrets } from './activity/hidden-secrets.js';
import { AmqpServer } from './amqp/amqp-server.js';
import { AZURE_IDLE_TIMEOUTS, NO_IDLE_TIMEOUTS } from './amqp/idle-watch.js';
import { ByteBudget } from './budget/byte-budget.js';
import type { EmulatorClock } from './clock/emulator-clock.js';
import { clientPolicy, formatConnectionString, isLoopback } from './config/connection-string.js';
import { faultText } from './config/guarded-log.js';
import type { EmulatorOptions } from './config/options/emulator-options.js';
import { AMQPS_PORT } from './config/options/tls-options.js';
import {
  brokerOptions,
  certificateOptions,
  chooseIdleTimeouts,
  shownOptions,
} from './config/part-options.js';
import { CONTROL_ORIGIN } from './config/setting-readers.js';
import type { Engine } from './engine/engine.js';
import type { SystemGuids } from './engine/system-guids.js';
import type { Faults } from './faults/faults.js';
import { Descriptors } from './gateway/descriptors.js';
import { type Admission, Gateway } from './gateway/gateway.js';
import { withGatewayAnswers } from './gateway/gateway-answers.js';
import { HttpServer, type RequestHandler, refuseSocket } from './gateway/http-server.js';
import { OriginCheck } from './gateway/origin-check.js';
import { AmqpWebSocketServer } from './gateway/websocket-server.js';
import { isAboutHealth } from './http/health.js';
import type { ControlContext, HttpContext } from './http/http-context.js';
import { createHttpHandler } from './http/http-handler.js';
import { recordingRequests } from './http/recorded-requests.js';
import type { StartPage } from './http/start-page.js';
import type { JitneyError } from './jitney-error.js';
import { entityPolicyReader } from './security/access-policy.js';
import { Authorizer } from './security/authorizer.js';
import { withoutPort } from './security/certificate-names.js';
import { type Certificates, openCertificates } from './security/certificates.js';
import { EntraTokens } from './security/entra-token.js';

type Ports = {
  readonly port: number;
  readonly httpPort: number | undefined;
  readonly tlsPort: number | undefined;
  readonly httpsPort: number | undefined;
};

/** The AMQP error with which all connections are closed. */
type CloseReason = { readonly condition: string; readonly description: string };

const NO_ROOM: CloseReason = {
  condition: 'amqp:resource-limit-exceeded',
  description: 'The emulator has no room for another connection; its log says why.',
};

/** A connection with more links, and a namespace with more connections, is refused by the service too (LIM-06). */
const AZURE_CLIENT_LIMITS = { maxConnections: 5000, maxLinks: 4999 };

/** The file beside the certificates that lets tokens outlive the process. */
const TOKEN_KEY_FILE = 'token-key.pem';

/** The ports once they are open, for the control interface. */
type OpenPorts = { ports: Partial<Ports> };

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
    const shared = { guids, activity, faults, budget, access: accessControl(engine, options) };
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
  async open(): Promise<Ports> {
    const { options, gateway, opened } = this.#parts;
    const ports = await openPorts(options, gateway);
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

/**
 * Opens the given certificate and every port, and closes the ports again. Throws the JitneyError that a
 * start would throw now; another process may still take a port before the start opens it.
 */
export async function tryCertificateAndPorts(options: EmulatorOptions): Promise<void> {
  const destroy = (socket: Socket) => socket.destroy();
  const gateway = new Gateway({ amqp: destroy, http: destroy });
  try {
    if (options.tls !== 'off') await openCertificates(certificateOptions(options));
    await openPorts({ ...options, log: () => {} }, gateway);
  } finally {
    await gateway.close();
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
    (stream, remoteAddress) => amqp.serve(stream, 'websocket', remoteAddress),
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
    amqp: (socket: Socket) => amqp.serve(socket, transportOf(socket), socket.remoteAddress),
    http: (socket: Socket) => http.take(socket),
  };
  const tls = certificates && { certificates, onHint: refused };
  const gateway = new Gateway(protocols, tls, admission(amqp, refused));
  return { http, gateway, certificates };
}

/** Refuses clients before the process has no descriptor left for the journal. */
function admission(amqp: AmqpServer, onFull: (text: string) => void): Admission {
  const descriptors = new Descriptors({ onFull });
  return {
    roomFor: (...client) => descriptors.roomFor(...client),
    amqp: (socket) => amqp.serve(socket, 'tcp', socket.remoteAddress, NO_ROOM),
    http: (socket) => refuseSocket(socket, { status: 503, text: NO_ROOM.description }),
  };
}

/** Opens the configured ports; `port` is the one in the connection string. Throws a JitneyError. */
async function openPorts(
  {
    host = 'localhost',
    port = 0,
    httpPort = 'off',
    tlsPort = 'off',
    httpsPort = 'off',
    log,
  }: EmulatorOptions,
  gateway: Gateway,
): Promise<Ports> {
  const open = async (wanted: number | 'off') =>
    wanted === 'off' ? undefined : gateway.open({ host, port: wanted });
  const warnTaken = ({ message }: JitneyError) =>
    log?.(
      'warn',
      `${message}, so clients that dial it by default cannot connect. Choose another with --tls-port, or off`,
    );
  return {
    port: await gateway.open({ host, port }),
    httpPort: await open(httpPort),
    tlsPort:
      tlsPort === 'ifFree'
        ? await gateway.openIfFree({ host, port: AMQPS_PORT }, warnTaken)
        : await open(tlsPort),
    httpsPort: await open(httpsPort),
  };
}

type Access = { readonly authorizer: Authorizer; readonly entraTokens: EntraTokens };
type Shared = {
  readonly guids: SystemGuids;
  readonly activity: ActivityStream;
  readonly faults: Faults;
  readonly budget: ByteBudget;
  readonly access: Access;
};

/** Makes the authorizer that all front ends share. */
function accessControl(engine: Engine, options: EmulatorOptions): Access {
  const { auth = 'any', policies, log = () => {} } = options;
  const { directory } = certificateOptions(options);
  const entraTokens = new EntraTokens({
    ...(directory === undefined ? {} : { keyFile: join(directory, TOKEN_KEY_FILE) }),
    warn: (text) => log('warn', text),
  });
  const authorizer = new Authorizer({
    mode: auth,
    ...(policies === undefined ? {} : { policies }),
    entityPolicies: entityPolicyReader((command) => engine.ask(command)),
    entraTokens,
    onHint: (hint) => log('warn', hideSecrets(hint)),
  });
  return { authorizer, entraTokens };
}

function amqpServer(
  engine: Engine,
  options: EmulatorOptions,
  { guids, access, activity, faults, budget }: Shared,
): AmqpServer {
  const { log = () => {}, logLevel } = options;
  return new AmqpServer(engine, {
    activity,
    faults,
    budget,
    onFrame: logLevel === 'trace' ? (text, frame) => log('trace', text, frame) : undefined,
    product: 'Jitney',
    version: ownVersion(),
    nextGuid: () => guids.next(),
    nudges: true,
    authorizer: access.authorizer,
    idleTimeouts: chooseIdleTimeouts(options, { azure: AZURE_IDLE_TIMEOUTS, off: NO_IDLE_TIMEOUTS }),
    spansEntities: !brokerOptions(options).limits.hasOneEntityTransactions,
    ...(options.limits === 'none' ? { allowsSlowMessages: true } : AZURE_CLIENT_LIMITS),
    onHint: clientRefused(options, activity),
    onFault: (fault) => log('error', `A fault of the emulator closed a connection: ${faultText(fault)}`),
  });
}

function httpContext(
  engine: Engine,
  options: EmulatorOptions,
  { guids, access, activity, faults, budget }: Shared,
): HttpContext {
  const { log = () => {}, tier = 'standard', tokenEndpoint = 'on' } = options;
  const { authorizer, entraTokens } = access;
  return {
    authorizer,
    activity,
    faults,
    budget,
    ...(tokenEndpoint === 'on' ? { entraTokens } : {}),
    engine,
    nextGuid: () => guids.next(),
    startedTime: new Date(),
    tier,
    limits: brokerOptions(options).limits,
    onFault: (fault) => log('error', `A fault of the emulator failed a request: ${faultText(fault)}`),
  };
}

type Steering = {
  readonly resetEntities: () => Promise<void>;
  readonly clock: EmulatorClock;
  readonly faults: Faults;
};

type ControlParts = Steering & {
  readonly opened: OpenPorts;
  readonly activity: ActivityStream;
  readonly amqp: AmqpServer;
};

function controlContext(
  options: EmulatorOptions,
  { opened, activity, amqp, resetEntities, clock, faults }: ControlParts,
): ControlContext | undefined {
  const { control = true, allowedOrigins = [] } = options;
  if (!control) return undefined;
  return {
    version: ownVersion(),
    activity,
    connections: amqp.connections,
    resetEntities,
    clock,
    faults,
    ports: () => opened.ports,
    settings: shownOptions(options),
    settingOrigins: options.settingOrigins,
    start: startPage(options),
    isReadOnlyPage: options.ui === 'read-only',
    isOpenToOrigins: allowedOrigins.includes(CONTROL_ORIGIN),
  };
}

/** The directory of the page's files; undefined without a page. */
function pageDirectory({ ui = 'on', control = true }: EmulatorOptions): string | undefined {
  return ui === 'off' || !control ? undefined : join(dirname(packageFile()), 'dist', 'dashboard');
}

function startPage(options: EmulatorOptions): StartPage {
  const { host = 'localhost', auth = 'any', tls = 'on', cert } = options;
  const policy = clientPolicy(options.policies);
  // Without a check of keys each does, and a configured one is nobody's business.
  const shown = { ...policy, primaryKey: auth === 'strict' ? '<key>' : clientPolicy().primaryKey };
  return {
    version: ownVersion(),
    connectionString: (name, port) => formatConnectionString(name, port, [shown]),
    maskedPolicy: auth === 'strict' ? policy.keyName : undefined,
    host,
    hasAuthority: tls === 'on' && cert === undefined,
  };
}

/** Warns of a client that never became a connection. */
function clientRefused({ log }: EmulatorOptions, activity: ActivityStream): (text: string) => void {
  return (text) => {
    log?.('warn', hideSecrets(text));
    activity.add({ kind: 'client-refused', text });
  };
}

function transportOf(socket: Socket): ClientTransport {
  return 'encrypted' in socket ? 'tls' : 'tcp';
}

function ownVersion(): string {
  const { version } = createRequire(import.meta.url)('jitney/package.json') as { version: string };
  return version;
}

function packageFile(): string {
  return createRequire(import.meta.url).resolve('jitney/package.json');
}
