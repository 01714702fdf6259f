// The package's main export: wires broker, engine, journal and front ends together, and stops them in reverse order.

import { arrange } from './arrange.js';
import type { AppliedChange } from './config/apply-entities.js';
import { type ConfiguredEntities, collectEntities } from './config/configured-entities.js';
import { clientHost, formatConnectionString } from './config/connection-string.js';
import type { ConfigurationOptions, CurrentConfiguration } from './config/current-configuration.js';
import type { SetupContext } from './config/entity-setup.js';
import { checkNamespace, type GivenNamespace } from './config/given-namespaces.js';
import { withGuardedLog } from './config/guarded-log.js';
import type { KeptEntities } from './config/kept-entities.js';
import type { EmulatorOptions } from './config/options/emulator-options.js';
import { checkOptions } from './config/options/option-check.js';
import { ownVersion } from './config/package-file.js';
import { SystemGuids } from './engine/system-guids.js';
import { startRealTimer } from './engine/timer.js';
import { tearDown, type Undo } from './engine-start.js';
import { FrontEnds } from './front-ends.js';
import type { EmulatorQueue, EmulatorSubscription, EmulatorTopic } from './inspect/emulator-entities.js';
import { areMatchersLoaded, emulatorLook } from './inspect/emulator-look.js';
import { type EmulatorEntityChanges, entityChanges } from './inspect/entity-changes.js';
import { queueHandle, subscriptionHandle, topicHandle } from './inspect/entity-handles.js';
import { checkResetOptions, checkSnapshot } from './inspect/given-options.js';
import { type IdleOptions, waitForIdle } from './inspect/idle.js';
import { ask, type LookContext, lookErrorOf } from './inspect/look-context.js';
import { TestRecord } from './inspect/test-record.js';
import type { RunningNamespace } from './namespace.js';
import { startNamespaces } from './namespaces-start.js';
import { readSeeds, type Seed } from './seeds.js';
import { entraTokensOf } from './server-options.js';
import type { Snapshots } from './snapshots.js';
import type { EmulatorClock } from './steer/emulator-clock.js';
import type { EmulatorFaults } from './steer/emulator-faults.js';
import { trustAuthority } from './trust.js';
import type { ActivityRecord } from './watch/activity-record.js';
import { type ActivityStream, throwLater } from './watch/activity-stream.js';

export type { AppliedChange } from './config/apply-entities.js';
export type {
  GivenCorrelation,
  GivenFilter,
  GivenPolicy,
  GivenQueue,
  GivenRule,
  GivenSql,
  GivenSubscription,
  GivenTopic,
  GivenValue,
} from './config/given-entities.js';
export type { GivenMessage } from './config/given-message.js';
export type { GivenNamespace } from './config/given-namespaces.js';
export type {
  GivenAuthorizationRule,
  GivenDuration,
  QueueProperties,
  SubscriptionProperties,
  TopicProperties,
} from './config/given-properties.js';
export type { KeptEntities, KeptEntity } from './config/kept-entities.js';
export type { EmulatorOptions } from './config/options/emulator-options.js';
export type {
  EmulatorCounts,
  EmulatorMessages,
  EmulatorQueue,
  EmulatorSubscription,
  EmulatorTopic,
  GivenForEntity,
  MessageQuery,
  ReceivedEmulatorMessage,
  WaitOptions,
} from './inspect/emulator-entities.js';
export type { EmulatorMessage, EmulatorMessageState } from './inspect/emulator-message.js';
export type { Changed, EmulatorEntityChanges } from './inspect/entity-changes.js';
export type { IdleOptions } from './inspect/idle.js';
export { JitneyError, type JitneyErrorKind } from './jitney-error.js';
export type { EmulatorClockState } from './steer/clock-control.js';
export type {
  AdvanceOptions,
  ClockAdvance,
  ClockDuration,
  EmulatorClock,
} from './steer/emulator-clock.js';
export type { AddedFault, EmulatorFaults } from './steer/emulator-faults.js';
export { type Fault, FaultError, type FaultOperation } from './steer/fault.js';
export type { PresetName, PresetOptions } from './steer/fault-presets.js';
export type { ActivityRecord } from './watch/activity-record.js';
export type { TracedFrame } from './watch/traced-frame.js';

