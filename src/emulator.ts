// The package's main export: wires broker, engine, journal and front ends together; starts and stops them in mirrored order.

import { join } from 'node:path';
import { Broker } from './broker/broker.js';
import type { Command } from './broker/command.js';
import type { StoredEvent } from './broker/event.js';
import { ServiceBusError } from './broker/service-bus-error.js';
import { brokerOptions } from './config/broker-options.js';
import { setUpCarefully } from './config/careful-setup.js';
import { collectEntities, type Entities } from './config/configured-entities.js';
import { clientHost, formatConnectionString } from './config/connection-string.js';
import { EntitySetup } from './config/entity-setup.js';
import { type KeptEntities, keptEntities } from './config/kept-entities.js';
import { checkOptions } from './config/option-check.js';
import type { EmulatorOptions } from './config/options.js';
import { contentReader } from './content/message-reader.js';
import { Engine } from './engine/engine.js';
import type { Journal } from './engine/ports.js';
import { SystemClock } from './engine/system-clock.js';
import { SystemGuids } from './engine/system-guids.js';
import { FrontEnds, tryWaysIn } from './front-ends.js';
import { makeDataDirectory } from './journal/data-directory.js';
import { openJournal } from './journal/open-journal.js';

export type { QueueDescription } from './broker/entity/queue-description.js';
export { describeQueue } from './broker/entity/queue-description.js';
export { ConfigError } from './config/config-error.js';
export type { KeptEntities, KeptEntity } from './config/kept-entities.js';
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

/** The options that an administration client needs beside the connection string, in the names of the SDK's own. */
export type AdminOptions = { readonly tlsOptions?: { readonly ca: string } };

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
  /**
   * The certificate, in PEM, of the authority that programs must trust to speak TLS with it; made when it is first asked for.
   * Undefined with `tls: 'off'`, or with a certificate of your own. Rejects with a CertificateError when it cannot be made or kept.
   */
  readonly caCertificate: Promise<string | undefined>;
  /**
   * For `new ServiceBusAdministrationClient(emulator.connectionString, await emulator.adminOptions)`, which speaks HTTPS up to
   * `@azure/service-bus` 7.9 and then trusts that certificate. Rejects as `caCertificate` does.
   */
  readonly adminOptions: Promise<AdminOptions>;
  /** The queues and topics of earlier starts that were in the data directory, and their messages; none in memory or after a reset. */
  readonly kept: KeptEntities;
  /** Rejects with the cause if the emulator breaks while running; it never resolves. */
  readonly failed: Promise<never>;
  /** Closes every connection, makes durable what was accepted, and frees the ports. May be called twice. */
  stop(): Promise<void>;
}

/** Undoes one thing that was started. */
type Step = () => Promise<void>;

/** The journal has a folder of its own: other things of the emulator may come to lie beside it. */
const JOURNAL_FOLDER = 'journal';
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
  const { engine, kept } = await startEngine(options, entities, { guids, teardown });
  const frontEnds = await FrontEnds.make(engine, options, guids);
  engine.failed.catch(() => frontEnds.fail(BROKEN));
  teardown.push(() => frontEnds.close(GOODBYE));
  const ports = await frontEnds.open();

  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= tearDown(teardown);
    return stopped;
  };
  return {
    connectionString: formatConnectionString(host, ports.port, options.policies),
    host: clientHost(host),
    ...ports,
    get caCertificate() {
      return frontEnds.authority();
    },
    get adminOptions() {
      return frontEnds.authority().then((ca) => (ca === undefined ? {} : { tlsOptions: { ca } }));
    },
    kept,
    failed: engine.failed,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** Journal, broker and engine, recovered and with the entities in place. */
async function startEngine(
  options: EmulatorOptions,
  entities: Entities,
  { guids, teardown }: { guids: SystemGuids; teardown: Step[] },
): Promise<{ engine: Engine; kept: KeptEntities }> {
  const { contentBudgetBytes } = options;
  const { limits, choices } = brokerOptions(options);
  const makeBroker = () =>
    new Broker({ limits, choices, nextGuid: () => guids.next(), messageReader: contentReader });
  const copyOf = (stored: readonly StoredEvent[]) => {
    const copy = makeBroker();
    copy.restore(stored);
    return async (command: Command) => copy.execute(command, 0).result;
  };
  // A start that would be refused for its entities, its certificate or its ports must not reset anything.
  if (options.reset === true && options.dataDirectory !== undefined) {
    await new EntitySetup(copyOf([]), limits).carryOut(entities);
    await tryWaysIn(options);
  }
  const engine = new Engine(
    makeBroker(),
    await openStorage(options),
    new SystemClock(),
    contentBudgetBytes === undefined ? {} : { contentBudgetBytes },
  );
  teardown.push(() => engine.stop());
  await engine.start();
  const ask = (command: Command) => engine.ask(command);
  const kept = await keptEntities(ask);
  await setUpCarefully(entities, { ask, limits, copyOf }).catch((error: unknown) => {
    // Of an engine that has broken meanwhile, what broke it says more than its refusals.
    return error instanceof ServiceBusError
      ? Promise.race([engine.failed, Promise.reject(error)])
      : Promise.reject(error);
  });
  return { engine, kept };
}

async function openStorage({
  dataDirectory,
  durability = 'os',
  reset = false,
  log,
}: EmulatorOptions): Promise<Journal> {
  if (dataDirectory === undefined) return openJournal({});
  await makeDataDirectory(dataDirectory);
  const warn = (text: string) => log?.('warn', text);
  return openJournal({ directory: join(dataDirectory, JOURNAL_FOLDER), durability, reset, warn });
}

/** In the reverse order of what was started, and all of it; then throws what was thrown first. */
async function tearDown(steps: Step[]): Promise<void> {
  const failures: unknown[] = [];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    await step().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
