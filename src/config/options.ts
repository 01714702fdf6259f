// What a user can choose, after files, environment and flags have been read into one value.

import type { ExpirySweep } from '../broker/choices.js';
import type { AccessRight } from '../broker/entity/authorization-rule.js';
import type { QueueDescription } from '../broker/entity/queue-description.js';
import type { SubscriptionDescription, TopicDescription } from '../broker/entity/topic-description.js';
import type { Tier } from '../broker/limits.js';
import type { Action, Filter } from '../broker/rules/rule-description.js';

export type Durability = 'os' | 'fsync';
/** Whose limits of size and number are obeyed. */
export type LimitSet = 'azure' | 'none';
/** Whose timers end what is idle. */
export type IdleTimeoutSet = 'off' | 'azure';
/** Whether keys and tokens are checked: `any` lets everybody in. */
export type AuthMode = 'any' | 'strict';
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

export const DURABILITIES: readonly Durability[] = ['os', 'fsync'];
export const TIERS: readonly Tier[] = ['basic', 'standard', 'premium'];
export const LIMIT_SETS: readonly LimitSet[] = ['azure', 'none'];
export const EXPIRY_SWEEPS: readonly ExpirySweep[] = ['always', 'whenListening'];
export const IDLE_TIMEOUT_SETS: readonly IdleTimeoutSet[] = ['off', 'azure'];
export const AUTH_MODES: readonly AuthMode[] = ['any', 'strict'];
/** The port that AMQP over TLS has everywhere. */
export const AMQPS_PORT = 5671;

/** A queue as an object. What is not given has Azure's default. */
export type GivenQueue = Pick<QueueDescription, 'name'> & Partial<QueueDescription>;

/** A topic as an object. What is not given has Azure's default. */
export type GivenTopic = Pick<TopicDescription, 'name'> &
  Partial<TopicDescription> & {
    /** `'audit'`, `'audit?lockDuration=PT5S'`, or an object. Default: none, and what is sent goes nowhere. */
    readonly subscriptions?: readonly (string | GivenSubscription)[];
  };

/** A subscription as an object. */
export type GivenSubscription = Pick<SubscriptionDescription, 'name'> &
  Partial<SubscriptionDescription> & {
    /** The filter of its one rule, `$Default`. Not together with `rules`. */
    readonly filter?: GivenFilter;
    /**
     * These and no others, also when an earlier start has made the subscription. Default: a new one takes every message, and one
     * that exists keeps the rules it has.
     */
    readonly rules?: readonly GivenRule[];
  };

export type GivenRule = {
  readonly name: string;
  /** Default `true`: every message. */
  readonly filter?: GivenFilter;
  /** What is done to the copy, such as `"SET sys.Label = 'x'"`. */
  readonly action?: string | GivenSql | Action | undefined;
};

/** SQL such as `"color = 'blue'"`; what a message must equal; every message or none; or as the SDK or Jitney describes one. */
export type GivenFilter = string | boolean | GivenSql | GivenCorrelation | Filter;

/** As the SDK's SqlRuleFilter and SqlRuleAction. */
export type GivenSql = {
  readonly sqlExpression: string;
  /** With their `@`. */
  readonly sqlParameters?: Readonly<Record<string, GivenValue>>;
};

/** As the SDK's CorrelationRuleFilter: all that is given must be equal. */
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

export type GivenValue = string | number | bigint | boolean | Date;

/** A shared access policy of the namespace. Manage needs Send and Listen beside it. */
export type GivenPolicy = {
  readonly keyName: string;
  readonly rights: readonly AccessRight[];
  readonly primaryKey: string;
  readonly secondaryKey?: string;
};