/** Options for the SDK's `ServiceBusAdministrationClient`, under the SDK's names. */
type AdminOptions = { readonly tlsOptions?: { readonly ca: string } };

/** The record of everything that happens in an emulator. */
export type EmulatorEvents = {
  /**
   * Calls the listener with each record from now on. Returns a function that ends this. An error that the listener throws ends it, too:
   * the emulator goes on, and the error is thrown again as an uncaught exception, as an EventTarget does.
   */
  subscribe(listener: (record: ActivityRecord) => void): () => void;
  /** The last 10,000 records, oldest first, from the one with this id on. Default: all of them. */
  since(id?: number): ActivityRecord[];
  /**
   * The history of a message, oldest first: of one that is gone, as far back as the last 10,000 records reach. `entityPath` is a
   * queue, a subscription such as `events/Subscriptions/all`, or the dead-letter queue of either.
   */
  history(entityPath: string, sequenceNumber: number): ActivityRecord[];
};

/** A running emulator. Stop it with `stop()`, or declare it with `await using`. Its own members are about the namespace `default`. */
export interface Emulator extends EmulatorNamespace {
  /** A second port for the same protocols, where tools expect `GET /health` and administration; undefined when it is off. */
  readonly httpPort: number | undefined;
  /** The port that clients of AMQP over TLS dial by default; undefined when it is off, or was in use with `'ifFree'`. */
  readonly tlsPort: number | undefined;
  /** The port that clients of HTTPS and WebSocket dial by default; undefined when it is off. */
  readonly httpsPort: number | undefined;
  /**
   * Another namespace of this emulator, with entities, messages, clock, faults and policies of its own. It is started if it is not there: in
   * memory, or with a data directory on the disk. Clients choose it by the name of their key, as its connection string has it.
   *
   * ```ts
   * await using tests = await emulator.namespace('tests-1');
   * const client = new ServiceBusClient(tests.connectionString);
   * ```
   *
   * Rejects with a JitneyError if the name or an option is wrong, an entity is refused, the port is in use, or the emulator is stopped.
   */
  namespace(name: string, options?: NamespaceOptions): Promise<EmulatorNamespace>;
  /** Settles when the emulator has stopped: by `stop()`, or by `POST stop` of the control interface, as `jitney stop` sends it. */
  readonly stopped: Promise<void>;
}

/** The contents with which a namespace is started. One that is there already keeps what it has. */
export type NamespaceOptions = Omit<GivenNamespace, 'name'>;

