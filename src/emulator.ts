// The package's main export: wires broker, engine, journal and front ends together; starts and stops them in mirrored order.

import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { AmqpServer } from './amqp/amqp-server.js';
import { AZURE_IDLE_TIMEOUTS, NO_IDLE_TIMEOUTS } from './amqp/idle-timeouts.js';
import { Broker } from './broker/broker.js';
import type { Command } from './broker/command.js';
import type { StoredEvent } from './broker/event.js';
import { ServiceBusError } from './broker/service-bus-error.js';
import { brokerOptions } from './config/broker-options.js';
import { setUpCarefully } from './config/careful-setup.js';
import { certificateOptions } from './config/certificate-options.js';
import { collectEntities, type Entities } from './config/configured-entities.js';
import { clientHost, formatConnectionString } from './config/connection-string.js';
import { chooseIdleTimeouts } from './config/idle-options.js';
import { checkOptions } from './config/option-check.js';
import { AMQPS_PORT, type EmulatorOptions } from './config/options.js';
import { contentReader } from './content/message-reader.js';
import { Engine } from './engine/engine.js';
import { SystemClock } from './engine/system-clock.js';
import { SystemGuids } from './engine/system-guids.js';
import { Gateway } from './gateway/gateway.js';
import { HttpDoor, type RequestHandler } from './gateway/http-door.js';
import { withFront } from './gateway/http-front.js';
import type { PortError } from './gateway/port-error.js';
import { VisitorCheck } from './gateway/visitor-check.js';
import { WebSocketDoor } from './gateway/websocket-door.js';
import type { HttpContext } from './http/http-context.js';
import { createHttpHandler } from './http/http-handler.js';
import { openJournal } from './journal/open-journal.js';
import { askedEntityPolicies } from './security/access-policy.js';
import { Authorizer } from './security/authorizer.js';
import { openCertificates } from './security/certificates.js';
import { EntraTokens } from './security/entra-token.js';

export type { QueueDescription } from './broker/entity/queue-description.js';
export { describeQueue } from './broker/entity/queue-description.js';
export { ConfigError } from './config/config-error.js';
export type {
  EmulatorOptions,
  GivenCorrelation,
  GivenFilter,
  GivenPolicy,
  GivenQueue,
  GivenRule,
  GivenSql,
  GivenSubscription,
  GivenTopic,
  GivenValue,
} from './config/options.js';
export { PortError } from './gateway/port-error.js';
export { JournalError } from './journal/journal-error.js';
export { CertificateError } from './security/certificate-error.js';

/** A running emulator. */
export interface Emulator extends AsyncDisposable {
  /** For `new ServiceBusClient(...)` of any official SDK. */
  readonly connectionString: string;
  /** The name clients use for this machine, such as `localhost`. */
  readonly host: string;
  /** The port of the connection string: AMQP and HTTP. */
  readonly port: number;
  /** A second port for the same, where tools look for `GET /health` and the administration; undefined when it is off. */
  readonly httpPort: number | undefined;
  /** The port that clients of AMQP over TLS dial by themselves; undefined when it is off, or was taken. */
  readonly tlsPort: number | undefined;
  /** The port that clients of HTTPS and WebSockets dial by themselves; undefined when it is off. */
  readonly httpsPort: number | undefined;
  /** Rejects with the cause if the emulator breaks while running; it never resolves. */
  readonly failed: Promise<never>;
  /** Closes every connection, makes durable what was accepted, and frees the ports. May be called twice. */
  stop(): Promise<void>;
}

/** Undoes one thing that was started. */
type Step = () => Promise<void>;

/** The journal has a folder of its own: other things of the emulator may come to lie beside it. */
const JOURNAL_FOLDER = 'journal';
/** Beside the certificates, for tokens to outlive the process. */
const TOKEN_KEY_FILE = 'token-key.pem';
const GOODBYE = {
  condition: 'amqp:connection:forced',
  description: 'The emulator is being stopped.',
} as const;
const BROKEN = {
  condition: 'amqp:internal-error',
  description: 'The emulator has failed and takes no more messages; what it had accepted is safe.',
} as const;