/** Options of `startEmulator`. Everything has a default that suits a test. */
export type EmulatorOptions = {
  /** Address to listen on. Default `localhost`: the loopback addresses of IPv4 and, where it is there, IPv6. */
  readonly host?: string;
  /** AMQP, HTTP and WebSocket, each with TLS and without. Default 0: a free one. */
  readonly port?: number;
  /** A second port for the same, beside `port`. Default `'off'`; 0 takes a free one. */
  readonly httpPort?: number | 'off';
  /**
   * Another port for the same, which clients of AMQP over TLS dial by themselves. Default `'off'`; `'ifFree'` takes 5671, and
   * does without it, with a warning, where that is taken.
   */
  readonly tlsPort?: number | 'off' | 'ifFree';
  /** Another port for the same, for clients that dial 443 by themselves. Default `'off'`. */
  readonly httpsPort?: number | 'off';
  /** `off`: no port speaks TLS. Default `on`: each does, with a certificate that is made for the first client that asks. */
  readonly tls?: 'on' | 'off';
  /** A PEM file with a certificate of your own, followed by those above it. Together with `key`. */
  readonly cert?: string;
  /** The PEM file with its private key. */
  readonly key?: string;
  /** Names and addresses that the emulator's own certificate is good for, besides those of this machine; each may have a port. */
  readonly certHosts?: readonly string[];
  /**
   * The folder of the emulator's own certificates, shared by all who name it. Default: `certificates` in `dataDirectory`, or in
   * memory, gone with the process.
   */
  readonly certificateDirectory?: string;
  /** Web pages that may use the emulator besides those of this machine: `https://app.example.com`, `null`, or `*` for all. */
  readonly allowedOrigins?: readonly string[];
  /** Names in a request's Host that are answered besides those of this machine: `jitney.test`, `*.jitney.test`. */
  readonly allowedHosts?: readonly string[];
  /** `any` (default): every key and token is let in. `strict`: keys, tokens and what they allow are checked as in Azure. */
  readonly auth?: AuthMode;
  /** `off`: nobody is given tokens. Default `on`: whoever asks is, as `DefaultAzureCredential` does where App Service or a virtual machine gives them. */
  readonly tokenEndpoint?: 'on' | 'off';
  /** The namespace's. Default: `RootManageSharedAccessKey` with the key `SAS_KEY_VALUE`, which may do everything. */
  readonly policies?: readonly GivenPolicy[];
  /** Keep everything in this directory. Default: in memory, gone with the process. */
  readonly dataDirectory?: string;
  /**
   * `true`: the messages and entities of earlier starts are removed from `dataDirectory` first; certificates and keys stay.
   * Default `false`. Refused, and nothing is removed, while another emulator uses it, where files of others lie among its own, where
   * an entity or the certificate is refused, or where a port is taken; what is taken between this check and the start is found too late.
   */
  readonly reset?: boolean;
  /** `os` (default): safe when the process is killed; `fsync`: safe when the power fails. */
  readonly durability?: Durability;
  /** Queues to create: `'orders'`, `'orders?lockDuration=PT5S'`, or `{ name: 'orders', lockDurationMs: 5000 }`. */
  readonly queues?: readonly (string | GivenQueue)[];
  /**
   * Topics to create: `'events/audit+mail'` with two subscriptions, `'events/audit?defaultMessageTimeToLive=PT1H'`, or
   * `{ name: 'events', subscriptions: [{ name: 'eu', filter: "region = 'EU'" }] }`.
   */
  readonly topics?: readonly (string | GivenTopic)[];
  /** A Config.json of the official emulator. */
  readonly configFile?: string;
  /** The same as text, such as `JSON.stringify({ UserConfig: ... })`. Not together with `configFile`. */
  readonly configJson?: string;
  /** Sets the limits of size and number, and which features there are. Default `standard`. */
  readonly tier?: Tier;
  /**
   * `none` lifts the tier's limits of size and number, and a message may have up to 100 MiB; the tier's features stay.
   * Default `azure`.
   */
  readonly limits?: LimitSet;
  /**
   * When messages expire: on time (`always`, default), or to the letter of Azure's article on expiration: only while
   * a receiver listens on their queue (`whenListening`).
   */
  readonly expirySweep?: ExpirySweep;
  /**
   * `true`: a receiver whose link or connection ends gives its locked messages back at once, their delivery count
   * unchanged; those it received by sequence number stay locked. Default `false`, as in Azure: all stay locked until
   * their lock ends.
   */
  readonly releaseLocksOnDetach?: boolean;
  /**
   * `true` (default): as in Azure's article on expiration, where sessions are required messages expire only while a
   * receiver listens, and one that does takes its whole session with it. `false`: each expires by itself, as in any other
   * queue.
   */
  readonly expireWholeSession?: boolean;
  /**
   * `azure`: as in Azure, an unused link is detached after 10 minutes, and a connection without links closed after 5
   * (after 1 when it never had one). Default `off`: what is idle may stay.
   */
  readonly idleTimeouts?: IdleTimeoutSet;
  /**
   * How long a connection that logged in as nobody may take to send its token, in milliseconds. Default: `'off'`, and
   * with `idleTimeouts: 'azure'` Azure's 20 seconds.
   */
  readonly authorizationTimeoutMs?: number | 'off';
  /** Bytes of message content kept in memory: a whole number. Default 32 MiB. */
  readonly contentBudgetBytes?: number;
  /** Hears what a person should know while the emulator runs. Default: nobody. */
  readonly log?: (level: 'warn' | 'error', message: string) => void;
};