/** A namespace of a running emulator. `stop()` ends it alone, and what it has on the disk stays. */
export interface EmulatorNamespace extends AsyncDisposable, EmulatorEntityChanges {
  /** `default`, or the name that its clients choose. */
  readonly name: string;
  /** The connection string for the `ServiceBusClient` of any official SDK. */
  readonly connectionString: string;
  /** The host name of the connection string, such as `localhost`. */
  readonly host: string;
  /** The port of the connection string: AMQP, HTTP and WebSocket, with and without TLS. */
  readonly port: number;
  /**
   * The certificate, in PEM, of the authority that programs must trust for TLS; made on first use. Undefined with
   * `tls: 'off'` or with your own certificate.
   *
   * Rejects with a JitneyError when the certificate cannot be made, read or stored.
   */
  readonly caCertificate: Promise<string | undefined>;
  /**
   * Options that make an administration client trust the emulator's certificate:
   * `new ServiceBusAdministrationClient(emulator.connectionString, await emulator.adminOptions)`. Up to version 7.9,
   * `@azure/service-bus` always administers over HTTPS.
   *
   * Rejects like `caCertificate`.
   */
  readonly adminOptions: Promise<AdminOptions>;
  /**
   * Makes this process trust the emulator's certificate, for clients that take no options, such as a `ServiceBusClient` with a
   * credential: by `tls.setDefaultCACertificates`, which Node has from 22.19 and 24.5 on. Call it before the first connection.
   *
   * Rejects with a JitneyError of kind `no-trust` on an older Node, with the line for the shell that does the same, and like
   * `caCertificate`.
   */
  trust(): Promise<void>;
  /**
   * The queues and topics of earlier starts that this start found in the data directory, each with its number of messages.
   * Both lists are empty for an emulator in memory and after a reset.
   */
  readonly kept: KeptEntities;
  /** Nothing is kept before this is first read, unless there is a `log`, the option `ui` is `on`, or the matchers for tests are loaded. */
  readonly events: EmulatorEvents;
  /** The broker's clock: tests skip an hour in no time. */
  readonly clock: EmulatorClock;
  /** Faults on demand: a busy server, a lost acknowledgement, a lock that ends early. */
  readonly faults: EmulatorFaults;
  /** A handle on a queue, to look into it. It need not exist yet. */
  queue(name: string): EmulatorQueue;
  /** A handle on a topic, to look into it. It need not exist yet. */
  topic(name: string): EmulatorTopic;
  /** A handle on a subscription, the same as `topic(topicName).subscription(name)`. It need not exist yet. */
  subscription(topicName: string, name: string): EmulatorSubscription;
  /**
   * Applies a changed configuration while clients stay, as `--watch` does with a Config.json: creates and changes entities and rules so
   * far as they have changed since the start or the last call, all or nothing. An entity that is no longer configured is kept, unless
   * `prune` is true, and so is one with a changed property that is fixed, such as `requiresSession`. Resolves with what has changed, and
   * what was kept.
   *
   * ```ts
   * await emulator.configure({ queues: ['orders?lockDuration=PT1M', 'bills'] });
   * ```
   *
   * Rejects with the JitneyError with which `startEmulator` would refuse the entities; then nothing has changed.
   */
  configure(
    entities: ConfigurationOptions,
    options?: { readonly prune?: boolean },
  ): Promise<readonly AppliedChange[]>;
  /**
   * Resolves when nothing is in progress. Then
   *
   * - no message is locked, in any entity or dead-letter queue, and no transaction is open;
   * - no message waits to be forwarded or transferred to another entity;
   * - everything accepted is durable, and every AMQP connection has sent its output and has received no half message;
   * - there are no active messages, or nothing has happened for 250 ms, because a receiver between two messages looks like one
   *   that wants no more. Messages in dead-letter queues count only where a receiver is attached.
   *
   * Scheduled and deferred messages are not in progress. A message is done with when it is settled, and in receive-and-delete mode when
   * it is sent: `idle` does not see what a handler does after that.
   *
   * Rejects with a JitneyError: `not-idle` after the timeout, which names everything still in progress, or `not-running`. Rejects
   * with the reason of the signal, or with a RangeError or TypeError for wrong options.
   */
  idle(options?: IdleOptions): Promise<void>;
  /**
   * Removes everything from all entities: messages of every state, the states of sessions, the history of duplicate detection,
   * open transactions. Links stay attached, their locks are lost, and sequence numbers go on. It takes the same time for any number of
   * messages. With `all`, the entities also become those of the options again: all others are deleted, and their links detached. All
   * faults are removed, too. Resolves with the number of messages.
   *
   * Rejects with a JitneyError (`not-running`), or with a TypeError for wrong options.
   */
  reset(options?: { readonly all?: boolean }): Promise<number>;
  /**
   * Takes a snapshot of everything that is stored: entities, rules, messages of every state, the states of sessions, the history of
   * duplicate detection. It has no locks and no open transactions. `restore` takes it, in this emulator or another one, now or later;
   * it may be written to a file. It holds up to 100,000 messages and 64 MiB of them.
   *
   * Rejects with a JitneyError: `bad-snapshot` if there is too much for one, or `not-running`.
   *
   * @example
   * const prepared = await emulator.snapshot();
   * afterEach(() => emulator.restore(prepared));
   */
  snapshot(): Promise<Uint8Array>;
  /**
   * Resets the emulator and puts everything of the snapshot back, in one step, also on the disk. Links stay attached, except to entities
   * that the snapshot lacks, or has with another property that is fixed; locks and transactions end. Messages keep their numbers and
   * delivery counts and are unlocked. What had ten minutes left to live, until its schedule, or in the window of duplicate detection has
   * ten minutes left again. Sequence numbers go on, never back. Resolves with the number of messages.
   *
   * Rejects with a JitneyError and changes nothing: `bad-snapshot` if it is damaged or of another format, or `not-running`. Rejects with a
   * TypeError for anything but a Uint8Array.
   */
  restore(snapshot: Uint8Array): Promise<number>;
  /** Rejects with the cause when the emulator breaks while running, for example on a full disk. Never resolves. */
  readonly failed: Promise<never>;
  /** Closes every connection, makes accepted messages durable and frees the ports. Further calls return the same promise. */
  stop(): Promise<void>;
}