/**
 * Starts an emulator in this process: in memory and on a free port of localhost unless told otherwise. Several may run
 * side by side. It is stopped by `stop()` or by leaving the scope of an `await using`.
 *
 * @throws ConfigError when an option, an entity or the config file is not as it must be, or an entity asks for what cannot
 * be done; PortError when a port cannot be had; CertificateError when a given certificate cannot be used; JournalError when the data directory cannot be used.
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  checkOptions(options);
  const entities = await collectEntities(options);
  for (const warning of entities.warnings) options.log?.('warn', warning);
  const teardown: Step[] = [];
  try {
    return await wire(options, entities, teardown);
  } catch (error) {
    // Why it did not start is more worth telling than what then fails.
    await tearDown(teardown).catch(() => {});
    throw error;
  }
}

async function wire(options: EmulatorOptions, entities: Entities, teardown: Step[]): Promise<Emulator> {
  const { host = 'localhost' } = options;
  const guids = new SystemGuids();
  const engine = await startEngine(options, entities, { guids, teardown });
  let illness: string | undefined;
  const access = accessControl(engine, options);
  const amqp = amqpServer(engine, options, { guids, access });
  const answer = createHttpHandler(() => illness, httpContext(engine, options, { guids, access }));
  const { gateway, http } = await makeGateway(options, amqp, answer);
  engine.failed.catch(() => {
    illness = BROKEN.description;
    amqp.close(BROKEN);
    http.dropAll();
  });
  // All at the same time: each may have clients that do not go by themselves.
  teardown.push(() => {
    amqp.close(GOODBYE);
    return allOf([http.close(), gateway.close()]);
  });
  const ports = await openPorts(options, gateway);

  let stopped: Promise<void> | undefined;
  const stop = () => {
    illness ??= GOODBYE.description;
    stopped ??= tearDown(teardown);
    return stopped;
  };
  return {
    connectionString: formatConnectionString(host, ports.port, options.policies),
    host: clientHost(host),
    ...ports,
    failed: engine.failed,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

type Ways = { readonly gateway: Gateway; readonly http: HttpDoor };

/** Every way in, behind every port there will be. */
async function makeGateway(
  options: EmulatorOptions,
  amqp: AmqpServer,
  answer: RequestHandler,
): Promise<Ways> {
  const { host = 'localhost', certHosts = [], allowedHosts = [], allowedOrigins = [] } = options;
  const tell = (text: string) => options.log?.('warn', text);
  const certificates =
    options.tls === 'off' ? undefined : await openCertificates({ ...certificateOptions(options), tell });
  const visitors = new VisitorCheck({
    hosts: [host, ...certHosts, ...allowedHosts],
    origins: allowedOrigins,
  });
  const webSockets = new WebSocketDoor((stream) => amqp.serve(stream), visitors);
  const http = new HttpDoor(withFront(answer, { visitors, certificates }), {}, (...asked) =>
    webSockets.upgrade(...asked),
  );
  const protocols = {
    amqp: (socket: Socket) => amqp.serve(socket),
    http: (socket: Socket) => http.take(socket),
  };
  return { gateway: new Gateway(protocols, certificates && { certificates, onHint: tell }), http };
}

type Ports = Pick<Emulator, 'port' | 'httpPort' | 'tlsPort' | 'httpsPort'>;

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
  const entraTokens = new EntraTokens(
    directory === undefined ? {} : { keyFile: join(directory, TOKEN_KEY_FILE) },
  );
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
    onHint: (hint) => log('warn', hint),
    onFault: (fault) => log('error', `A fault of the emulator closed a connection: ${stackOf(fault)}`),
  });
}

function httpContext(engine: Engine, options: EmulatorOptions, { guids, access }: Shared): HttpContext {
  const { log = () => {}, tier = 'standard' } = options;
  return {
    ...access,
    engine,
    nextGuid: () => guids.next(),
    startedTime: new Date(),
    tier,
    limits: brokerOptions(options).limits,
    onFault: (fault) => log('error', `A fault of the emulator failed a request: ${stackOf(fault)}`),
  };
}

/** Journal, broker and engine, recovered and with the entities in place. */
async function startEngine(
  options: EmulatorOptions,
  entities: Entities,
  { guids, teardown }: { guids: SystemGuids; teardown: Step[] },
): Promise<Engine> {
  const { dataDirectory, durability = 'os', contentBudgetBytes } = options;
  const journal = await openJournal(
    dataDirectory === undefined ? {} : { directory: join(dataDirectory, JOURNAL_FOLDER), durability },
  );
  const { limits, choices } = brokerOptions(options);
  const makeBroker = () =>
    new Broker({ limits, choices, nextGuid: () => guids.next(), messageReader: contentReader });
  const engine = new Engine(
    makeBroker(),
    journal,
    new SystemClock(),
    contentBudgetBytes === undefined ? {} : { contentBudgetBytes },
  );
  teardown.push(() => engine.stop());
  await engine.start();
  const ask = (command: Command) => engine.ask(command);
  const copyOf = (stored: readonly StoredEvent[]) => {
    const copy = makeBroker();
    copy.restore(stored);
    return async (command: Command) => copy.execute(command, 0).result;
  };
  await setUpCarefully(entities, { ask, limits, copyOf }).catch((error: unknown) => {
    // Of an engine that has broken meanwhile, what broke it says more than its refusals.
    return error instanceof ServiceBusError
      ? Promise.race([engine.failed, Promise.reject(error)])
      : Promise.reject(error);
  });
  return engine;
}

/** In the reverse order of what was started, and all of it; then throws what was thrown first. */
async function tearDown(steps: Step[]): Promise<void> {
  const failures: unknown[] = [];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    await step().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

/** Waits for all, also when one fails. */
async function allOf(running: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(running);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

function stackOf(fault: unknown): string {
  return fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
}

function ownVersion(): string {
  const { version } = createRequire(import.meta.url)('jitney/package.json') as { version: string };
  return version;
}
