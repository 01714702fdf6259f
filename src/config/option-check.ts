// The options of `startEmulator` that JavaScript may get wrong unnoticed: looked at before anything is started.

import {
  ACCESS_RIGHTS,
  describeAuthorizationRule,
  problemOfAuthorizationRules,
} from '../broker/entity/authorization-rule.js';
import { suggestion } from '../description/suggestion.js';
import { named, shown, ValueError } from '../description/value-error.js';
import { ConfigError } from './config-error.js';
import {
  AUTH_MODES,
  DURABILITIES,
  type EmulatorOptions,
  EXPIRY_SWEEPS,
  type GivenPolicy,
  IDLE_TIMEOUT_SETS,
  LIMIT_SETS,
  TIERS,
} from './options.js';
import { readCertHost, readHostName, readOrigin } from './setting-readers.js';

/** All there are; a name that is none of them is a mistake, such as `queue` for `queues`. */
const NAMES: Readonly<Record<keyof EmulatorOptions, true>> = {
  host: true,
  port: true,
  httpPort: true,
  tlsPort: true,
  httpsPort: true,
  tls: true,
  cert: true,
  key: true,
  certHosts: true,
  certificateDirectory: true,
  allowedOrigins: true,
  allowedHosts: true,
  auth: true,
  tokenEndpoint: true,
  policies: true,
  dataDirectory: true,
  reset: true,
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
  checkAccessOptions(options);
  checkOneOf('tier', options.tier, TIERS);
  checkOneOf('durability', options.durability, DURABILITIES);
  checkOneOf('limits', options.limits, LIMIT_SETS);
  checkOneOf('expirySweep', options.expirySweep, EXPIRY_SWEEPS);
  checkOneOf('idleTimeouts', options.idleTimeouts, IDLE_TIMEOUT_SETS);
  checkBoolean('reset', options.reset);
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

function checkAccessOptions(options: EmulatorOptions): void {
  const { tlsPort, httpsPort, cert, key, certificateDirectory, policies } = options;
  const isTlsPort = tlsPort === 'off' || tlsPort === 'ifFree' || isPort(tlsPort);
  check('tlsPort', tlsPort, isTlsPort, "a port number, 'ifFree' or 'off'");
  check('httpsPort', httpsPort, httpsPort === 'off' || isPort(httpsPort), "a port number or 'off'");
  checkOneOf('tls', options.tls, ['on', 'off']);
  checkOneOf('auth', options.auth, AUTH_MODES);
  checkOneOf('tokenEndpoint', options.tokenEndpoint, ['on', 'off']);
  check('cert', cert, isText(cert), 'the path of a PEM file');
  check('key', key, isText(key), 'the path of a PEM file');
  if ((cert === undefined) !== (key === undefined)) {
    const [given, missing] = key === undefined ? ['cert', 'key'] : ['key', 'cert'];
    throw new ConfigError('bad-option', `${given} is of no use without ${missing}: give both or none`);
  }
  check(
    'certificateDirectory',
    certificateDirectory,
    isText(certificateDirectory),
    'the path of a directory',
  );
  checkEach('certHosts', options.certHosts, readCertHost);
  checkEach('allowedHosts', options.allowedHosts, readHostName);
  checkEach('allowedOrigins', options.allowedOrigins, readOrigin);
  check('policies', policies, Array.isArray(policies), 'an array of policies');
  if (policies !== undefined) checkPolicies(policies);
}

/** LIM-13: those of the namespace are like those of an entity. */
function checkPolicies(policies: readonly GivenPolicy[]): void {
  for (const policy of policies) {
    const isPolicy = isText(policy?.keyName) && isText(policy.primaryKey) && Array.isArray(policy.rights);
    // The keys are secrets: the name is all that is shown.
    const expected = "have a keyName, a primaryKey and rights, such as ['Send']";
    if (!isPolicy) throw new ConfigError('bad-option', `each of policies must ${expected}`);
    const right = policy.rights.find((one) => !ACCESS_RIGHTS.includes(one));
    check(`a right of policy '${policy.keyName}'`, right, false, `one of ${ACCESS_RIGHTS.join(', ')}`);
  }
  const problem = problemOfAuthorizationRules(
    policies.map(({ keyName, ...given }) => describeAuthorizationRule(keyName, given)),
  );
  if (problem !== undefined) throw new ConfigError('bad-option', `policies ${problem}`);
}

function checkEach(name: string, values: unknown, read: (text: string) => string): void {
  check(name, values, Array.isArray(values) && values.every(isText), 'an array of texts');
  for (const value of Array.isArray(values) ? values.map(String) : []) {
    try {
      named(`each of ${name}`, () => read(value));
    } catch (error) {
      if (error instanceof ValueError) throw new ConfigError('bad-option', error.message, [], error);
      throw error;
    }
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
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
