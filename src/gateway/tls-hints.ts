// What a handshake that fails says about the client, in words for the person who wrote it.

import type { Runtime } from './client-hello.js';

export type FailedClient = {
  /** Undefined: it could not be told from its greeting. */
  readonly runtime: Runtime | undefined;
  /** The file to trust; undefined: there is none on disk, or none of ours. */
  readonly authorityPath: string | undefined;
};

/** undefined: it says nothing, such as a client that went away. */
export function hintForHandshake(error: Error, client: FailedClient): string | undefined {
  const code = 'code' in error ? String(error.code) : '';
  if (isDistrust(code, client.runtime)) {
    return `A client does not trust our certificate. ${howToTrust(client)}`;
  }
  // Node looks at the certificate when its own side of the handshake is over, and sends no alert.
  if (code === 'ECONNRESET' && client.runtime === 'Node') return hintForSilence(client);
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ERR_TLS_HANDSHAKE_TIMEOUT') return undefined;
  if (code === 'ERR_SSL_NO_APPLICATION_PROTOCOL') {
    return 'A client came with HTTP/2 alone over TLS: let it speak HTTP/1.1';
  }
  return `A TLS handshake failed (${code === '' ? error.message : code}): the client must speak TLS 1.2 or 1.3`;
}

/** Of a client that left after the handshake without a word. */
export function hintForSilence(client: FailedClient): string {
  return `A client left as soon as it had seen our certificate, as one does that does not trust it. ${howToTrust(client)}`;
}

function howToTrust({ runtime, authorityPath }: FailedClient): string {
  const [file, source] =
    authorityPath === undefined
      ? ['ca.pem', 'It must trust the authority that has issued it, which GET /ca.pem answers with. ']
      : [authorityPath, ''];
  if (runtime === undefined) {
    return `${source}'jitney certs' prints for each language how it comes to trust ${file}`;
  }
  return `${source}It looks like ${runtime}: ${wayOf(runtime, file)}. 'jitney certs' prints the ways of all languages`;
}

function wayOf(runtime: Runtime, file: string): string {
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

/** The alerts by which a client refuses a certificate, in the words of OpenSSL. */
function isDistrust(code: string, runtime: Runtime | undefined): boolean {
  // The alert of Netty's OpenSSL, whatever its trust manager says.
  if (runtime === 'Java' && code.endsWith('ALERT_INTERNAL_ERROR')) return true;
  return /UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|UNSUPPORTED_CERTIFICATE|CERTIFICATE_EXPIRED/.test(
    code,
  );
}
