// The options of `startEmulator`. Made from the table of options: change that, and run npm run fix.

import type { GivenPolicy, GivenQueue, GivenTopic } from '../given-entities.js';
import type { GivenMessage } from '../given-message.js';
import type { GivenNamespace } from '../given-namespaces.js';
import type { LineLevel, LogDetails } from './log-options.js';

/** Options of `startEmulator`. Each has a default that suits a test; an unknown name or a wrong value is a JitneyError. */
export type EmulatorOptions = {
  /**
   * The address to listen on; `localhost` is the loopback address of IPv4 and, if the machine has it, of
   * IPv6. Default: localhost: 127.0.0.1 and ::1.
   */
  readonly host?: string;
  /** The port for AMQP, HTTP and WebSocket, each with TLS or without; 0 takes a free port. Default: `0`. */
  readonly port?: number;
  /**
   * A second port for the same protocols, on which tools expect `GET /health` and the administration; 0 takes
   * a free port. Default: `'off'`.
   */
  readonly httpPort?: number | 'off';
  /**
   * The path of a Config.json in the official emulator's format, with that emulator's defaults: 3 deliveries,
   * and one hour to live. Default: none.
   */
  readonly configFile?: string;
  /**
   * The text of a Config.json in place of a file; a flag that names a file wins over the variable, and in
   * code only one of the two may be given.
   */
  readonly configJson?: string;
  /**
   * A queue to create: `orders`, `orders?lockDuration=PT5S&maxDeliveryCount=3`, or in code `{ name: 'orders',
   * lockDuration: 'PT5S' }`.
   */
  readonly queues?: readonly (string | GivenQueue)[];
  /**
   * A topic to create and its subscriptions: `events/audit+mail`,
   * `events/audit?defaultMessageTimeToLive=PT1H`, or in code `{ name: 'events', subscriptions: [{ name: 'eu',
   * filter: "region = 'EU'" }] }`.
   */
  readonly topics?: readonly (string | GivenTopic)[];
  /**
   * Messages with which a start in memory or of an empty directory begins: a file with one as JSON in each
   * line, in code also an array.
   */
  readonly seed?: string | readonly GivenMessage[];
  /**
   * Further namespaces in the same process, each with entities, messages, clock, faults and policies of its
   * own: `tests-1,tests-2`; clients choose one by the name of their key, `RootManageSharedAccessKey@tests-1`.
   * `auto` makes each one that a client names, in memory, until ten minutes after its last client; in code
   * also `[{ name: 'tests-1', queues: ['orders'], port: 0 }]`.
   */
  readonly namespaces?: readonly (string | GivenNamespace)[];
  /**
   * Creates what is missing, with Azure's defaults and a warning each: a queue for a sender or a scheduled
   * message; a queue, or a topic and subscription, for a receiver; with sessions for one that accepts a
   * session. Peeks, sub-queues, administration, reads over HTTP and destinations of forwarding create
   * nothing. Default: `false`.
   */
  readonly autoCreate?: boolean;
  /**
   * The directory for entities and messages; created if missing. Default: everything is in memory, and lost
   * when the process ends.
   */
  readonly dataDirectory?: string;
  /**
   * First removes the messages and entities of earlier starts; certificates and keys stay. The start is
   * refused, and nothing is removed, if another emulator uses the directory, if it contains foreign files, if
   * an entity or the certificate is refused, or if a port is in use. If another process takes a port after
   * this check, that is noticed only after the removal. Default: `false`.
   */
  readonly reset?: boolean;
  /**
   * `os`: accepted messages survive if the process is killed; `fsync`: also if the power fails. Default:
   * `'os'`.
   */
  readonly durability?: 'os' | 'fsync';
  /** Bytes of message content that are held in memory in addition to the journal. Default: 32 MiB. */
  readonly contentBudgetBytes?: number;
  /**
   * The Azure tier whose limits and features apply; Basic has no topics, sessions, forwarding, transactions
   * or duplicate detection. Default: `'standard'`.
   */
  readonly tier?: 'basic' | 'standard' | 'premium';
  /**
   * `none` lifts the tier's limits of size and number, but not of features. A message may then have up to 100
   * MiB and take any time to arrive, and the number of connections and links is not limited. Default:
   * `'azure'`.
   */
  readonly limits?: 'azure' | 'none';
  /**
   * Who gets JMS 2.0, such as temporary queues: with `azure` only connections of azure-servicebus-jms, as in
   * the service; with `all` those of Qpid JMS too. Default: `'azure'`.
   */
  readonly jms?: 'azure' | 'all';
  /**
   * `virtual`: time is stopped until `jitney clock`, the control interface or `emulator.clock` moves it;
   * `real`: the time of this machine. Default: as stored in the data directory.
   */
  readonly clock?: 'real' | 'virtual';
  /**
   * The page in a browser: with `read-only` it cannot change anything; with `off` there is only a short page
   * with the connection string. Default: `'on'`.
   */
  readonly ui?: 'on' | 'read-only' | 'off';
  /** A name for this emulator, shown in the title of its page. */
  readonly label?: string;
  /**
   * Where each option comes from, such as `{ tier: '--tier' }`; the page and `GET info` of the control
   * interface show it.
   */
  readonly settingOrigins?: Readonly<Record<string, string>>;
  /**
   * `true`: hands the spans of messages and the metrics to the OpenTelemetry SDK that this program has
   * registered; `jitney start` does so when `OTEL_EXPORTER_OTLP_ENDPOINT` is set. Default: `false`.
   */
  readonly telemetry?: boolean;
  /**
   * A message may request a fault in its application property `x-jitney-fault`, such as `server-busy` or
   * `complete lose-answer`. Default: `false`.
   */
  readonly faultProperty?: boolean;
  /**
   * When messages expire: `always` on time; with `whenListening` only while a receiver listens on their
   * queue, exactly as Azure's article on message expiration says. Default: `'always'`.
   */
  readonly expirySweep?: 'always' | 'whenListening';
  /**
   * A receiver whose link or connection ends gives back its locked messages at once, with the same delivery
   * count; messages received by sequence number stay locked. Without this option, as in Azure, all stay
   * locked until their lock expires. Default: `false`.
   */
  readonly releaseLocksOnDetach?: boolean;
  /**
   * `true`: in an entity with sessions, messages expire only while a receiver listens, and one expired
   * message makes its whole session expire; `false`: they expire one by one and on time. Default: `true`.
   */
  readonly expireWholeSession?: boolean;
  /**
   * `azure`: detaches an unused link after 10 minutes unless it holds a session, and closes a connection
   * without links after 5 minutes (after 1 minute if it never had one). Default: `'off'`.
   */
  readonly idleTimeouts?: 'off' | 'azure';
  /**
   * The time in which an anonymous connection must send its token: `PT20S`, or `20` for seconds; in code
   * milliseconds. Default: off, or 20 seconds with Azure's idle timeouts.
   */
  readonly authorizationTimeoutMs?: number | 'off';
  /**
   * The port to which clients of AMQP over TLS connect by default. If 5671 is the default and in use, a
   * warning says so; in code, `'ifFree'` takes 5671 in the same way. Default: `'off'`.
   */
  readonly tlsPort?: number | 'off' | 'ifFree';
  /** The port to which clients of HTTPS and WebSocket connect by default, 443. Default: `'off'`. */
  readonly httpsPort?: number | 'off';
  /**
   * `'off'`: no port uses TLS; `'on'`: every port does, and the certificate is made when the first client
   * needs it. Default: `'on'`.
   */
  readonly tls?: 'on' | 'off';
  /**
   * The path of a PEM file with a certificate of your own, followed by its intermediate certificates; needs
   * `--key`, in code `key`.
   */
  readonly cert?: string;
  /** The path of the PEM file with its private key. */
  readonly key?: string;
  /**
   * A further name or address for Jitney's own certificate, in addition to the names of this machine; with a
   * port for clients that look for one.
   */
  readonly certHosts?: readonly string[];
  /**
   * The directory of Jitney's own certificates, which emulators may share. Default: `certificates` in
   * `dataDirectory`; without that, in memory.
   */
  readonly certificateDirectory?: string;
  /**
   * A shared access policy of the namespace, such as `sender=Send+Listen:its-key`. It replaces the well-known
   * policy, which has all rights and the key `SAS_KEY_VALUE`; in code `[{ keyName: 'sender', rights:
   * ['Send'], primaryKey: 'secret' }]`. Default: RootManageSharedAccessKey.
   */
  readonly policies?: readonly GivenPolicy[];
  /**
   * `strict` checks keys, tokens and their rights as Azure does; `any` accepts all of them. Default: `'any'`.
   */
  readonly auth?: 'any' | 'strict';
  /**
   * `'off'`: issues no tokens; `'on'`: every program that asks gets an Entra token, as
   * `DefaultAzureCredential` does on App Service and virtual machines. Default: `'on'`.
   */
  readonly tokenEndpoint?: 'on' | 'off';
  /**
   * `false`: there is no control interface, `/$jitney`, with which people and tools look into the emulator.
   * Default: `true`.
   */
  readonly control?: boolean;
  /**
   * Origins of web pages that may use the emulator, in addition to pages of this machine:
   * `https://app.example.com`, `null`, or `*` for all; with `$jitney` among them they may also use the
   * control interface.
   */
  readonly allowedOrigins?: readonly string[];
  /**
   * Names that a request may have in its Host header, in addition to the names of this machine:
   * `jitney.test`, `*.jitney.test`.
   */
  readonly allowedHosts?: readonly string[];
  /**
   * The lowest level of lines in the log: `trace`, `debug`, `info`, `warn`, `error`, or `silent` for none.
   * Default: `'info'`.
   */
  readonly logLevel?: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /**
   * At `debug`, shows the first 256 characters of the body of each message that arrives. Default: `false`.
   */
  readonly logBodies?: boolean;
  /**
   * A function that receives each line of the log: `trace` has one for each AMQP frame, `debug` one for each
   * thing that happens, `info` says why something did not go as a program expected, `warn` what a person
   * should change, `error` a fault of the emulator. `details` is the record or the frame that the line is
   * about. If the function throws, the emulator goes on, and the first error becomes a warning of the
   * process. Default: none.
   */
  readonly log?: (level: LineLevel, message: string, details?: LogDetails) => void;
};