const STOPPING = {
  condition: 'amqp:connection:forced',
  description: 'The emulator is being stopped.',
} as const;
const BROKEN = {
  condition: 'amqp:internal-error',
  description: 'The emulator has failed and takes no more messages; its log says why.',
} as const;

/**
 * Starts an emulator of Azure Service Bus in this process, by default in memory and on a free port of localhost. Several
 * can run side by side. A process with a running emulator does not end until the emulator is stopped.
 *
 * ```ts
 * await using emulator = await startEmulator({ queues: ['orders'] });
 * const client = new ServiceBusClient(emulator.connectionString);
 * ```
 *
 * @throws JitneyError, with a stable `code` such as `JIT2006` and a `kind` in words such as `entity-fixed`: when an option, an entity or
 * the Config.json is invalid, or conflicts with a stored entity or the tier; when a port is in use or not permitted, or `host` is not
 * an address of this machine; when the given `cert` or `key` cannot be used; when the data directory is in use, unreadable,
 * unwritable, damaged, or written by a newer version. docs/errors.md lists them.
 */
export async function startEmulator(given: EmulatorOptions = {}): Promise<Emulator> {
  checkOptions(given);
  const options = withGuardedLog(given);
  const entities = await collectEntities(options);
  for (const warning of entities.warnings) options.log?.('warn', warning);
  const seeds = await readSeeds(options.seed);
  const teardown: Undo[] = [];
  try {
    return await wire(options, { entities, seeds }, teardown);
  } catch (error) {
    // The error of the start is more useful than an error of the teardown.
    await tearDown(teardown).catch(() => {});
    throw error;
  }
}

async function wire(
  given: EmulatorOptions,
  content: { readonly entities: ConfiguredEntities; readonly seeds: readonly Seed[] },
  teardown: Undo[],
): Promise<Emulator> {
  const guids = new SystemGuids();
  const entraTokens = entraTokensOf(given);
  const started = await startNamespaces(given, content, { guids, entraTokens, teardown });
  const { namespaces } = started;
  const { options } = namespaces.default;
  const ending = endingOf(teardown);
  const stop = () => void ending.stop().catch(() => {});
  const frontEnds = await FrontEnds.make(namespaces, options, { guids, entraTokens, stop });
  namespaces.failed.catch(() => frontEnds.fail(BROKEN));
  teardown.push(() => frontEnds.close(STOPPING));
  // The logs end first: a line for each connection that the stop closes would help no one.
  teardown.push(() => namespaces.endLooks());
  namespaces.default.wake();
  if (options.telemetry === true) {
    const readMetrics = () => frontEnds.metrics();
    const { engine, activity } = namespaces.default;
    const { observeWithOpenTelemetry } = await import('./traces/telemetry.js');
    teardown.push(await observeWithOpenTelemetry({ engine, activity, readMetrics, version: ownVersion() }));
  }
  await started.startOthers(frontEnds);
  const ports = await frontEnds.open(started.held);

  const { failed } = namespaces;
  const emulator = namespaceObject(namespaces.default, frontEnds, { port: ports.port, failed, ...ending });
  return Object.assign(emulator, {
    stopped: ending.stopped,
    ...ports,
    namespace: async (name: string, more?: NamespaceOptions) => {
      checkNamespace({ ...more, name });
      const namespace = await namespaces.open({ ...more, name });
      return namespaceObject(namespace, frontEnds, {
        port: namespaces.portOf(namespace) ?? ports.port,
        failed: namespace.engine.failed,
        stop: async () => {
          if (namespaces.get(namespace.name) === namespace) await namespaces.close(namespace.name);
        },
      });
    },
  });
}

type OfNamespace = Pick<EmulatorNamespace, 'port' | 'failed' | 'stop'>;

