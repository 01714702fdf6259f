// What the command line runs with: a flag wins over its environment variable, and that over the default.

import { resolve } from 'node:path';
import type { ExpirySweep } from '../broker/choices.js';
import type { Tier } from '../broker/limits.js';
import { parseTimeout } from '../description/duration.js';
import { named, shown, ValueError } from '../description/value-error.js';
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
  DURABILITIES,
  type Durability,
  EXPIRY_SWEEPS,
  IDLE_TIMEOUT_SETS,
  type IdleTimeoutSet,
  LIMIT_SETS,
  type LimitSet,
  type LogLevel,
  TIERS,
} from './options.js';

export type Settings = {
  readonly host: string;
  readonly port: number;
  readonly httpPort: number | 'off';
  /** Absolute; undefined: in memory. */
  readonly dataDirectory: string | undefined;
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
  logLevel: 'info',
} as const;

const LOG_LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

/** Throws a ConfigError that names the flag or variable. */
export function readSettings(flags: Flags, environment: Environment): Settings {
  refuseEmpty(flags);
  const choose = <T>(setting: TextSetting, read: (text: string) => T, otherwise: T): T =>
    chooseText(setting, flags, environment, read) ?? otherwise;
  const settings: Settings = {
    host: choose('host', freeText('an address'), DEFAULTS.host),
    port: choose('port', readPort, DEFAULTS.port),
    httpPort: choose('httpPort', (text) => (text === 'off' ? text : readPort(text)), DEFAULTS.httpPort),
    dataDirectory: chooseData(flags, environment),
    configFile: choose('config', freeText('a file'), undefined),
    configJson: chooseConfigJson(flags, environment),
    queues: flags.queue ?? splitList(variableFor('queue', environment)?.text ?? ''),
    queuesFrom: originOf('queue', flags, environment),
    topics: flags.topic ?? splitList(variableFor('topic', environment)?.text ?? ''),
    topicsFrom: originOf('topic', flags, environment),
    durability: choose('durability', oneOf(DURABILITIES), DEFAULTS.durability),
    tier: choose('tier', oneOf(TIERS), DEFAULTS.tier),
    tierFrom: originOf('tier', flags, environment),
    limits: choose('limits', oneOf(LIMIT_SETS), DEFAULTS.limits),
    expirySweep: choose('expirySweep', oneOf(EXPIRY_SWEEPS), DEFAULTS.expirySweep),
    releaseLocksOnDetach: chooseSwitch('releaseLocksOnDetach', flags, environment),
    expireWholeSession: choose('expireWholeSession', readTrueOrFalse, DEFAULTS.expireWholeSession),
    idleTimeouts: choose('idleTimeouts', oneOf(IDLE_TIMEOUT_SETS), DEFAULTS.idleTimeouts),
    authorizationTimeoutMs: choose('authorizationTimeout', parseTimeout, undefined),
    logLevel: choose('logLevel', oneOf(LOG_LEVELS), DEFAULTS.logLevel),
    warnings: [...warnUnknownVariables(environment), ...warnUnusedConfigJson(flags, environment)],
  };
  if (settings.port === settings.httpPort && settings.port !== 0) {
    throw new ConfigError(
      'bad-option',
      `The AMQP port and the HTTP port must differ, and both are ${settings.port}`,
    );
  }
  return settings;
}

/** What a script passes when a variable of its own is not set. In the environment, empty is the same as not given. */
function refuseEmpty(flags: Flags): void {
  for (const [setting, given] of Object.entries(flags)) {
    if (given !== '') continue;
    throw new ConfigError('bad-option', `${flagName(setting)} is empty: give it a value or leave it out`);
  }
}

/** Given as a flag without a value, and as a variable with one. */
type Switch = 'memory' | 'releaseLocksOnDetach';
type TextSetting = Exclude<keyof Flags, Switch | 'queue' | 'topic'>;

function chooseText<T>(
  setting: TextSetting,
  flags: Flags,
  environment: Environment,
  read: (text: string) => T,
): T | undefined {
  const flag = flags[setting];
  if (flag !== undefined) return checked('bad-option', flagName(setting), () => read(flag));
  const variable = variableFor(setting, environment);
  if (variable === undefined) return undefined;
  return checked('bad-variable', variable.name, () => read(variable.text));
}

function chooseSwitch(setting: Switch, flags: Flags, environment: Environment): boolean {
  if (flags[setting] === true) return true;
  const variable = variableFor(setting, environment);
  return variable !== undefined && checked('bad-variable', variable.name, () => readYesOrNo(variable.text));
}

/** The flag or variable that says it; undefined when nobody does. */
export function originOf(setting: keyof Flags, flags: Flags, environment: Environment): string | undefined {
  return flags[setting] === undefined ? variableFor(setting, environment)?.name : flagName(setting);
}

/** `httpPort` is given as `--http-port`. */
export function flagName(setting: string): string {
  return `--${setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function checked<T>(kind: 'bad-option' | 'bad-variable', name: string, read: () => T): T {
  try {
    return named(name, read);
  } catch (error) {
    if (error instanceof ValueError) throw new ConfigError(kind, error.message, [], error);
    throw error;
  }
}

function chooseData(flags: Flags, environment: Environment): string | undefined {
  if (flags.data !== undefined && flags.memory === true) {
    throw new ConfigError('bad-option', '--data keeps the messages and --memory does not: give one of them');
  }
  if (flags.memory === true) return undefined;
  // The variables may be both set: the image says memory, and its user where to keep the data.
  const data = chooseText('data', flags, environment, freeText('a directory'));
  if (data !== undefined) return resolve(data);
  return chooseSwitch('memory', flags, environment) ? undefined : resolve(DEFAULTS.data);
}

/** Undefined where a file is named. */
function chooseConfigJson(flags: Flags, environment: Environment): Variable | undefined {
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

/** A comma inside of a spec is written %2C. */
function splitList(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= 0 && port <= 65_535) return port;
  throw new ValueError(`must be a port number from 0 (any free one) to 65535, not ${shown(text)}`);
}

/** Text that starts like an option is one whose own value is missing. */
function freeText(what: string): (text: string) => string {
  return (text) => {
    if (text.startsWith('-')) throw new ValueError(`must be ${what}, not ${shown(text)}`);
    return text;
  };
}

function readTrueOrFalse(text: string): boolean {
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  throw new ValueError(`must be true or false, not ${shown(text)}`);
}

function readYesOrNo(text: string): boolean {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (/^(0|false|no|off)$/i.test(text)) return false;
  throw new ValueError(`must be true or false, not ${shown(text)}`);
}

function oneOf<T extends string>(allowed: readonly T[]): (text: string) => T {
  return (text) => {
    const found = allowed.find((one) => one.toLowerCase() === text.toLowerCase());
    if (found !== undefined) return found;
    throw new ValueError(`must be one of ${allowed.join(', ')}, not ${shown(text)}`);
  };
}
