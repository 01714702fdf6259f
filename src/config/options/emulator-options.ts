// The options of `startEmulator`, with the objects and values that they take.

import type { ActivityRecord } from '../../activity/activity-record.js';
import type { TracedFrame } from '../../activity/traced-frame.js';
import type { ExpirySweep } from '../../broker/behaviour-options.js';
import type { AccessRight } from '../../broker/entities/authorization-rule.js';
import type { QueueDescription } from '../../broker/entities/queue-description.js';
import type { SubscriptionDescription, TopicDescription } from '../../broker/entities/topic-description.js';
import type { Tier } from '../../broker/limits.js';
import type { Action, Filter } from '../../broker/rules/rule-description.js';

/** Which failures stored messages survive: a killed process (`os`), or also a power failure (`fsync`). */
export type Durability = 'os' | 'fsync';
/** The page in a browser. */
export type PageOption = 'on' | 'read-only' | 'off';
/** Whose time is the broker's. */
export type ClockOption = 'real' | 'virtual';
/** Which limits of size and number apply: those of the Azure tier, or none. */
export type LimitSet = 'azure' | 'none';
/** Which timers close idle links and connections: none, or Azure's. */
export type IdleTimeoutSet = 'off' | 'azure';
/** Whether keys and tokens are checked: `any` accepts all of them, `strict` checks them as Azure does. */
export type AuthMode = 'any' | 'strict';
/** The level of a line of the log. */
export type LineLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';
export type LogLevel = LineLevel | 'silent';
/** The form of the lines of the command line's log. */
export type LogFormat = 'pretty' | 'json';
/** The record or the frame that a line of the log tells of. */
export type LogDetails = ActivityRecord | TracedFrame;

export const TIERS: readonly Tier[] = ['basic', 'standard', 'premium'];
/** The standard port of AMQP over TLS. */
export const AMQPS_PORT = 5671;

/**
 * A queue as an object, such as `{ name: 'orders', lockDurationMs: 5000 }`. The properties are those of the SDK's
 * CreateQueueOptions, with durations in milliseconds. Missing properties get Azure's defaults.
 */
export type GivenQueue = Pick<QueueDescription, 'name'> & Partial<QueueDescription>;

/**
 * A topic as an object. The properties are those of the SDK's CreateTopicOptions, with durations in milliseconds. Missing
 * properties get Azure's defaults.
 */
export type GivenTopic = Pick<TopicDescription, 'name'> &
  Partial<TopicDescription> & {
    /**
     * Subscriptions to create: `'audit'`, `'audit?lockDuration=PT5S'`, or an object. Default: none; a topic without
     * subscriptions discards its messages.
     */
    readonly subscriptions?: readonly (string | GivenSubscription)[];
  };

/**
 * A subscription as an object, such as `{ name: 'eu', filter: "region = 'EU'" }`. The properties are those of the SDK's
 * CreateSubscriptionOptions, with durations in milliseconds. Missing properties get Azure's defaults.
 */
export type GivenSubscription = Pick<SubscriptionDescription, 'name'> &
  Partial<SubscriptionDescription> & {
    /** The filter of its only rule, `$Default`. Cannot be combined with `rules`. */
    readonly filter?: GivenFilter;
    /**
     * Exactly the rules that the subscription has after the start; other rules of earlier starts are removed. An empty list
     * means one rule, `$Default`, that matches every message. Default: a new subscription gets that rule, and an existing one
     * keeps its rules.
     */
    readonly rules?: readonly GivenRule[];
  };

/** A rule of a subscription: which messages it selects, and how it changes their copies. */
export type GivenRule = {
  readonly name: string;
  /** Selects messages. Default `true`: every message. */
  readonly filter?: GivenFilter;
  /** Changes the subscription's copy of a message, such as `"SET sys.Label = 'x'"`. Default: no change. */
  readonly action?: string | GivenSql | Action | undefined;
};

/**
 * A filter: SQL such as `"color = 'blue'"`; `true` for every message or `false` for none; an object of properties that a
 * message must equal; or a filter object as the SDK or Jitney lists it. Invalid SQL is a ConfigError with line and column.
 */
export type GivenFilter = string | boolean | GivenSql | GivenCorrelation | Filter;

/** A SQL filter or action in the form of the SDK's SqlRuleFilter and SqlRuleAction. */
export type GivenSql = {
  readonly sqlExpression: string;
  /** Values of the parameters that the SQL names, by name with its `@`: `{ '@color': 'blue' }`. */
  readonly sqlParameters?: Readonly<Record<string, GivenValue>>;
};

