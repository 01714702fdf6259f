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
    help: 'whose limits and features apply',
    docs: 'the Azure tier whose limits and features apply; Basic has no topics, sessions, forwarding, transactions or duplicate detection',
  },
  limits: {
    flag: '--limits <azure|none>',
    variables: ['JITNEY_LIMITS'],
    type: oneOfType(['azure', 'none']),
    isShown: true,
    default: 'azure',
    help: 'none lifts the limits of size and number',
    docs: "`none` lifts the tier's limits of size and number, and its features stay; a message may then have up to 100 MiB, may take any time to arrive, and connections and links are not counted",
  },
  clock: {
    flag: '--clock <real|virtual>',
    variables: ['JITNEY_CLOCK'],
    type: oneOfType(['real', 'virtual']),
    defaultText: 'as the data directory has it',
    help: 'virtual: time stands still until jitney clock moves it',
    docs: '`virtual`: time stands still until `jitney clock`, the interface or `emulator.clock` moves it; `real`: the time of this machine again. See [the clock](clock.md)',
  },
  ui: {
    flag: '--ui <on|read-only|off>',
    variables: ['JITNEY_UI'],
    type: oneOfType(['on', 'read-only', 'off']),
    isShown: true,
    default: 'on',
    help: 'the page in a browser: it may change things, only look, or is not there',
    docs: '[the page](page.md) in a browser: `read-only` lets it change nothing, `off` leaves a short one with the connection string',
  },
  label: {
    flag: '--label <text>',
    variables: ['JITNEY_LABEL'],
    type: textType('a name', 'a text'),
    isShown: true,
    help: 'a name for this emulator, in the title of its page',
    docs: 'a name for this emulator, which its page shows in the title',
  },
  settingOrigins: {
    type: codeOnly(
      'Readonly<Record<string, string>>',
      mustBe("texts by the names of options such as { tier: '--tier' }", isTexts),
    ),
    docs: "where options come from, such as `{ tier: '--tier' }`; the page and `GET info` of the control interface say it beside them",
  },
  faultProperty: {
    flag: '--fault-property',
    variables: ['JITNEY_FAULT_PROPERTY'],
    type: SWITCH,
    isShown: true,
    default: false,
    help: 'messages may ask for a fault in the property x-jitney-fault',
    docs: 'a message may ask for a [fault](faults.md) in its application property `x-jitney-fault`, such as `server-busy` or `complete lose-answer`',
  },
  expirySweep: {
    flag: '--expiry-sweep <always|whenListening>',
    variables: ['JITNEY_EXPIRY_SWEEP'],
    type: oneOfType(['always', 'whenListening']),
    isShown: true,
    default: 'always',
    help: 'when messages expire: on time, or only if a receiver listens',
    docs: "when messages expire: `always` on time; `whenListening` only while a receiver listens on their queue, to the letter of Azure's article on message expiration",
  },
  releaseLocksOnDetach: {
    flag: '--release-locks-on-detach',
    variables: ['JITNEY_RELEASE_LOCKS_ON_DETACH'],
    type: SWITCH,
    isShown: true,
    default: false,
    help: 'a receiver that goes gives back its locked messages at once',
    docs: 'a receiver whose link or connection ends gives its locked messages back at once, their delivery count unchanged; messages received by sequence number stay locked. Without this, as in Azure, all stay locked until their lock expires',
  },
  expireWholeSession: {
    flag: '--expire-whole-session <true|false>',
    variables: ['JITNEY_EXPIRE_WHOLE_SESSION'],
    type: TRUE_OR_FALSE,
    isShown: true,
    default: true,
    help: 'one expired message takes its session along',
    docs: '`true`: where sessions are required, messages expire only while a receiver listens, and one expired message takes its session along; `false`: they expire one by one and on time. See [sessions](sessions.md#expiry)',
  },
  idleTimeouts: {
    flag: '--idle-timeouts <off|azure>',
    variables: ['JITNEY_IDLE_TIMEOUTS'],
    type: oneOfType(['off', 'azure']),
    isShown: true,
    default: 'off',
    help: 'end idle links and connections as Azure does',
    docs: '`azure`: detaches an unused link after 10 minutes unless it holds a session, and closes a connection without links after 5 (after 1 if it never had one)',
  },
  authorizationTimeout: {
    flag: '--authorization-timeout <time|off>',
    variables: ['JITNEY_AUTHORIZATION_TIMEOUT'],
    type: TIMEOUT,
    setting: 'authorizationTimeoutMs',
    isShown: true,
    defaultText: "off, or 20 seconds with Azure's idle timeouts",
    help: 'time to send a token, such as PT20S or 20',
    docs: 'the time an anonymous connection has to send its token: `PT20S`, or `20` for seconds; in code milliseconds',
  },
} as const satisfies Readonly<Record<string, Option>>;
