// Environment variables: which ones there are and which setting each one is the twin of.

import { suggestion } from '../description/suggestion.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings as flags give them: text, not looked at yet. */
export type Flags = {
  readonly host?: string;
  readonly port?: string;
  readonly httpPort?: string;
  readonly tlsPort?: string;
  readonly httpsPort?: string;
  readonly noTls?: boolean;
  readonly cert?: string;
  readonly key?: string;
  readonly certHost?: readonly string[];
  readonly policy?: readonly string[];
  readonly certDirectory?: string;
  readonly data?: string;
  readonly memory?: boolean;
  readonly reset?: boolean;
  readonly config?: string;
  readonly queue?: readonly string[];
  readonly topic?: readonly string[];
  readonly durability?: string;
  readonly tier?: string;
  readonly limits?: string;
  readonly expirySweep?: string;
  readonly releaseLocksOnDetach?: boolean;
  readonly expireWholeSession?: string;
  readonly idleTimeouts?: string;
  readonly authorizationTimeout?: string;
  readonly auth?: string;
  readonly noTokenEndpoint?: boolean;
  readonly cors?: string;
  readonly allowHost?: string;
  readonly logLevel?: string;
};

/** The first one that is set counts. */
const VARIABLES: Readonly<Record<keyof Flags, readonly string[]>> = {
  host: ['JITNEY_HOST'],
  port: ['JITNEY_PORT'],
  // The second is the official emulator's.
  httpPort: ['JITNEY_HTTP_PORT', 'EMULATOR_HTTP_PORT'],
  tlsPort: ['JITNEY_TLS_PORT'],
  httpsPort: ['JITNEY_HTTPS_PORT'],
  noTls: ['JITNEY_NO_TLS'],
  cert: ['JITNEY_CERT'],
  key: ['JITNEY_KEY'],
  certHost: ['JITNEY_CERT_HOSTS'],
  policy: ['JITNEY_POLICIES'],
  certDirectory: ['JITNEY_CERT_DIRECTORY'],
  data: ['JITNEY_DATA'],
  memory: ['JITNEY_MEMORY'],
  reset: ['JITNEY_RESET'],
  config: ['JITNEY_CONFIG'],
  queue: ['JITNEY_QUEUES'],
  topic: ['JITNEY_TOPICS'],
  durability: ['JITNEY_DURABILITY'],
  tier: ['JITNEY_TIER'],
  limits: ['JITNEY_LIMITS'],
  expirySweep: ['JITNEY_EXPIRY_SWEEP'],
  releaseLocksOnDetach: ['JITNEY_RELEASE_LOCKS_ON_DETACH'],
  expireWholeSession: ['JITNEY_EXPIRE_WHOLE_SESSION'],
  idleTimeouts: ['JITNEY_IDLE_TIMEOUTS'],
  authorizationTimeout: ['JITNEY_AUTHORIZATION_TIMEOUT'],
  auth: ['JITNEY_AUTH'],
  noTokenEndpoint: ['JITNEY_NO_TOKEN_ENDPOINT'],
  cors: ['JITNEY_CORS'],
  allowHost: ['JITNEY_ALLOW_HOSTS'],
  logLevel: ['JITNEY_LOG_LEVEL'],
};

/** A whole Config.json. The second is the name that users of the official emulator have asked for. */
const CONFIG_JSON_VARIABLES = ['JITNEY_CONFIG_JSON', 'CONFIG_JSON'] as const;

export type Variable = { readonly name: string; readonly text: string };

/** An empty variable counts as not set: compose files pass such. */
export function variableFor(setting: keyof Flags, environment: Environment): Variable | undefined {
  return firstOf(VARIABLES[setting], environment);
}

export function configJsonVariable(environment: Environment): Variable | undefined {
  return firstOf(CONFIG_JSON_VARIABLES, environment);
}

function firstOf(names: readonly string[], environment: Environment): Variable | undefined {
  for (const name of names) {
    const text = environment[name];
    if (text !== undefined && text !== '') return { name, text };
  }
  return undefined;
}

/** Of the official image's other variables (ACCEPT_EULA, SQL_SERVER, ...) nothing is said: they are welcome and do nothing. */
export function warnUnknownVariables(environment: Environment): string[] {
  const known = [...Object.values(VARIABLES).flat(), ...CONFIG_JSON_VARIABLES];
  return Object.keys(environment)
    .filter((name) => name.startsWith('JITNEY_') && !known.includes(name))
    .map((name) => `The variable ${name} is not known and does nothing.${suggestion(name, known)}`);
}
