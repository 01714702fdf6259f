// What the command line runs with: a flag wins over its environment variable, and that over the default.

import { resolve } from 'node:path';
import type { ExpirySweep } from '../broker/choices.js';
import type { Tier } from '../broker/limits.js';
import { parseTimeout } from '../description/duration.js';
import { ConfigError } from './config-error.js';
import {
  configJsonVariable,
  type Environment,
  type Flags,
  type Variable,
  variableFor,
  warnUnknownVariables,
} from './environment.js';
import {
  AUTH_MODES,
  type AuthMode,
  DURABILITIES,
  type Durability,
  EXPIRY_SWEEPS,
  type GivenPolicy,
  IDLE_TIMEOUT_SETS,
  type IdleTimeoutSet,
  LIMIT_SETS,
  type LimitSet,
  type LogLevel,
  TIERS,
} from './options.js';
import { parsePolicySpec } from './policy-spec.js';
import { flagName, SettingChoice } from './setting-choice.js';
import {
  freeText,
  oneOf,
  readHostName,
  readOrigin,
  readPort,
  readPortOrOff,
  readTrueOrFalse,
  splitList,
} from './setting-readers.js';
import { readTlsSettings, type TlsSettings } from './tls-settings.js';

export type Settings = TlsSettings & {
  readonly host: string;
  readonly port: number;
  readonly httpPort: number | 'off';
  /** Absolute; undefined: in memory. */
  readonly dataDirectory: string | undefined;
  /** Whether what earlier starts have kept there is removed first. */
  readonly reset: boolean;
  readonly configFile: string | undefined;
  /** A whole Config.json in place of a file. */
  readonly configJson: Variable | undefined;
  /** As given: `name?property=value&...` */
  readonly queues: readonly string[];
  readonly queuesFrom: string | undefined;
  /** As given: `name/subscription+subscription?property=value&...` */
  readonly topics: readonly string[];
  readonly topicsFrom: string | undefined;
  readonly durability: Durability;
  readonly tier: Tier;
  /** The flag or variable that says so; undefined when nobody does. */
  readonly tierFrom: string | undefined;
  readonly limits: LimitSet;
  readonly expirySweep: ExpirySweep;
  readonly releaseLocksOnDetach: boolean;
  readonly expireWholeSession: boolean;
  readonly idleTimeouts: IdleTimeoutSet;
  /** undefined: as `idleTimeouts` has it. */
  readonly authorizationTimeoutMs: number | 'off' | undefined;
  readonly auth: AuthMode;
  readonly tokenEndpoint: 'on' | 'off';
  /** Undefined: the one that everybody knows. */
  readonly policies: readonly GivenPolicy[] | undefined;
  /** Of web pages. */
  readonly allowedOrigins: readonly string[];
  /** By which requests may name us. */
  readonly allowedHosts: readonly string[];
  readonly logLevel: LogLevel;
  readonly warnings: readonly string[];
};

export const DEFAULTS = {
  host: 'localhost',
  port: 5672,
  httpPort: 5300,
  data: './.jitney',
  durability: 'os',
  tier: 'standard',
  limits: 'azure',
  expirySweep: 'always',
  expireWholeSession: true,
  idleTimeouts: 'off',
  auth: 'any',
  logLevel: 'info',
} as const;

const LOG_LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

