// The environment of the official samples tells them where a Jitney is, and what logs in to it.

import { QUEUE, QUEUE_WITH_SESSIONS } from './expectation.js';

/** Where a Jitney is, and what trusts it. */
export type SamplePlace = {
  readonly connectionString: string;
  readonly host: string;
  readonly port: number;
  /** The file of its certificate authority. */
  readonly caFile: string;
  readonly proxy: string | undefined;
};

/** So that we, and the samples that inherit it, reach what is on this machine without the proxy that it may have. */
export function passProxiesBy(): void {
  process.env.NO_PROXY = process.env.no_proxy = 'localhost,127.0.0.1,::1';
}

/** For every generation: a connection string, or the name of a namespace and a credential that finds its token offline. */
export function sampleEnvironment(place: SamplePlace): Record<string, string> {
  const namespace = `${place.host}:${place.port}`;
  return {
    SERVICEBUS_CONNECTION_STRING: place.connectionString,
    SERVICEBUS_FQDN: namespace,
    SERVICEBUS_HOSTNAME: namespace,
    SERVICEBUS_ENDPOINT: namespace,
    SERVICEBUS_FULLY_QUALIFIED_NAMESPACE: namespace,
    SERVICEBUS_SAS_POLICY: partOf(place.connectionString, 'SharedAccessKeyName'),
    SERVICEBUS_SAS_KEY: partOf(place.connectionString, 'SharedAccessKey'),
    NODE_EXTRA_CA_CERTS: place.caFile,
    IDENTITY_ENDPOINT: `http://${namespace}/msi/token`,
    IDENTITY_HEADER: 'any',
    AZURE_TOKEN_CREDENTIALS: 'ManagedIdentityCredential',
    // Asked for by one sample, and used by nobody.
    AZURE_TENANT_ID: '00000000-0000-0000-0000-000000000001',
    AZURE_CLIENT_ID: '00000000-0000-0000-0000-000000000002',
    AZURE_CLIENT_SECRET: 'none',
    QUEUE_NAME: QUEUE,
    QUEUE_NAME_WITH_SESSIONS: QUEUE_WITH_SESSIONS,
    ...(place.proxy === undefined ? {} : { HTTP_PROXY: place.proxy }),
  };
}

function partOf(connectionString: string, name: string): string {
  const pair = connectionString.split(';').find((part) => part.startsWith(`${name}=`));
  if (pair === undefined) throw new Error(`there is no ${name} in ${connectionString}`);
  return pair.slice(name.length + 1);
}
