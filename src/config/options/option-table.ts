// The table of options: what the checks, the environment, the settings, `--help`, `jitney config`, EmulatorOptions and docs/options.md are made from.

import { ACCESS_OPTIONS } from './access-options.js';
import { BEHAVIOUR_OPTIONS } from './behaviour-options.js';
import { ENTITY_OPTIONS } from './entity-options.js';
import { LISTEN_OPTIONS } from './listen-options.js';
import { LOG_OPTIONS } from './log-options.js';
import { STORAGE_OPTIONS } from './storage-options.js';
import { TLS_OPTIONS } from './tls-options.js';

/** The options by the groups of `--help` and docs/options.md. */
export const OPTION_GROUPS = {
  'Where it listens': LISTEN_OPTIONS,
  Entities: ENTITY_OPTIONS,
  'What is kept': STORAGE_OPTIONS,
  'How it behaves': BEHAVIOUR_OPTIONS,
  'TLS and certificates': TLS_OPTIONS,
  'Who is let in': ACCESS_OPTIONS,
  Log: LOG_OPTIONS,
} as const;

/** The options by the names of their flags in camel case, in the order of `jitney config`. */
export const OPTIONS = {
  ...LISTEN_OPTIONS,
  ...ENTITY_OPTIONS,
  ...STORAGE_OPTIONS,
  ...BEHAVIOUR_OPTIONS,
  ...TLS_OPTIONS,
  ...ACCESS_OPTIONS,
  ...LOG_OPTIONS,
} as const;
