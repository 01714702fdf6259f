// The table of options: what the checks, the environment, the settings, `--help`, `jitney config` and docs/options.md are made from.

import type { ExpirySweep } from '../../broker/behaviour-options.js';
import { POLICIES } from '../policy-spec.js';
import { readCertHost, readHostName, readOrigin } from '../setting-readers.js';
import {
  type AuthMode,
  type ClockOption,
  type Durability,
  type EmulatorOptions,
  type IdleTimeoutSet,
  type LimitSet,
  TIERS,
} from './emulator-options.js';
import { LOG_OPTIONS } from './log-options.js';
import {
  BYTE_COUNT_CHECK,
  codeOnly,
  commaListOf,
  listOf,
  mustBe,
  type OptionType,
  oneOfType,
  PORT,
  PORT_OR_OFF,
  SWITCH,
  SWITCH_FALSE,
  SWITCH_OFF,
  specs,
  TIMEOUT,
  TLS_PORT,
  TRUE_OR_FALSE,
  textType,
} from './option-types.js';
import { PAGE_OPTIONS } from './page-options.js';

/** The groups of `--help` and docs/options.md, in their order there. */
export const OPTION_GROUPS = [
  'Where it listens',
  'Entities',
  'What is kept',
  'How it behaves',
  'TLS and certificates',
  'Who is let in',
  'Log',
] as const;

export type Option = {
  readonly group: (typeof OPTION_GROUPS)[number];
  /** As commander takes it. Missing: the command line does not have the option. */
  readonly flag?: string;
  /** The first one that is set counts. */
  readonly variables?: readonly string[];
  readonly type: OptionType;
  /** The default on the command line. Missing: that of the type. */
  readonly default?: string | number | boolean;
  /** The default of `startEmulator`, where it differs from that of the command line. */
  readonly defaultInCode?: string | number;
  /** The name in Settings and in EmulatorOptions, where it differs from that of the flag. */
  readonly setting?: string;
  /** The name in EmulatorOptions, where it differs from that in Settings; false: EmulatorOptions does not have the option. */
  readonly inCode?: keyof EmulatorOptions | false;
  /** The sentence of `--help`. */
  readonly help?: string;
  /** The default in `--help`, where the value itself says too little. */
  readonly helpDefault?: string;
  /** `--help` lists the option first in its group. */
  readonly leadsHelp?: true;
  /** The sentence of docs/options.md. */
  readonly docs: string;
  /** The default in docs/options.md, where the values themselves say too little. */
  readonly docsDefault?: string;
};

