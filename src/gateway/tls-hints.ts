// What a handshake that fails says about the client, in words for the person who wrote it.

/** undefined: it says nothing, such as a client that went away. */
export function hintForHandshake(error: Error, authorityPath: string | undefined): string | undefined {
  const code = 'code' in error ? String(error.code) : '';
  if (isDistrust(code)) return `A client does not trust our certificate. ${howToTrust(authorityPath)}`;
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ERR_TLS_HANDSHAKE_TIMEOUT') return undefined;
  if (code === 'ERR_SSL_NO_APPLICATION_PROTOCOL') {
    return 'A client came with HTTP/2 alone over TLS: let it speak HTTP/1.1';
  }
  return `A TLS handshake failed (${code === '' ? error.message : code}): the client must speak TLS 1.2 or 1.3`;
}

/** Of a client that left after the handshake without a word. */
export function hintForSilence(authorityPath: string | undefined): string {
  return `A client left as soon as it had seen our certificate, as one does that does not trust it. ${howToTrust(authorityPath)}`;
}

function howToTrust(authorityPath: string | undefined): string {
  if (authorityPath === undefined) return 'It must trust the authority that has issued it: see GET /ca.pem';
  return `Node: NODE_EXTRA_CA_CERTS=${authorityPath}`;
}

/** The alerts by which a client refuses a certificate, in the words of OpenSSL. */
function isDistrust(code: string): boolean {
  return /UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|UNSUPPORTED_CERTIFICATE|CERTIFICATE_EXPIRED/.test(
    code,
  );
}
