// The variables by which programs find an emulator, trust it, and get tokens of it instead of Entra's.

import { ConfigError } from '../config/config-error.js';
import { clientHost, clientPolicy, formatConnectionString } from '../config/connection-string.js';
import type { Environment } from '../config/environment.js';
import { AMQPS_PORT } from '../config/options.js';
import { flagName } from '../config/setting-choice.js';
import { splitList } from '../config/setting-readers.js';
import type { Settings } from '../config/settings.js';
import { DEFAULT_CLIENT_ID } from '../security/entra-token.js';
import type { Variables } from './env-format.js';
import type { TrustFiles } from './trust-files.js';

const ANY_SECRET = 'jitney';
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

/** For a program of this environment. */
export function clientVariables(settings: Settings, trust: TrustFiles, environment: Environment): Variables {
  const policy = clientPolicy(settings.policies);
  const connectionString = formatConnectionString(settings.host, settings.port, settings.policies);
  return {
    SERVICEBUS_CONNECTION_STRING: connectionString,
    AZURE_SERVICEBUS_CONNECTION_STRING: connectionString,
    AzureWebJobsServiceBus: connectionString,
    SERVICEBUS_SAS_POLICY: policy.keyName,
    SERVICEBUS_SAS_KEY: policy.primaryKey,
    ...(settings.tls === 'on' ? namespaceVariables(settings) : {}),
    ...(settings.tls === 'on' && settings.tokenEndpoint === 'on' ? tokenVariables(settings) : {}),
    ...(trust.kind === 'ours' ? trusting(trust) : {}),
    ...aroundProxies(settings, environment),
  };
}

/** Throws a ConfigError when the port will only be known when it runs. */
export function refuseFreePort({ port }: Settings): void {
  if (port !== 0) return;
  const text = `${flagName('port')} 0 takes a port that only the running emulator knows: give a number`;
  throw new ConfigError('bad-option', text);
}

/**
 * A name without a connection string is dialled with TLS: at 5671 by the SDKs of Java, by JavaScript's from 7.10 on and by Python's
 * from 7.15 on, whatever port stands behind it.
 */
function namespaceVariables({ host, port, tlsPort }: Settings): Variables {
  const name = clientHost(host);
  const namespace = tlsPort === AMQPS_PORT ? name : `${name}:${port}`;
  return {
    SERVICEBUS_FQDN: namespace,
    SERVICEBUS_FULLY_QUALIFIED_NAMESPACE: namespace,
    SERVICEBUS_ENDPOINT: namespace,
    SERVICEBUS_HOSTNAME: namespace,
  };
}

/** Where programs get tokens without a network. */
function tokenVariables({ host, port }: Settings): Variables {
  const address = `${clientHost(host)}:${port}`;
  return {
    // Managed identity, as in App Service; alone, so that no login of this machine comes first.
    IDENTITY_ENDPOINT: `http://${address}/msi/token`,
    IDENTITY_HEADER: ANY_SECRET,
    AZURE_TOKEN_CREDENTIALS: 'ManagedIdentityCredential',
    // For programs that insist on a client's secret: the tenant `adfs` makes them ask nobody else.
    AZURE_AUTHORITY_HOST: `https://${address}`,
    AZURE_TENANT_ID: 'adfs',
    AZURE_CLIENT_ID: DEFAULT_CLIENT_ID,
    AZURE_CLIENT_SECRET: ANY_SECRET,
  };
}

/** The first adds to what is trusted; the others replace it, and so name a bundle. */
function trusting({ authority, bundle }: Extract<TrustFiles, { kind: 'ours' }>): Variables {
  return { NODE_EXTRA_CA_CERTS: authority, SSL_CERT_FILE: bundle, REQUESTS_CA_BUNDLE: bundle };
}

/** A proxy would look for this machine's names on its own. What is there already stays, as a variable takes another's place. */
function aroundProxies({ host }: Settings, environment: Environment): Variables {
  const { NO_PROXY, no_proxy } = environment;
  const given = NO_PROXY || no_proxy || '';
  const names = new Set([...splitList(given), ...LOOPBACK, clientHost(host).replace(/^\[(.*)\]$/, '$1')]);
  // A star counts only when it is alone.
  const value = given.trim() === '*' ? given : [...names].join(',');
  // Where both are there, Python and curl read the small one.
  return { NO_PROXY: value, ...(no_proxy === undefined ? {} : { no_proxy: value }) };
}
