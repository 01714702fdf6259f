// Opens the byte stream to a service over TCP, TLS or a WebSocket. If that fails, one sentence says why.

import { once } from 'node:events';
import { connect as connectTcp, isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import * as tls from 'node:tls';
import { JitneyError } from '../jitney-error.js';
import { interruption } from './client-error.js';
import { addressOf, bareHost, portOf, type Service, WEBSOCKET_PATH } from './service.js';

const CONNECT_LIMIT_MS = 15_000;
/** The subprotocol that Azure's clients name. */
const SUBPROTOCOL = 'AMQPWSB10';
const NO_TLS = 'For an emulator without TLS, add UseDevelopmentEmulator=true to the connection string';
/** The error codes of OpenSSL and Node for a certificate that is not trusted, or is for another host. */
const UNTRUSTED = /^(SELF_SIGNED|UNABLE_TO_|DEPTH_ZERO|CERT_|ERR_TLS_CERT_ALTNAME|HOSTNAME_MISMATCH)/;

/** Throws a JitneyError of kind `not-reachable`, `untrusted` or `interrupted`. */
export async function openStream(service: Service, interrupted: AbortSignal): Promise<Duplex> {
  const timeUp = AbortSignal.timeout(CONNECT_LIMIT_MS);
  const signal = AbortSignal.any([interrupted, timeUp]);
  try {
    if (service.transport === 'websocket') return await openWebSocket(service, signal);
    return await openSocket(service, signal);
  } catch (error) {
    if (interrupted.aborted) throw interruption(error);
    const address = addressOf(service);
    throw timeUp.aborted ? notReachable(address, 'no answer in 15 s', error) : connectError(address, error);
  }
}

async function openSocket(service: Service, signal: AbortSignal): Promise<Duplex> {
  const address = { host: bareHost(service), port: portOf(service) };
  const socket = service.isPlain ? connectTcp(address) : tls.connect({ ...address, ...tlsOptions(service) });
  socket.setNoDelay(true);
  try {
    await once(socket, service.isPlain ? 'connect' : 'secureConnect', { signal });
    return socket;
  } catch (error) {
    socket.on('error', () => {}).destroy();
    throw error;
  }
}

async function openWebSocket(service: Service, signal: AbortSignal): Promise<Duplex> {
  const { createWebSocketStream, WebSocket } = await import('ws');
  const url = `${addressOf(service)}${WEBSOCKET_PATH}`;
  const webSocket = new WebSocket(url, SUBPROTOCOL, { ...tlsOptions(service), perMessageDeflate: false });
  try {
    await once(webSocket, 'open', { signal });
    return createWebSocketStream(webSocket);
  } catch (error) {
    webSocket.on('error', () => {}).terminate();
    throw error;
  }
}

/** The certificates to trust, and the name that the certificate of the service must have. */
export function tlsOptions(service: Service): tls.ConnectionOptions {
  if (service.isPlain) return {};
  const host = bareHost(service);
  return {
    secureContext: contextOf(service),
    // An IP address cannot be a server name.
    ...(isIP(host) === 0 ? { servername: host } : {}),
  };
}

let known: { readonly authorities: string; readonly context: tls.SecureContext } | undefined;

/** Kept for the next connection, because reading the more than 100 authorities of the system takes longer than the handshake. */
function contextOf(service: Service): tls.SecureContext {
  const authorities = service.authorities.join('\n');
  if (known?.authorities === authorities) return known.context;
  const context = tls.createSecureContext({ ca: [...systemAuthorities(), ...service.authorities] });
  known = { authorities, context };
  return context;
}

/** The authorities of the system. From Node 22.15 on, they include `NODE_EXTRA_CA_CERTS`. */
function systemAuthorities(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?(type: 'default'): string[] };
  return getCACertificates?.('default') ?? tls.rootCertificates;
}

export function connectError(address: string, error: unknown): JitneyError {
  const cause = firstOf(error);
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (UNTRUSTED.test(code)) {
    const why = cause instanceof Error ? cause.message : code;
    return new JitneyError('untrusted', `The certificate of ${address} is not trusted: ${why}`, {
      cause: error,
    });
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) {
    return notReachable(address, 'it does not speak TLS there', error, [NO_TLS]);
  }
  return notReachable(address, cause instanceof Error ? cause.message || code : String(cause), error);
}

/** The first error, if a host has several addresses and each has failed. */
function firstOf(error: unknown): unknown {
  return error instanceof AggregateError ? (error.errors[0] ?? error) : error;
}

function notReachable(
  address: string,
  why: string,
  cause: unknown,
  problems: readonly string[] = [],
): JitneyError {
  const text = `Nothing can be reached at ${address}: ${why}`;
  return new JitneyError('not-reachable', text, { problems, cause });
}
