// Makes the token of a key in the browser, so that no key is ever sent.

const VALID_SECONDS = 12 * 3600;

/** A shared access signature for the namespace at `host`. Throws where the browser has no cryptography: a page without TLS elsewhere. */
export async function makeToken(host: string, policy: string, key: string): Promise<string> {
  if (crypto.subtle === undefined) {
    throw new Error(
      'This browser signs nothing on a page without TLS that is not on this machine. Open it with https://.',
    );
  }
  const audience = encodeURIComponent(`sb://${host.replace(/:\d+$/, '')}/`);
  const expiry = Math.floor(Date.now() / 1000) + VALID_SECONDS;
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const secret = await crypto.subtle.importKey('raw', encoder.encode(key), algorithm, false, ['sign']);
  const signed = await crypto.subtle.sign('HMAC', secret, encoder.encode(`${audience}\n${expiry}`));
  const signature = encodeURIComponent(btoa(String.fromCharCode(...new Uint8Array(signed))));
  return `SharedAccessSignature sr=${audience}&sig=${signature}&se=${expiry}&skn=${encodeURIComponent(policy)}`;
}
