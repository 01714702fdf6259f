// The variables by which programs find an emulator, trust it and get its tokens, with notes on settings that have no variable.

import { ConfigError } from '../config/config-error.js';
import { clientHost, clientPolicy, formatConnectionString } from '../config/connection-string.js';
import { type Environment, flagName } from '../config/environment.js';
import { AMQPS_PORT } from '../config/options.js';
import { splitList } from '../config/setting-readers.js';
import type { Settings } from '../config/settings.js';
import { DEFAULT_CLIENT_ID } from '../security/entra-token.js';
import type { Variables } from './env-format.js';
import type { TrustFiles } from './trust-files.js';

const ANY_SECRET = 'jitney';
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

/** The variables for a program that runs in this environment. */
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
    ...(trust.kind === 'ours' ? trustVariables(trust) : {}),
    ...proxyVariables(settings, environment),
  };
}

/** Throws a ConfigError when only the running emulator will know the port. */
export function refuseFreePort({ port }: Settings): void {
  if (port !== 0) return;
  const text = `${flagName('port')} 0 takes a port that only the running emulator knows: give a number`;
  throw new ConfigError('bad-option', text);
}

/**
 * A name without a connection string is dialled with TLS: at 5671 by the SDKs of Java, by JavaScript's from 7.10 on and by Python's
 * from 7.15 on, whatever port the name carries.
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

/** The variables by which programs get tokens without a network. */
function tokenVariables({ host, port }: Settings): Variables {
  const address = `${clientHost(host)}:${port}`;
  return {
    // Managed identity, as in App Service, and no other credential: a login on this machine would come first.
    IDENTITY_ENDPOINT: `http://${address}/msi/token`,
    IDENTITY_HEADER: ANY_SECRET,
    AZURE_TOKEN_CREDENTIALS: 'ManagedIdentityCredential',
    // For programs that insist on a client secret: the tenant `adfs` stops them from asking Entra.
    AZURE_AUTHORITY_HOST: `https://${address}`,
    AZURE_TENANT_ID: 'adfs',
    AZURE_CLIENT_ID: DEFAULT_CLIENT_ID,
    AZURE_CLIENT_SECRET: ANY_SECRET,
  };
}

/** The first variable adds to the trusted authorities; the others replace them, and so name the bundle. */
function trustVariables({ authority, bundle }: Extract<TrustFiles, { kind: 'ours' }>): Variables {
  return { NODE_EXTRA_CA_CERTS: authority, SSL_CERT_FILE: bundle, REQUESTS_CA_BUNDLE: bundle };
}

/** Exempts this machine from proxies. Names already in NO_PROXY stay in it. */
function proxyVariables({ host }: Settings, environment: Environment): Variables {
  const { NO_PROXY, no_proxy } = environment;
  const given = NO_PROXY || no_proxy || '';
  const names = new Set([...splitList(given), ...LOOPBACK, clientHost(host).replace(/^\[(.*)\]$/, '$1')]);
  // A star has effect only alone.
  const value = given.trim() === '*' ? given : [...names].join(',');
  // When both are set, Python and curl read the lower-case one.
  return { NO_PROXY: value, ...(no_proxy === undefined ? {} : { no_proxy: value }) };
}

const HTTPS_PORT = 443;

/** Notes in plain sentences without quotes, for comments in a shell. None without TLS: then only connection strings with UseDevelopmentEmulator=true work. */
export function clientNotes({ tls, tlsPort, httpsPort }: Settings): readonly string[] {
  if (tls === 'off') return [];
  return [
    'Python: AMQP over TLS trusts what certifi has, or connection_verify of ServiceBusClient; the variables are for administration.',
    `Java: administration dials ${HTTPS_PORT}${httpsPort === HTTPS_PORT ? '' : `, so start with --https-port ${HTTPS_PORT}`}; UseDevelopmentEmulator needs azure-messaging-servicebus 7.17.8.`,
    `azure-servicebus-jms: dials ${AMQPS_PORT}${tlsPort === AMQPS_PORT ? '' : `, so start with --tls-port ${AMQPS_PORT}`}, unless its host is given with a port.`,
    ...(tlsPort === AMQPS_PORT && httpsPort !== HTTPS_PORT
      ? [
          `Administration of a namespace by its name alone dials ${HTTPS_PORT}: start with --https-port ${HTTPS_PORT}, or use the connection string.`,
        ]
      : []),
  ];
}