/** Throws a ConfigError that names the flag or variable. */
export function readSettings(flags: Flags, environment: Environment): Settings {
  refuseEmpty(flags);
  const choice = new SettingChoice(flags, environment);
  const port = choice.text('port', readPort, DEFAULTS.port);
  const settings: Settings = {
    host: choice.text('host', freeText('an address'), DEFAULTS.host),
    port,
    httpPort: choice.text('httpPort', readPortOrOff, DEFAULTS.httpPort),
    ...readTlsSettings(choice, port),
    dataDirectory: chooseData(choice),
    reset: choice.switch('reset'),
    configFile: choice.text('config', freeText('a file'), undefined),
    configJson: chooseConfigJson(choice),
    queues: choice.list('queue'),
    queuesFrom: choice.origin('queue'),
    topics: choice.list('topic'),
    topicsFrom: choice.origin('topic'),
    durability: choice.text('durability', oneOf(DURABILITIES), DEFAULTS.durability),
    tier: choice.text('tier', oneOf(TIERS), DEFAULTS.tier),
    tierFrom: choice.origin('tier'),
    limits: choice.text('limits', oneOf(LIMIT_SETS), DEFAULTS.limits),
    expirySweep: choice.text('expirySweep', oneOf(EXPIRY_SWEEPS), DEFAULTS.expirySweep),
    releaseLocksOnDetach: choice.switch('releaseLocksOnDetach'),
    expireWholeSession: choice.text('expireWholeSession', readTrueOrFalse, DEFAULTS.expireWholeSession),
    idleTimeouts: choice.text('idleTimeouts', oneOf(IDLE_TIMEOUT_SETS), DEFAULTS.idleTimeouts),
    authorizationTimeoutMs: choice.text('authorizationTimeout', parseTimeout, undefined),
    auth: choice.text('auth', oneOf(AUTH_MODES), DEFAULTS.auth),
    tokenEndpoint: choice.switch('noTokenEndpoint') ? 'off' : 'on',
    policies: someOf(choice.list('policy', parsePolicySpec)),
    allowedOrigins: choice.text('cors', (text) => splitList(text).map(readOrigin), []),
    allowedHosts: choice.text('allowHost', (text) => splitList(text).map(readHostName), []),
    logLevel: choice.text('logLevel', oneOf(LOG_LEVELS), DEFAULTS.logLevel),
    warnings: [...warnUnknownVariables(environment), ...warnUnusedConfigJson(flags, environment)],
  };
  refuseSamePorts(settings);
  return settings;
}

function refuseSamePorts(settings: Settings): void {
  const names = ['port', 'httpPort', 'tlsPort', 'httpsPort'] as const;
  names.forEach((name, index) => {
    const port = settings[name];
    const other = names.slice(0, index).find((earlier) => settings[earlier] === port);
    if (other === undefined || port === 0 || port === 'off') return;
    const text = `${flagName(other)} and ${flagName(name)} must differ, and both are ${port}`;
    throw new ConfigError('bad-option', text);
  });
}

/** What a script passes when a variable of its own is not set. In the environment, empty is the same as not given. */
function refuseEmpty(flags: Flags): void {
  for (const [setting, given] of Object.entries(flags)) {
    if (given !== '') continue;
    throw new ConfigError('bad-option', `${flagName(setting)} is empty: give it a value or leave it out`);
  }
}

function chooseData(choice: SettingChoice): string | undefined {
  const { flags } = choice;
  if (flags.data !== undefined && flags.memory === true) {
    throw new ConfigError('bad-option', '--data keeps the messages and --memory does not: give one of them');
  }
  if (flags.memory === true) return undefined;
  // The variables may be both set: the image says memory, and its user where to keep the data.
  const data = choice.text('data', freeText('a directory'), undefined);
  if (data !== undefined) return resolve(data);
  return choice.switch('memory') ? undefined : resolve(DEFAULTS.data);
}

/** Undefined where a file is named. */
function chooseConfigJson({ flags, environment }: SettingChoice): Variable | undefined {
  const json = configJsonVariable(environment);
  if (json === undefined || flags.config !== undefined) return undefined;
  const file = variableFor('config', environment);
  if (file === undefined) return json;
  // That name is nobody's own: it may be there for another program.
  if (json.name === 'CONFIG_JSON') return undefined;
  const text = `${file.name} names a config file and ${json.name} holds a config: give one of them`;
  throw new ConfigError('bad-variable', text);
}

/** Where a flag names a file, it is no wonder that variables do not count. */
function warnUnusedConfigJson(flags: Flags, environment: Environment): string[] {
  if (flags.config !== undefined || configJsonVariable(environment)?.name !== 'CONFIG_JSON') return [];
  const file = variableFor('config', environment);
  return file === undefined ? [] : [`The variable CONFIG_JSON is not used, because ${file.name} is set.`];
}

function someOf<T>(items: readonly T[]): readonly T[] | undefined {
  return items.length === 0 ? undefined : items;
}
