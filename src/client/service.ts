// Where a service is, how it is reached, and by which key: all that a client knows before it connects.

import { writeSasToken } from '../security/sas-token.js';

export type ServiceTransport = 'amqp' | 'websocket';

export type Service = {
  /** An IPv6 address stands in brackets. */
  readonly host: string;
  /** Default: the usual port of the transport. */
  readonly port: number | undefined;
  /** Without TLS, as emulators are reached by `UseDevelopmentEmulator=true`. */
  readonly isPlain: boolean;
  readonly transport: ServiceTransport;
  readonly access: Access;
  /** Certificates in PEM that are trusted besides the certificates of the system. */
  readonly authorities: readonly string[];
};

type Access =
  | { readonly kind: 'key'; readonly keyName: string; readonly key: string }
  /** A token that somebody else has signed. */
  | { readonly kind: 'signature'; readonly signature: string };

const PORTS = { amqp: 5672, amqps: 5671, ws: 5672, wss: 443 } as const;
export const WEBSOCKET_PATH = '/$servicebus/websocket';
/** A token lives longer than any command runs, so it is never renewed. */
const TOKEN_MS = 24 * 60 * 60 * 1000;

function schemeOf({ isPlain, transport }: Service): keyof typeof PORTS {
  if (transport === 'websocket') return isPlain ? 'ws' : 'wss';
  return isPlain ? 'amqp' : 'amqps';
}

export function portOf(service: Service): number {
  return service.port ?? PORTS[schemeOf(service)];
}

/** The address that is dialled, for people: `amqp://localhost:5672`. */
export function addressOf(service: Service): string {
  return `${schemeOf(service)}://${service.host}:${portOf(service)}`;
}

/** The host without brackets. */
export function bareHost({ host }: Service): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

/** The audience of a token for an entity, and the token. */
export function tokenFor(
  { host, port, access }: Service,
  path: string,
  nowMs: number,
): { readonly audience: string; readonly token: string } {
  const audience = `sb://${host}${port === undefined ? '' : `:${port}`}/${path}`;
  if (access.kind === 'signature') return { audience, token: access.signature };
  const { keyName, key } = access;
  return { audience, token: writeSasToken({ audience, keyName, key, expiresAtMs: nowMs + TOKEN_MS }) };
}
