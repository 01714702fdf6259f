// All that clients speak with: AMQP and HTTP over one engine, and the gateway before them.

import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { AmqpServer } from './amqp/amqp-server.js';
import { AZURE_IDLE_TIMEOUTS, NO_IDLE_TIMEOUTS } from './amqp/idle-timeouts.js';
import { brokerOptions } from './config/broker-options.js';
import { certificateOptions } from './config/certificate-options.js';
import { clientPolicy, formatConnectionString } from './config/connection-string.js';
import { chooseIdleTimeouts } from './config/idle-options.js';
import { AMQPS_PORT, type EmulatorOptions } from './config/options.js';
import type { Engine } from './engine/engine.js';
import type { SystemGuids } from './engine/system-guids.js';
import { Gateway } from './gateway/gateway.js';
import { HttpDoor, type RequestHandler } from './gateway/http-door.js';
import { withFront } from './gateway/http-front.js';
import type { PortError } from './gateway/port-error.js';
import { VisitorCheck } from './gateway/visitor-check.js';
import { WebSocketDoor } from './gateway/websocket-door.js';
import { isAboutHealth } from './http/health.js';
import type { HttpContext } from './http/http-context.js';
import { createHttpHandler } from './http/http-handler.js';
import type { StartPage } from './http/start-page.js';
import { askedEntityPolicies } from './security/access-policy.js';
import { Authorizer } from './security/authorizer.js';
import { withoutPort } from './security/certificate-names.js';
import { type Certificates, openCertificates } from './security/certificates.js';
import { EntraTokens } from './security/entra-token.js';

export type Ports = {
  readonly port: number;
  readonly httpPort: number | undefined;
  readonly tlsPort: number | undefined;
  readonly httpsPort: number | undefined;
};

/** Why everybody is sent away. */
export type Goodbye = { readonly condition: string; readonly description: string };

/** Beside the certificates, for tokens to outlive the process. */
const TOKEN_KEY_FILE = 'token-key.pem';

/** The state that `GET /health` reports; healthy without an illness. */
type Health = { illness: string | undefined };

type Parts = {
  readonly options: EmulatorOptions;
  readonly health: Health;
  readonly amqp: AmqpServer;
  readonly http: HttpDoor;
  readonly gateway: Gateway;
  /** undefined: there is no TLS. */
  readonly certificates: Certificates | undefined;
};

export class FrontEnds {
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Throws a CertificateError. */
  static async make(engine: Engine, options: EmulatorOptions, guids: SystemGuids): Promise<FrontEnds> {
    const shared = { guids, access: accessControl(engine, options) };
    const health: Health = { illness: undefined };
    const amqp = amqpServer(engine, options, shared);
    const answer = createHttpHandler(
      () => health.illness,
      httpContext(engine, options, shared),
      startPage(options),
    );
    return new FrontEnds({ options, health, amqp, ...(await waysIn(options, amqp, answer)) });
  }

  /** In PEM; undefined where there is none to trust. Throws a CertificateError. */
  async authority(): Promise<string | undefined> {
    return this.#parts.certificates?.authority();
  }

  /** Throws a PortError. */
  open(): Promise<Ports> {
    const { options, gateway } = this.#parts;
    return openPorts(options, gateway);
  }

  /** Sends everybody away who is there; whoever comes for the health is told. */
  fail(why: Goodbye): void {
    const { health, amqp, http } = this.#parts;
    health.illness = why.description;
    amqp.close(why);
    http.dropAll();
  }

  /** Lets nobody in from now on; resolves when all are gone. */
  async close(why: Goodbye): Promise<void> {
    const { health, amqp, http, gateway } = this.#parts;
    health.illness ??= why.description;
    amqp.close(why);
    // All at the same time: each may have clients that do not go by themselves.
    const outcomes = await Promise.allSettled([http.close(), gateway.close()]);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  }
}

/**
 * Opens the given certificate and every port, and closes the ports again. Throws the PortError or the CertificateError that
 * a start would meet now; another process may still take a port before that start opens it.
 */
export async function tryWaysIn(options: EmulatorOptions): Promise<void> {
  const destroy = (socket: Socket) => socket.destroy();
  const gateway = new Gateway({ amqp: destroy, http: destroy });
  try {
    if (options.tls !== 'off') await openCertificates(certificateOptions(options));
    await openPorts({ ...options, log: () => {} }, gateway);
  } finally {
    await gateway.close();
  }
}

