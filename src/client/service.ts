// The address of a service, the transport and the key: everything that a client knows before it connects.

import { writeSasToken } from '../security/sas-token.js';

export type ServiceTransport = 'amqp' | 'websocket';

export type Service = {
  /** The host; an IPv6 address is in brackets. */
  readonly host: string;
  /** Default: the usual port of the transport. */
  readonly port: number | undefined;
  /** Whether to connect without TLS, as emulators are reached with `UseDevelopmentEmulator=true`. */
  readonly isPlain: boolean;
  readonly transport: ServiceTransport;
  readonly access: Access;
  /** Certificates in PEM that are trusted in addition to the system's. */
  readonly authorities: readonly string[];
};

type Access =
  | { readonly kind: 'key'; readonly keyName: string; readonly key: string }
  /** A token that was signed elsewhere. */
  | { readonly kind: 'signature'; readonly signature: string };

const PORTS = { amqp: 5672, amqps: 5671, ws: 5672, wss: 443 } as const;
export const WEBSOCKET_PATH = '/$servicebus/websocket';
/** A token is never renewed, because it is valid for longer than any command runs. */
const TOKEN_MS = 24 * 60 * 60 * 1000;

function schemeOf({ isPlain, transport }: Service): keyof typeof PORTS {
  if (transport === 'websocket') return isPlain ? 'ws' : 'wss';
  return isPlain ? 'amqp' : 'amqps';
}

export function portOf(service: Service): number {
  return service.port ?? PORTS[schemeOf(service)];
}

/** The address to which the client connects, for people: `amqp://localhost:5672`. */
export function addressOf(service: Service): string {
  return `${schemeOf(service)}://${service.host}:${portOf(service)}`;
}

/** The host without brackets. */
export function bareHost({ host }: Service): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

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
