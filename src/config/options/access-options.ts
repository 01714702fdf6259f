// The rows of the table of options that say who is let in.

import { POLICIES } from '../policy-spec.js';
import { readHostName, readOrigin } from '../setting-readers.js';
import type { Option } from './option.js';
import { commaListOf, oneOfType, SWITCH_FALSE, SWITCH_OFF } from './option-types.js';

export const ACCESS_OPTIONS = {
  policy: {
    flag: '--policy <name=rights:key>',
    variables: ['JITNEY_POLICIES'],
    type: POLICIES,
    setting: 'policies',
    defaultText: 'RootManageSharedAccessKey',
    help: 'a policy that replaces the well-known one, such as sender=Send:its-key',
    docs: "a shared access policy of the namespace, such as `sender=Send+Listen:its-key`. It replaces the well-known policy, which has all rights and the key `SAS_KEY_VALUE`; in code `[{ keyName: 'sender', rights: ['Send'], primaryKey: 'secret' }]`",
  },
  auth: {
    flag: '--auth <any|strict>',
    variables: ['JITNEY_AUTH'],
    type: oneOfType(['any', 'strict']),
    isShown: true,
    default: 'any',
    help: 'strict checks keys, tokens and their rights',
    docs: '`strict` checks keys, tokens and their rights as Azure does; `any` accepts all of them',
  },
  noTokenEndpoint: {
    flag: '--no-token-endpoint',
    variables: ['JITNEY_NO_TOKEN_ENDPOINT'],
    type: SWITCH_OFF,
    setting: 'tokenEndpoint',
    isShown: true,
    help: 'issue no tokens for DefaultAzureCredential',
    docs: "`'off'`: issues no tokens; `'on'`: every program that asks gets an Entra token, as `DefaultAzureCredential` does on App Service and virtual machines",
  },
  noControl: {
    flag: '--no-control',
    variables: ['JITNEY_NO_CONTROL'],
    type: SWITCH_FALSE,
    setting: 'control',
    help: 'switch off the control interface, /$jitney',
    docs: '`false`: there is no [control interface](control.md), `/$jitney`, with which people and tools look into the emulator',
  },
  cors: {
    flag: '--cors <origin,...>',
    variables: ['JITNEY_CORS'],
    type: commaListOf(readOrigin),
    setting: 'allowedOrigins',
    isShown: true,
    help: 'web pages that may use it, in addition to pages of this machine',
    docs: 'origins of web pages that may use the emulator, in addition to pages of this machine: `https://app.example.com`, `null`, or `*` for all; with `$jitney` among them they may also use the [control interface](control.md)',
  },
  allowHost: {
    flag: '--allow-host <name,...>',
    variables: ['JITNEY_ALLOW_HOSTS'],
    type: commaListOf(readHostName),
    setting: 'allowedHosts',
    isShown: true,
    help: 'host names that it answers to, in addition to the names of this machine',
    docs: 'names that a request may have in its Host header, in addition to the names of this machine: `jitney.test`, `*.jitney.test`',
  },
} as const satisfies Readonly<Record<string, Option>>;
