// The options of `startEmulator` that JavaScript may get wrong unnoticed: looked at before anything is started.

import { suggestion } from '../description/suggestion.js';
import { shown } from '../description/value-error.js';
import { ConfigError } from './config-error.js';
import {
  DURABILITIES,
  type EmulatorOptions,
  EXPIRY_SWEEPS,
  IDLE_TIMEOUT_SETS,
  LIMIT_SETS,
  TIERS,
} from './options.js';

/** All there are; a name that is none of them is a mistake, such as `queue` for `queues`. */
const NAMES: Readonly<Record<keyof EmulatorOptions, true>> = {
  host: true,
  port: true,
  httpPort: true,
  dataDirectory: true,
  durability: true,
  queues: true,
  topics: true,
  configFile: true,
  configJson: true,
  tier: true,
  limits: true,
  expirySweep: true,
  releaseLocksOnDetach: true,
  expireWholeSession: true,
  idleTimeouts: true,
  authorizationTimeoutMs: true,
  contentBudgetBytes: true,
  log: true,
};

/** Throws a ConfigError. */
export function checkOptions(options: EmulatorOptions): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(NAMES, name));
  if (unknown !== undefined) {
    const hint = suggestion(unknown, Object.keys(NAMES));
    throw new ConfigError('bad-option', `there is no option '${unknown}'.${hint}`);
  }
  check('queues', options.queues, Array.isArray(options.queues), 'an array of queue specs or objects');
  check('topics', options.topics, Array.isArray(options.topics), 'an array of topic specs or objects');
  const { configJson } = options;
  check('configJson', configJson, typeof configJson === 'string', 'the text of a Config.json');
  const { port, httpPort, authorizationTimeoutMs, contentBudgetBytes } = options;
  check('port', port, isPort(port), 'a port number from 0 (any free one) to 65535');
  check('httpPort', httpPort, httpPort === 'off' || isPort(httpPort), "a port number or 'off'");
  checkOneOf('tier', options.tier, TIERS);
  checkOneOf('durability', options.durability, DURABILITIES);
  checkOneOf('limits', options.limits, LIMIT_SETS);
  checkOneOf('expirySweep', options.expirySweep, EXPIRY_SWEEPS);
  checkOneOf('idleTimeouts', options.idleTimeouts, IDLE_TIMEOUT_SETS);
  checkBoolean('releaseLocksOnDetach', options.releaseLocksOnDetach);
  checkBoolean('expireWholeSession', options.expireWholeSession);
  check(
    'authorizationTimeoutMs',
    authorizationTimeoutMs,
    authorizationTimeoutMs === 'off' || (isWhole(authorizationTimeoutMs) && authorizationTimeoutMs > 0),
    "a whole number of milliseconds above 0, or 'off'",
  );
  const isBudget = isWhole(contentBudgetBytes) && contentBudgetBytes >= 0;
  check('contentBudgetBytes', contentBudgetBytes, isBudget, 'a whole number of bytes');
}

function checkOneOf(name: string, value: unknown, allowed: readonly string[]): void {
  check(
    name,
    value,
    allowed.some((one) => one === value),
    `one of ${allowed.join(', ')}`,
  );
}

function checkBoolean(name: string, value: unknown): void {
  check(name, value, typeof value === 'boolean', 'true or false');
}

function check(name: string, value: unknown, isGood: boolean, expected: string): void {
  if (value === undefined || isGood) return;
  throw new ConfigError('bad-option', `${name} must be ${expected}, not ${shown(value)}`);
}

function isPort(value: unknown): boolean {
  return isWhole(value) && value >= 0 && value <= 65_535;
}

function isWhole(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value);
}
