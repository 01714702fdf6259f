// The rows of the table of options that change how an emulator behaves, and its page.

import type { Tier } from '../../broker/contract/limits.js';
import type { Option } from './option.js';
import {
  codeOnly,
  isTexts,
  mustBe,
  oneOfType,
  SWITCH,
  TIMEOUT,
  TRUE_OR_FALSE,
  textType,
} from './option-types.js';

export const TIERS = ['basic', 'standard', 'premium'] as const satisfies readonly Tier[];

export const BEHAVIOUR_OPTIONS = {
  tier: {
    flag: '--tier <basic|standard|premium>',
    variables: ['JITNEY_TIER'],
    type: oneOfType(TIERS),
    isShown: true,
    default: 'standard',
    help: 'the Azure tier whose limits and features apply',
    docs: 'the Azure tier whose limits and features apply; Basic has no topics, sessions, forwarding, transactions or duplicate detection',
  },
  limits: {
    flag: '--limits <azure|none>',
    variables: ['JITNEY_LIMITS'],
    type: oneOfType(['azure', 'none']),
    isShown: true,
    default: 'azure',
    help: 'none lifts the limits of size and number',
    docs: "`none` lifts the tier's limits of size and number, but not of features. A message may then have up to 100 MiB and take any time to arrive, and the number of connections and links is not limited",
  },
  clock: {
    flag: '--clock <real|virtual>',
    variables: ['JITNEY_CLOCK'],
    type: oneOfType(['real', 'virtual']),
    defaultText: 'as stored in the data directory',
    help: 'virtual: time is stopped until jitney clock moves it',
    docs: '`virtual`: time is stopped until `jitney clock`, the control interface or `emulator.clock` moves it; `real`: the time of this machine. See [the clock](clock.md)',
  },
  ui: {
    flag: '--ui <on|read-only|off>',
    variables: ['JITNEY_UI'],
    type: oneOfType(['on', 'read-only', 'off']),
    isShown: true,
    default: 'on',
    help: 'the page in a browser: on, read-only (it changes nothing), or off',
    docs: '[the page](page.md) in a browser: with `read-only` it cannot change anything; with `off` there is only a short page with the connection string',
  },
  label: {
    flag: '--label <text>',
    variables: ['JITNEY_LABEL'],
    type: textType('a name', 'a text'),
    isShown: true,
    help: 'a name for this emulator, in the title of its page',
    docs: 'a name for this emulator, shown in the title of its page',
  },
  settingOrigins: {
    type: codeOnly(
      'Readonly<Record<string, string>>',
      mustBe("texts by the names of options such as { tier: '--tier' }", isTexts),
    ),
    docs: "where each option comes from, such as `{ tier: '--tier' }`; the page and `GET info` of the control interface show it",
  },
  telemetry: {
    type: codeOnly(
      'boolean',
      mustBe('true or false', (value) => typeof value === 'boolean'),
    ),
    defaultText: '`false`',
    docs: '`true`: hands the spans of messages and the metrics to the OpenTelemetry SDK that this program has registered; `jitney start` does so when `OTEL_EXPORTER_OTLP_ENDPOINT` is set. See [traces](traces.md)',
  },
  faultProperty: {
    flag: '--fault-property',
    variables: ['JITNEY_FAULT_PROPERTY'],
    type: SWITCH,
    isShown: true,
    default: false,
    help: 'messages may request a fault in the property x-jitney-fault',
    docs: 'a message may request a [fault](faults.md) in its application property `x-jitney-fault`, such as `server-busy` or `complete lose-answer`',
  },
  expirySweep: {
    flag: '--expiry-sweep <always|whenListening>',
    variables: ['JITNEY_EXPIRY_SWEEP'],
    type: oneOfType(['always', 'whenListening']),
    isShown: true,
    default: 'always',
    help: 'when messages expire: on time, or only if a receiver listens',
    docs: "when messages expire: `always` on time; with `whenListening` only while a receiver listens on their queue, exactly as Azure's article on message expiration says",
  },
  releaseLocksOnDetach: {
    flag: '--release-locks-on-detach',
    variables: ['JITNEY_RELEASE_LOCKS_ON_DETACH'],
    type: SWITCH,
    isShown: true,
    default: false,
    help: 'a receiver that disconnects gives back its locked messages at once',
    docs: 'a receiver whose link or connection ends gives back its locked messages at once, with the same delivery count; messages received by sequence number stay locked. Without this option, as in Azure, all stay locked until their lock expires',
  },
  expireWholeSession: {
    flag: '--expire-whole-session <true|false>',
    variables: ['JITNEY_EXPIRE_WHOLE_SESSION'],
    type: TRUE_OR_FALSE,
    isShown: true,
    default: true,
    help: 'one expired message expires its whole session',
    docs: '`true`: in an entity with sessions, messages expire only while a receiver listens, and one expired message makes its whole session expire; `false`: they expire one by one and on time. See [sessions](sessions.md#expiry)',
  },
  idleTimeouts: {
    flag: '--idle-timeouts <off|azure>',
    variables: ['JITNEY_IDLE_TIMEOUTS'],
    type: oneOfType(['off', 'azure']),
    isShown: true,
    default: 'off',
    help: 'end idle links and connections as Azure does',
    docs: '`azure`: detaches an unused link after 10 minutes unless it holds a session, and closes a connection without links after 5 minutes (after 1 minute if it never had one)',
  },
  authorizationTimeout: {
    flag: '--authorization-timeout <time|off>',
    variables: ['JITNEY_AUTHORIZATION_TIMEOUT'],
    type: TIMEOUT,
    setting: 'authorizationTimeoutMs',
    isShown: true,
    defaultText: "off, or 20 seconds with Azure's idle timeouts",
    help: 'the time in which a client must send a token, such as PT20S or 20',
    docs: 'the time in which an anonymous connection must send its token: `PT20S`, or `20` for seconds; in code milliseconds',
  },
} as const satisfies Readonly<Record<string, Option>>;
