// The variables with which programs find an emulator, trust it and get its tokens, and notes on settings that have no variable.

import { clientHost, clientPolicy, formatConnectionString } from '../../config/connection-string.js';
import type { Environment } from '../../config/environment.js';
import { AMQPS_PORT } from '../../config/options/tls-options.js';
import { splitList } from '../../config/setting-readers.js';
import type { Settings } from '../../config/settings.js';
import { JitneyError } from '../../jitney-error.js';
import { AUTHORITY_PATH, AUTHORITY_TENANT, DEFAULT_CLIENT_ID } from '../../security/entra-token.js';
import type { Variables } from './env-format.js';
import type { TrustFiles } from './trust-files.js';

/** The kinds of identity with which a program asks for its tokens. */
export const CREDENTIALS = ['managed-identity', 'secret', 'workload'] as const;
export type Credential = (typeof CREDENTIALS)[number];

/** `tokenFile` is set for the credential `workload`. */
export type ChosenCredential = { readonly kind: Credential; readonly tokenFile?: string | undefined };

/** The variables of a login of the user. A program would try it before a managed identity, or combine it with our variables. */
const LOGIN_VARIABLES = [
  'AZURE_TENANT_ID',
  'AZURE_CLIENT_SECRET',
  'AZURE_CLIENT_CERTIFICATE_PATH',
  'AZURE_USERNAME',
  'AZURE_PASSWORD',
  'AZURE_FEDERATED_TOKEN_FILE',
];
const ANY_SECRET = 'jitney';
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];

type Client = {
  readonly trust: TrustFiles;
  readonly credential: ChosenCredential;
  readonly environment: Environment;
};

/** The variables for a program that runs in this environment. */
export function clientVariables(settings: Settings, { trust, credential, environment }: Client): Variables {
  const policy = clientPolicy(settings.policies);
  const connectionString = formatConnectionString(settings.host, settings.port, settings.policies);
  return {
    SERVICEBUS_CONNECTION_STRING: connectionString,
    AZURE_SERVICEBUS_CONNECTION_STRING: connectionString,
    AzureWebJobsServiceBus: connectionString,
    SERVICEBUS_SAS_POLICY: policy.keyName,
    SERVICEBUS_SAS_KEY: policy.primaryKey,
    ...(settings.tls === 'on' ? namespaceVariables(settings) : {}),
    ...(givesTokens(settings) ? tokenVariables(settings, credential) : {}),
    ...(trust.kind === 'ours' ? trustVariables(trust) : {}),
    ...proxyVariables(settings, environment),
  };
}

/** The variables that a program must not have in addition. */
export function variablesToUnset(settings: Settings, variables: Variables): readonly string[] {
  return givesTokens(settings) ? LOGIN_VARIABLES.filter((name) => !(name in variables)) : [];
}

/** Throws a JitneyError if the requested credential cannot get tokens. */
export function refuseCredential(settings: Settings, kind: Credential): void {
  if (kind === 'managed-identity' || givesTokens(settings)) return;
  const text = `--credential ${kind} asks the token endpoint over TLS: leave out --no-tls and --no-token-endpoint`;
  throw new JitneyError('bad-option', text);
}

/** Without TLS, programs can use only connection strings. */
function givesTokens({ tls, tokenEndpoint }: Settings): boolean {
  return tls === 'on' && tokenEndpoint === 'on';
}

/**
 * The variables for programs that connect by name, without a connection string. They always use TLS. The SDKs of Java, and of Python from
 * 7.15 on, dial 5671 even if the name has a port; the SDK of .NET refuses a name with a port.
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

/** The variables with which programs get tokens without a network. */
function tokenVariables({ host, port }: Settings, { kind, tokenFile = '' }: ChosenCredential): Variables {
  const address = `${clientHost(host)}:${port}`;
  const authority = {
    // Keeps programs from trying logins on this machine. The libraries of early 2025 know only `prod` and `dev`.
    AZURE_TOKEN_CREDENTIALS: 'prod',
    AZURE_AUTHORITY_HOST: `https://${address}${AUTHORITY_PATH}`,
    AZURE_CLIENT_ID: DEFAULT_CLIENT_ID,
  };
  switch (kind) {
    case 'managed-identity':
      // Without TLS, as in App Service, so that a program does not need to trust a certificate.
      return { IDENTITY_ENDPOINT: `http://${address}/msi/token`, IDENTITY_HEADER: ANY_SECRET, ...authority };
    case 'secret':
      return { ...authority, AZURE_TENANT_ID: AUTHORITY_TENANT, AZURE_CLIENT_SECRET: ANY_SECRET };
    case 'workload':
      return { ...authority, AZURE_TENANT_ID: AUTHORITY_TENANT, AZURE_FEDERATED_TOKEN_FILE: tokenFile };
    default:
      return kind satisfies never;
  }
}

/** The first variable adds to the trusted authorities; the others replace them, so they name the bundle. */
function trustVariables({ authority, bundle }: Extract<TrustFiles, { kind: 'ours' }>): Variables {
  return { NODE_EXTRA_CA_CERTS: authority, SSL_CERT_FILE: bundle, REQUESTS_CA_BUNDLE: bundle };
}

/** Exempts this machine from proxies. Names already in NO_PROXY stay in it. */
function proxyVariables({ host }: Settings, environment: Environment): Variables {
  const { NO_PROXY, no_proxy } = environment;
  const given = NO_PROXY || no_proxy || '';
  const names = new Set([...splitList(given), ...LOOPBACK, clientHost(host).replace(/^\[(.*)\]$/, '$1')]);
  // A star works only if it stands alone.
  const value = given.trim() === '*' ? given : [...names].join(',');
  // When both are set, Python and curl read the lower-case one.
  return { NO_PROXY: value, ...(no_proxy === undefined ? {} : { no_proxy: value }) };
}

const HTTPS_PORT = 443;

/** Notes without quotes, because they become comments in a shell. None without TLS: then only connection strings with UseDevelopmentEmulator=true work. */
export function clientNotes({ tls, host, port, tlsPort, httpsPort }: Settings): readonly string[] {
  if (tls === 'off') return [];
  const address = `${clientHost(host)}:${port}`;
  return [
    'Python: with DefaultAzureCredential, give ServiceBusClient as connection_verify the path in REQUESTS_CA_BUNDLE: its AMQP over TLS reads no variable, and trusts certifi. Administration reads it.',
    `Java: administration dials ${HTTPS_PORT}${httpsPort === HTTPS_PORT ? '' : `, so start with --https-port ${HTTPS_PORT}`}; UseDevelopmentEmulator needs azure-messaging-servicebus 7.17.8.`,
    `azure-servicebus-jms: dials ${AMQPS_PORT} for any connection string${tlsPort === AMQPS_PORT ? '' : `, so start with --tls-port ${AMQPS_PORT}`}.`,
    ...(tlsPort === AMQPS_PORT
      ? []
      : [
          `SERVICEBUS_FULLY_QUALIFIED_NAMESPACE has a port, which .NET refuses, and for which Java and Python dial ${AMQPS_PORT}: start with --tls-port ${AMQPS_PORT}, or give them ${clientHost(host)} and the custom endpoint address sb://${address}, in Java https://${address}, in Python with websocket-client installed.`,
        ]),
    ...(tlsPort === AMQPS_PORT && httpsPort !== HTTPS_PORT
      ? [
          `Administration of a namespace by its name alone dials ${HTTPS_PORT}: start with --https-port ${HTTPS_PORT}, or use the connection string.`,
        ]
      : []),
  ];
}
