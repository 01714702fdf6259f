// Hints for people whose client fails in the TLS handshake: the likely cause and the remedy.

import type { Runtime } from './client-hello.js';

export type FailedClient = {
  /** Undefined when the client hello does not identify the runtime. */
  readonly runtime: Runtime | undefined;
  /** Whether it comes for HTTPS, as some administration clients always do; otherwise it probably comes for AMQP. */
  readonly isForHttps: boolean;
  /** The file to trust; undefined when the authority is not on disk or not ours. */
  readonly authorityPath: string | undefined;
};

/** The hint for a failed handshake; undefined when none is needed, such as for a client that disconnects. */
export function hintForHandshake(error: Error, client: FailedClient): string | undefined {
  const code = 'code' in error ? String(error.code) : '';
  if (isDistrust(code, client.runtime)) {
    return `${clientWith(client)} does not trust our certificate. ${remedyFor(client)}`;
  }
  // Node checks the certificate after its side of the handshake is finished, and sends no alert.
  if (code === 'ECONNRESET' && client.runtime === 'Node') return hintForDisconnect(client);
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ERR_TLS_HANDSHAKE_TIMEOUT') return undefined;
  if (code === 'ERR_SSL_NO_APPLICATION_PROTOCOL') {
    return 'A client offered only HTTP/2 over TLS: set it to HTTP/1.1';
  }
  return `A TLS handshake failed (${code === '' ? error.message : code}): the client must speak TLS 1.2 or 1.3`;
}

/** The hint for a client that disconnects after the handshake without sending anything. */
export function hintForDisconnect(client: FailedClient): string {
  return `${clientWith(client)} disconnected as soon as it had seen our certificate, probably because it does not trust it. ${remedyFor(client)}`;
}

function clientWith({ isForHttps }: FailedClient): string {
  return isForHttps ? 'A client for HTTPS' : 'A client';
}

/** Clients come with AMQP over TLS for want of UseDevelopmentEmulator=true in their connection string, or because they always do. */
function remedyFor(client: FailedClient): string {
  if (client.isForHttps) return howToTrust(client);
  return (
    'If its connection string lacks UseDevelopmentEmulator=true, add that: then it comes without TLS. ' +
    `Otherwise, as with a credential or JMS, it must trust the certificate. ${howToTrust(client)}`
  );
}

function howToTrust({ runtime, authorityPath }: FailedClient): string {
  const [file, source] =
    authorityPath === undefined
      ? ['ca.pem', 'It must trust the authority that issued the certificate, which GET /ca.pem returns. ']
      : [authorityPath, ''];
  if (runtime === undefined) {
    return `${source}'jitney certs' prints for each language how to trust ${file}`;
  }
  return `${source}It looks like ${runtime}: ${trustCommandOf(runtime, file)}. 'jitney certs' prints how in all languages`;
}

function trustCommandOf(runtime: Runtime, file: string): string {
  switch (runtime) {
    case 'Node':
      return `start it with NODE_EXTRA_CA_CERTS=${file}`;
    case 'Python':
      return `give its ServiceBusClient connection_verify='${file}', or start it with REQUESTS_CA_BUNDLE=${file} for administration`;
    case 'Java':
      return `import ${file} with keytool into a store, and name that by -Djavax.net.ssl.trustStore`;
    case 'Go':
      return `on Linux, start it with SSL_CERT_FILE=${file}`;
    case '.NET':
      return `on Linux, start it with SSL_CERT_FILE=${file}; on Windows, certutil -user -addstore Root ${file}`;
    default:
      return runtime satisfies never;
  }
}

/** Whether the OpenSSL code is an alert that clients send when they refuse a certificate. */
function isDistrust(code: string, runtime: Runtime | undefined): boolean {
  // Netty's OpenSSL sends this alert for every error of its trust manager.
  if (runtime === 'Java' && code.endsWith('ALERT_INTERNAL_ERROR')) return true;
  return /UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|UNSUPPORTED_CERTIFICATE|CERTIFICATE_EXPIRED/.test(
    code,
  );
}