/** A namespace, for a program in the same process. */
function namespaceObject(
  namespace: RunningNamespace,
  frontEnds: FrontEnds,
  { port, failed, stop }: OfNamespace,
): EmulatorNamespace {
  const { name, activity, options, parts } = namespace;
  const { kept, clock, faults, snapshots, setup, configuration } = parts;
  const { host = 'localhost' } = options;
  const context = lookContext(namespace, frontEnds);
  return {
    name,
    connectionString: formatConnectionString(host, port, options.policies, name),
    host: clientHost(host),
    port,
    get caCertificate() {
      return frontEnds.authority();
    },
    get adminOptions() {
      return frontEnds.authority().then((ca) => (ca === undefined ? {} : { tlsOptions: { ca } }));
    },
    trust: async () => trustAuthority(await frontEnds.authority(), frontEnds.authorityPath),
    kept,
    get events() {
      return eventsOf(activity);
    },
    ...entityMembers(context, setup, configuration),
    idle: (given) => waitForIdle(context, given),
    clock,
    faults,
    reset: async (given) => {
      const all = checkResetOptions(given);
      const { count } = await ask(context, { kind: 'reset' }, 'purged');
      if (all) await namespace.resetEntities();
      return count;
    },
    ...snapshotMethods(snapshots, context),
    failed,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

/** The handles of entities, and the functions that change entities. */
function entityMembers(context: LookContext, setup: SetupContext, configuration: CurrentConfiguration) {
  return {
    queue: (name: string) => queueHandle(context, name),
    topic: (name: string) => topicHandle(context, name),
    subscription: (topicName: string, name: string) => subscriptionHandle(context, topicName, name),
    ...entityChanges({ look: context, ...setup }),
    configure: async (given: ConfigurationOptions, options?: { readonly prune?: boolean }) => {
      context.waits.check();
      return configuration.apply(given, options);
    },
  };
}

function eventsOf(activity: ActivityStream): EmulatorEvents {
  activity.turnOn();
  return {
    subscribe: (listener) => {
      const end = activity.observe((_kind, read) => {
        const record = read();
        try {
          listener(record);
        } catch (error) {
          end();
          throwLater(error);
        }
      });
      return end;
    },
    since: (id = 0) => [...activity.since(id)],
    history: (entityPath, sequenceNumber) => [...activity.history(entityPath, sequenceNumber).records],
  };
}

/** They reject with a JitneyError in place of the broker's error. */
function snapshotMethods(snapshots: Snapshots, context: LookContext): Pick<Emulator, 'snapshot' | 'restore'> {
  const answer = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    context.waits.check();
    try {
      return await work();
    } catch (error) {
      throw await lookErrorOf(error, context);
    }
  };
  return {
    snapshot: () => answer(() => snapshots.take()),
    restore: (snapshot) => answer(() => snapshots.restore(checkSnapshot(snapshot))),
  };
}

/** Makes the context of the handles of entities: the parts of the namespace, and the look of the matchers of tests. */
function lookContext(namespace: RunningNamespace, frontEnds: FrontEnds): LookContext {
  const { engine, activity, parts } = namespace;
  const { kept, clock, waits } = parts;
  const connections = frontEnds.trafficOf(namespace);
  const context = { engine, activity, waits, connections, startTimer: startRealTimer };
  const look = emulatorLook(context, {
    isEmpty: kept.queues.length + kept.topics.length === 0,
    isRecording: areMatchersLoaded(),
    clock: () => clock.state,
    now: Date.now,
    record: new TestRecord(activity, Date.now),
  });
  return { ...context, look, arrange: arrange(engine) };
}

/** The end of an emulator, which begins with the first call of `stop`. */
function endingOf(teardown: Undo[]): Pick<Emulator, 'stop' | 'stopped' | typeof Symbol.asyncDispose> {
  let begin = (_begun: Promise<void>) => {};
  const stopped = new Promise<void>((resolve) => {
    begin = resolve;
  });
  // The caller of `stop` learns of a failure; nobody has to wait for `stopped`.
  stopped.catch(() => {});
  let begun: Promise<void> | undefined;
  const stop = () => {
    begun ??= tearDown(teardown);
    begin(begun);
    return begun;
  };
  return { stop, stopped, [Symbol.asyncDispose]: stop };
}