/** A correlation filter in the form of the SDK's CorrelationRuleFilter: a message must equal every given property. */
export type GivenCorrelation = {
  readonly contentType?: string;
  readonly correlationId?: string;
  readonly messageId?: string;
  readonly replyTo?: string;
  readonly replyToSessionId?: string;
  readonly sessionId?: string;
  readonly subject?: string;
  readonly to?: string;
  readonly applicationProperties?: Readonly<Record<string, GivenValue>>;
};

/** A value that a filter compares with: a safe whole number is an int or a long, another number a double, a date a timestamp. */
export type GivenValue = string | number | bigint | boolean | Date;

/** A shared access policy of the namespace. As in Azure, the right `Manage` requires `Send` and `Listen` too. */
export type GivenPolicy = {
  readonly keyName: string;
  readonly rights: readonly AccessRight[];
  readonly primaryKey: string;
  readonly secondaryKey?: string;
};

/** Options of `startEmulator`. Each has a default that suits a test; an unknown name or a wrong value is a ConfigError. */
export type EmulatorOptions = {
  /** Address to listen on. Default `'localhost'`: the loopback addresses of IPv4 and, if the machine has it, IPv6. */
  readonly host?: string;
  /** Port for AMQP, HTTP and WebSocket, each with and without TLS. Default 0: any free port. */
  readonly port?: number;
  /** A second port for the same protocols. 0 takes any free port. Default `'off'`. */
  readonly httpPort?: number | 'off';
  /**
   * A port for the same protocols that clients of AMQP over TLS dial by default, which is 5671. `'ifFree'` takes 5671, or
   * logs a warning and goes without it when it is in use. Default `'off'`.
   */
  readonly tlsPort?: number | 'off' | 'ifFree';
  /** A port for the same protocols that clients of HTTPS and WebSocket dial by default, which is 443. Default `'off'`. */
  readonly httpsPort?: number | 'off';
  /** `'on'` (default): every port also speaks TLS; the certificate is made for the first TLS client. `'off'`: no port does. */
  readonly tls?: 'on' | 'off';
  /** Path of a PEM file with your own certificate, followed by its intermediate certificates. Requires `key`. */
  readonly cert?: string;
  /** Path of the PEM file with the private key of `cert`. */
  readonly key?: string;
  /** Further names and addresses for the emulator's own certificate, besides those of this machine; each may carry a port. */
  readonly certHosts?: readonly string[];
  /**
   * Directory of the emulator's own certificates; emulators may share it. Default: `certificates` in `dataDirectory`, or,
   * without that, in memory until the process ends.
   */
  readonly certificateDirectory?: string;
  /**
   * Origins of web pages that may use the emulator, besides those of this machine: `https://app.example.com`, `null`, or `*`
   * for all. With `$jitney` among them they may also use the control interface.
   */
  readonly allowedOrigins?: readonly string[];
  /** Names that a request's `Host` header may have, besides those of this machine: `jitney.test`, `*.jitney.test`. */
  readonly allowedHosts?: readonly string[];
  /** `'any'` (default): every key and token is accepted. `'strict'`: keys, tokens and their rights are checked as in Azure. */
  readonly auth?: AuthMode;
  /**
   * `'on'` (default): issues Entra tokens to every client that requests one, as App Service and virtual machines do for
   * `DefaultAzureCredential`. `'off'`: issues none.
   */
  readonly tokenEndpoint?: 'on' | 'off';
  /** `true` (default): answers `/$jitney`, the control interface, by which people and tools look into the emulator. `false`: does not. */
  readonly control?: boolean;
  /** Shared access policies of the namespace. Default: `RootManageSharedAccessKey` with the key `SAS_KEY_VALUE` and all rights. */
  readonly policies?: readonly GivenPolicy[];
  /** Directory that stores entities, messages and, by default, certificates; made if missing. Default: in memory until the process ends. */
  readonly dataDirectory?: string;
  /**
   * `true`: first removes the messages and entities of earlier starts from `dataDirectory`; certificates and keys stay.
   * Default `false`. The start is refused, and nothing is removed, while another emulator uses the directory, when it
   * contains foreign files, when an entity or the certificate is refused, or when a port is in use. A port that another
   * process takes between this check and the start is noticed only after the removal.
   */
  readonly reset?: boolean;
  /** `'os'` (default): accepted messages survive a killed process. `'fsync'`: they also survive a power failure. */
  readonly durability?: Durability;
  /** Queues to create: `'orders'`, `'orders?lockDuration=PT5S'`, or `{ name: 'orders', lockDurationMs: 5000 }`. */
  readonly queues?: readonly (string | GivenQueue)[];
  /**
   * Topics to create: `'events/audit+mail'` with two subscriptions, `'events/audit?defaultMessageTimeToLive=PT1H'`, or
   * `{ name: 'events', subscriptions: [{ name: 'eu', filter: "region = 'EU'" }] }`.
   */
  readonly topics?: readonly (string | GivenTopic)[];
  /** Path of a Config.json in the official emulator's format, with that emulator's defaults. */
  readonly configFile?: string;
  /** A Config.json as text, such as `JSON.stringify({ UserConfig: ... })`. Cannot be combined with `configFile`. */
  readonly configJson?: string;
  /** The Azure tier whose features and limits of size and number apply. Default `'standard'`. */
  readonly tier?: Tier;
  /**
   * `'none'` lifts the tier's limits of size and number and allows messages up to 100 MiB; the tier's features stay.
   * Default `'azure'`.
   */
  readonly limits?: LimitSet;
  /**
   * `'virtual'`: time stands still until `emulator.clock` moves it. `'real'`: the machine's time, whatever an earlier start has set in
   * the data directory. Default: as the data directory has it, and otherwise the machine's.
   */
  readonly clock?: ClockOption;
  /** The page in a browser: `'read-only'` lets it change nothing, `'off'` leaves a short one with the connection string. Default: `'on'`. */
  readonly ui?: PageOption;
  /** A name for this emulator, which its page shows in the title. */
  readonly label?: string;
  /**
   * Where options come from, by their names, as `GET info` of the control interface and the page say it: `{ tier: '--tier' }`. Only for
   * people; it changes nothing. Default: nothing is said.
   */
  readonly settingOrigins?: Readonly<Record<string, string>>;
  /**
   * `true`: a message may ask for a fault in its application property `x-jitney-fault`, such as `server-busy` or
   * `complete lose-answer`. Default `false`: the property means nothing.
   */
  readonly faultProperty?: boolean;
  /**
   * When messages expire. `'always'` (default): on time. `'whenListening'`: only while a receiver listens on their queue,
   * to the letter of Azure's article on message expiration.
   */
  readonly expirySweep?: ExpirySweep;
  /**
   * `true`: when a receiver's link or connection ends, its locked messages become available at once with an unchanged
   * delivery count; messages received by sequence number stay locked. Default `false`, as in Azure: all stay locked until
   * their lock expires.
   */
  readonly releaseLocksOnDetach?: boolean;
  /**
   * `true` (default), as in Azure's article on message expiration: where sessions are required, messages expire only while
   * a receiver listens, and one expired message takes its whole session with it. `false`: each message expires on its own,
   * as in any other queue.
   */
  readonly expireWholeSession?: boolean;
  /**
   * `'azure'`: an unused link is detached after 10 minutes, and a connection without links is closed after 5 minutes, or
   * after 1 minute when it never had a link. Default `'off'`: idle links and connections stay open.
   */
  readonly idleTimeouts?: IdleTimeoutSet;
  /**
   * Milliseconds in which an anonymous connection must send its token: a whole number above 0. Default `'off'`, or Azure's
   * 20 seconds with `idleTimeouts: 'azure'`.
   */
  readonly authorizationTimeoutMs?: number | 'off';
  /** Bytes of message content to hold in memory besides the journal: a whole number. Default 32 MiB. */
  readonly contentBudgetBytes?: number;
  /**
   * Called with each line of the log: `trace` has one for each AMQP frame, `debug` one for each thing that happens, `info` says
   * why something did not go as a program expected, `warn` what a person should change, `error` a fault of the emulator.
   * `details` is the record or the frame that the line tells of. Default: the lines are discarded. If it throws, the emulator goes on:
   * the first error becomes a warning of the process, and `log` is called with each further line.
   */
  readonly log?: (level: LineLevel, message: string, details?: LogDetails) => void;
  /** The lowest level of the lines that `log` is called with; `silent` is above all. Default `info`. */
  readonly logLevel?: LogLevel;
  /** `true`: at `debug`, the line of each message that comes in shows the beginning of its body. Default `false`. */
  readonly logBodies?: boolean;
};