/** Every way in, behind every port there will be. Throws a CertificateError. */
async function waysIn(
  options: EmulatorOptions,
  amqp: AmqpServer,
  answer: RequestHandler,
): Promise<Pick<Parts, 'http' | 'gateway' | 'certificates'>> {
  const { host = 'localhost', certHosts = [], allowedHosts = [], allowedOrigins = [] } = options;
  const tell = (text: string) => options.log?.('warn', text);
  const certificates =
    options.tls === 'off' ? undefined : await openCertificates({ ...certificateOptions(options), tell });
  const visitors = new VisitorCheck({
    hosts: [host, ...certHosts.map(withoutPort), ...allowedHosts],
    origins: allowedOrigins,
    isReached: !isLoopback(host),
    isForEveryHost: isAboutHealth,
    tell,
  });
  const webSockets = new WebSocketDoor((stream) => amqp.serve(stream), visitors);
  const http = new HttpDoor(withFront(answer, { visitors, certificates }), {}, (...asked) =>
    webSockets.upgrade(...asked),
  );
  const protocols = {
    amqp: (socket: Socket) => amqp.serve(socket),
    http: (socket: Socket) => http.take(socket),
  };
  const gateway = new Gateway(protocols, certificates && { certificates, onHint: tell });
  return { http, gateway, certificates };
}

/** The first is the one of the connection string. */
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
  const tell = ({ message }: PortError) =>
    log?.(
      'warn',
      `${message}: clients that dial it by themselves find nobody. --tls-port takes another, or off`,
    );
  return {
    port: await gateway.open({ host, port }),
    httpPort: await open(httpPort),
    tlsPort:
      tlsPort === 'ifFree' ? await gateway.openIfFree({ host, port: AMQPS_PORT }, tell) : await open(tlsPort),
    httpsPort: await open(httpsPort),
  };
}

type Access = { readonly authorizer: Authorizer; readonly entraTokens: EntraTokens };
type Shared = { readonly guids: SystemGuids; readonly access: Access };

/** Who may do what, for every way in. */
function accessControl(engine: Engine, options: EmulatorOptions): Access {
  const { auth = 'any', policies, log = () => {} } = options;
  const { directory } = certificateOptions(options);
  const entraTokens = new EntraTokens({
    ...(directory === undefined ? {} : { keyFile: join(directory, TOKEN_KEY_FILE) }),
    tell: (text) => log('warn', text),
  });
  const authorizer = new Authorizer({
    mode: auth,
    ...(policies === undefined ? {} : { policies }),
    entityPolicies: askedEntityPolicies((command) => engine.ask(command)),
    entraTokens,
    onHint: (hint) => log('warn', hint),
  });
  return { authorizer, entraTokens };
}

function amqpServer(engine: Engine, options: EmulatorOptions, { guids, access }: Shared): AmqpServer {
  const { log = () => {} } = options;
  return new AmqpServer(engine, {
    product: 'Jitney',
    version: ownVersion(),
    nextGuid: () => guids.next(),
    nudges: true,
    authorizer: access.authorizer,
    idleTimeouts: chooseIdleTimeouts(options, { azure: AZURE_IDLE_TIMEOUTS, off: NO_IDLE_TIMEOUTS }),
    spansEntities: !brokerOptions(options).limits.hasOneEntityTransactions,
    onHint: (hint) => log('warn', hint),
    onFault: (fault) => log('error', `A fault of the emulator closed a connection: ${stackOf(fault)}`),
  });
}

function httpContext(engine: Engine, options: EmulatorOptions, { guids, access }: Shared): HttpContext {
  const { log = () => {}, tier = 'standard', tokenEndpoint = 'on' } = options;
  const { authorizer, entraTokens } = access;
  return {
    authorizer,
    ...(tokenEndpoint === 'on' ? { entraTokens } : {}),
    engine,
    nextGuid: () => guids.next(),
    startedTime: new Date(),
    tier,
    limits: brokerOptions(options).limits,
    onFault: (fault) => log('error', `A fault of the emulator failed a request: ${stackOf(fault)}`),
  };
}

function startPage(options: EmulatorOptions): StartPage {
  const { host = 'localhost', auth = 'any', tls = 'on', cert } = options;
  const policy = clientPolicy(options.policies);
  const shown = auth === 'strict' ? { ...policy, primaryKey: '<key>' } : policy;
  return {
    version: ownVersion(),
    connectionString: (name, port) => formatConnectionString(name, port, [shown]),
    maskedPolicy: auth === 'strict' ? policy.keyName : undefined,
    host,
    hasAuthority: tls === 'on' && cert === undefined,
  };
}

function isLoopback(host: string): boolean {
  return /^(localhost|127\.[\d.]+|::1)$/i.test(host);
}

function stackOf(fault: unknown): string {
  return fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
}

function ownVersion(): string {
  const { version } = createRequire(import.meta.url)('jitney/package.json') as { version: string };
  return version;
}