/** The options by the names of their flags in camel case, in the order of `jitney config`. */
export const OPTIONS = {
  host: {
    group: 'Where it listens',
    flag: '--host <address>',
    variables: ['JITNEY_HOST'],
    type: textType('an address', 'a host name or an IP address'),
    default: 'localhost',
    help: 'where to listen',
    helpDefault: 'localhost: 127.0.0.1 and ::1',
    docs: 'the address to listen on; `localhost` is the loopback address of IPv4 and IPv6',
  },
  port: {
    group: 'Where it listens',
    flag: '-p, --port <n>',
    variables: ['JITNEY_PORT'],
    type: PORT,
    default: 5672,
    defaultInCode: 0,
    help: 'AMQP, HTTP, WebSocket and TLS; 0 takes a free one',
    docs: 'the port for AMQP, HTTP and WebSocket, each with TLS or without; 0 takes a free port',
  },
  httpPort: {
    group: 'Where it listens',
    flag: '--http-port <n|off>',
    // The second variable is the official emulator's.
    variables: ['JITNEY_HTTP_PORT', 'EMULATOR_HTTP_PORT'],
    type: PORT_OR_OFF,
    default: 5300,
    defaultInCode: 'off',
    help: 'second port, for GET /health and administration',
    docs: 'a second port for the same, where tools expect `GET /health` and the administration',
  },
  tlsPort: {
    group: 'TLS and certificates',
    flag: '--tls-port <n|off>',
    variables: ['JITNEY_TLS_PORT'],
    type: TLS_PORT,
    defaultInCode: 'off',
    help: 'the port that AMQP over TLS dials',
    helpDefault: '5671 beside port 5672, else off',
    docs: "the port that clients of AMQP over TLS dial by themselves; a warning if the default is taken; in code `'ifFree'` takes 5671 in the same way",
    docsDefault: "5671 beside port 5672, else off; in code `'off'`",
  },
  httpsPort: {
    group: 'TLS and certificates',
    flag: '--https-port <n|off>',
    variables: ['JITNEY_HTTPS_PORT'],
    type: PORT_OR_OFF,
    default: 'off',
    help: 'the port that https and WebSocket dial, which is 443',
    docs: '443 for SDKs that dial it by themselves',
  },
  noTls: {
    group: 'TLS and certificates',
    flag: '--no-tls',
    variables: ['JITNEY_NO_TLS'],
    type: SWITCH_OFF,
    setting: 'tls',
    help: 'speak no TLS on any port',
    docs: 'no port speaks TLS',
  },
  cert: {
    group: 'TLS and certificates',
    flag: '--cert <file>',
    variables: ['JITNEY_CERT'],
    type: textType('a file', 'the path of a PEM file'),
    help: 'a certificate of your own, in PEM; with --key',
    docs: 'a certificate of your own, in PEM; together with `--key`',
  },
  key: {
    group: 'TLS and certificates',
    flag: '--key <file>',
    variables: ['JITNEY_KEY'],
    type: textType('a file', 'the path of a PEM file'),
    help: 'its private key, in PEM',
    docs: 'its private key, in PEM',
  },
  certHost: {
    group: 'TLS and certificates',
    flag: '--cert-host <name[:port]>',
    variables: ['JITNEY_CERT_HOSTS'],
    type: listOf(readCertHost),
    setting: 'certHosts',
    help: "a name for the emulator's own certificate; repeatable",
    docs: "a further name for Jitney's own certificate; repeatable",
  },
  certDirectory: {
    group: 'TLS and certificates',
    flag: '--cert-directory <dir>',
    variables: ['JITNEY_CERT_DIRECTORY'],
    type: textType('a directory', 'the path of a directory'),
    inCode: 'certificateDirectory',
    help: 'where that is kept',
    helpDefault: 'one for all projects, in your home',
    docs: "the folder of Jitney's own certificates; see [trust](tls-and-keys.md#trust)",
    docsDefault: 'one for the user; in code in memory, or in `dataDirectory`',
  },
  data: {
    group: 'What is kept',
    flag: '-d, --data <dir>',
    variables: ['JITNEY_DATA'],
    type: textType('a directory', 'the path of a directory'),
    default: './.jitney',
    setting: 'dataDirectory',
    help: 'keep everything in this directory',
    docs: 'the directory that keeps everything',
    docsDefault: '`./.jitney`; in code in memory',
  },
  memory: {
    group: 'What is kept',
    flag: '--memory',
    variables: ['JITNEY_MEMORY'],
    type: SWITCH,
    inCode: false,
    help: 'keep nothing when the process ends',
    docs: 'keeps nothing; not together with `--data`; of the two variables, `JITNEY_DATA` wins',
  },
  reset: {
    group: 'What is kept',
    flag: '--reset',
    variables: ['JITNEY_RESET'],
    type: SWITCH,
    default: false,
    help: 'first remove the messages and entities of earlier starts; keep certificates and keys',
    docs: 'removes the messages and entities of earlier starts first; certificates and keys stay',
  },
  config: {
    group: 'Entities',
    flag: '-c, --config <file>',
    variables: ['JITNEY_CONFIG'],
    type: textType('a file', 'the path of a Config.json'),
    setting: 'configFile',
    help: 'a Config.json of the official emulator',
    docs: "entities in the official emulator's format",
    docsDefault: '[`config/Config.json`](../config/Config.json); in code none',
  },
  configJson: {
    group: 'Entities',
    // Users of the official emulator have requested the second name.
    variables: ['JITNEY_CONFIG_JSON', 'CONFIG_JSON'],
    type: codeOnly(mustBe('the text of a Config.json', (value) => typeof value === 'string')),
    docs: 'the text of a Config.json in place of a file; `--config` wins over the variable, in code only one may be given',
  },
  queue: {
    group: 'Entities',
    flag: '-q, --queue <spec>',
    variables: ['JITNEY_QUEUES'],
    type: specs('an array of queue specs or objects'),
    setting: 'queues',
    help: 'create a queue; repeatable',
    docs: 'a queue, such as `orders?lockDuration=PT5S&maxDeliveryCount=3`; repeatable, separated by commas in the variable',
  },
  topic: {
    group: 'Entities',
    flag: '-t, --topic <spec>',
    variables: ['JITNEY_TOPICS'],
    type: specs('an array of topic specs or objects'),
    setting: 'topics',
    help: 'create a topic with subscriptions, such as events/audit+mail; repeatable',
    docs: 'a topic and its subscriptions, such as `events/audit+mail`; repeatable, separated by commas in the variable',
  },
  durability: {
    group: 'What is kept',
    flag: '--durability <os|fsync>',
    variables: ['JITNEY_DURABILITY'],
    type: oneOfType<Durability>(['os', 'fsync']),
    default: 'os',
    help: 'outlive a crash of the process, or of the machine',
    docs: '`os`: safe when the process is killed; `fsync`: safe when the power fails',
  },
  contentBudgetBytes: {
    group: 'What is kept',
    type: codeOnly(BYTE_COUNT_CHECK),
    docs: 'message content held in memory beside the journal',
    docsDefault: '32 MiB',
  },
  tier: {
    group: 'How it behaves',
    flag: '--tier <basic|standard|premium>',
    variables: ['JITNEY_TIER'],
    type: oneOfType(TIERS),
    default: 'standard',
    help: 'whose limits and features apply',
    docs: 'the tier whose limits and features apply; Basic has no topics, sessions, forwarding, transactions or duplicate detection',
  },
  limits: {
    group: 'How it behaves',
    flag: '--limits <azure|none>',
    variables: ['JITNEY_LIMITS'],
    type: oneOfType<LimitSet>(['azure', 'none']),
    default: 'azure',
    help: 'none lifts the limits of size and number',
    docs: "`none` lifts the tier's limits of size and number; a message may then have up to 100 MB, may take any time to arrive, and connections and links are not counted",
  },
  clock: {
    group: 'How it behaves',
    flag: '--clock <real|virtual>',
    variables: ['JITNEY_CLOCK'],
    type: oneOfType<ClockOption>(['real', 'virtual']),
    help: 'virtual: time stands still until jitney clock moves it',
    docs: '`virtual`: time stands still until `jitney clock` or the interface moves it; `real`: the time of this machine again. See [the clock](clock.md)',
    docsDefault: 'as the data directory has it',
  },
  ...PAGE_OPTIONS,
  faultProperty: {
    group: 'How it behaves',
    flag: '--fault-property',
    variables: ['JITNEY_FAULT_PROPERTY'],
    type: SWITCH,
    default: false,
    help: 'messages may ask for a fault in the property x-jitney-fault',
    docs: 'a message may ask for a [fault](faults.md) in its application property `x-jitney-fault`',
  },
  expirySweep: {
    group: 'How it behaves',
    flag: '--expiry-sweep <always|whenListening>',
    variables: ['JITNEY_EXPIRY_SWEEP'],
    type: oneOfType<ExpirySweep>(['always', 'whenListening']),
    default: 'always',
    help: 'when messages expire: on time, or only if a receiver listens',
    docs: '`whenListening`: messages expire only while a receiver listens',
  },
  releaseLocksOnDetach: {
    group: 'How it behaves',
    flag: '--release-locks-on-detach',
    variables: ['JITNEY_RELEASE_LOCKS_ON_DETACH'],
    type: SWITCH,
    default: false,
    help: 'a receiver that goes gives back its locked messages at once',
    docs: 'a receiver that goes gives its locked messages back at once, their delivery count unchanged',
  },
  expireWholeSession: {
    group: 'How it behaves',
    flag: '--expire-whole-session <true|false>',
    variables: ['JITNEY_EXPIRE_WHOLE_SESSION'],
    type: TRUE_OR_FALSE,
    default: true,
    help: 'one expired message takes its session along',
    docs: '`false`: messages of a session expire one by one and on time; see [sessions](sessions.md#expiry)',
  },
  idleTimeouts: {
    group: 'How it behaves',
    flag: '--idle-timeouts <off|azure>',
    variables: ['JITNEY_IDLE_TIMEOUTS'],
    type: oneOfType<IdleTimeoutSet>(['off', 'azure']),
    default: 'off',
    help: 'end idle links and connections as Azure does',
    docs: '`azure`: detaches an unused link after 10 minutes unless it holds a session, and closes a connection without links after 5 (after 1 if it never had one)',
  },
  authorizationTimeout: {
    group: 'How it behaves',
    flag: '--authorization-timeout <time|off>',
    variables: ['JITNEY_AUTHORIZATION_TIMEOUT'],
    type: TIMEOUT,
    setting: 'authorizationTimeoutMs',
    help: 'time to send a token, such as PT20S or 20',
    helpDefault: 'as --idle-timeouts',
    docs: 'the time a connection has to send its token: `PT20S`, or `20` for seconds; in code milliseconds; 20 s with `--idle-timeouts azure`',
    docsDefault: '`off`',
  },
  auth: {
    group: 'Who is let in',
    flag: '--auth <any|strict>',
    variables: ['JITNEY_AUTH'],
    type: oneOfType<AuthMode>(['any', 'strict']),
    default: 'any',
    help: 'strict checks keys, tokens and their rights',
    docs: '`strict` checks keys, tokens and rights',
  },
  noTokenEndpoint: {
    group: 'Who is let in',
    flag: '--no-token-endpoint',
    variables: ['JITNEY_NO_TOKEN_ENDPOINT'],
    type: SWITCH_OFF,
    setting: 'tokenEndpoint',
    help: 'issue no tokens, which DefaultAzureCredential requests',
    docs: 'issues no tokens; otherwise every program that asks gets one, as `DefaultAzureCredential` does',
  },
  noControl: {
    group: 'Who is let in',
    flag: '--no-control',
    variables: ['JITNEY_NO_CONTROL'],
    type: SWITCH_FALSE,
    setting: 'control',
    help: 'switch off the control interface, /$jitney',
    docs: 'switches off the [control interface](control.md), `/$jitney`; in code `control: false`',
  },
  policy: {
    group: 'Who is let in',
    flag: '--policy <name=rights:key>',
    variables: ['JITNEY_POLICIES'],
    type: POLICIES,
    setting: 'policies',
    help: "a policy in place of everybody's, such as sender=Send:its-key; repeatable",
    leadsHelp: true,
    docs: "a policy of the namespace, such as `sender=Send+Listen:its-key`, in place of the well-known one; repeatable; in code `[{ keyName: 'sender', rights: ['Send'], primaryKey: 'secret' }]`",
    docsDefault: '`RootManageSharedAccessKey`',
  },
  cors: {
    group: 'Who is let in',
    flag: '--cors <origin,...>',
    variables: ['JITNEY_CORS'],
    type: commaListOf(readOrigin),
    setting: 'allowedOrigins',
    help: 'web pages that may use it, besides those of this machine',
    docs: 'web pages that may use it, besides those of this machine; with `$jitney` among them also the [control interface](control.md)',
  },
  allowHost: {
    group: 'Who is let in',
    flag: '--allow-host <name,...>',
    variables: ['JITNEY_ALLOW_HOSTS'],
    type: commaListOf(readHostName),
    setting: 'allowedHosts',
    help: 'host names it answers to, besides those of this machine',
    docs: 'further names in the Host of a request that are answered',
  },
  ...LOG_OPTIONS,
} as const satisfies Readonly<Record<string, Option>>;
