// Shared access signatures: reads them, writes them, and checks whether a key has signed one.

import { createHmac } from 'node:crypto';
import { type Refusal, refusal, type ShownKey } from './access.js';
import { isSameSecret } from './access-policy.js';
import { decodePercent, type Resource, readResource } from './resource-path.js';

export type SasToken = {
  readonly kind: 'sas-token';
  /** The resource as it was signed: still encoded, because clients encode it differently. */
  readonly rawResource: string;
  readonly resource: Resource;
  readonly signature: string;
  /** The expiry as it was signed. */
  readonly rawExpiry: string;
  readonly expiresAtMs: number;
  readonly keyName: string;
};

type SasTokenParts = {
  readonly audience: string;
  readonly keyName: string;
  readonly key: string;
  readonly expiresAtMs: number;
};

const SCHEME = /^SharedAccessSignature\s+/i;
const SECONDS = /^\d{1,15}$/;
const SECOND_MS = 1000;

export function isSasToken(text: string): boolean {
  return SCHEME.test(text);
}

/** Reads the fields in any order, because the administration client and the AMQP client write different orders. */
export function readSasToken(text: string): SasToken | Refusal {
  if (!isSasToken(text)) return refusal('MalformedToken', "It does not begin with 'SharedAccessSignature '.");
  const fields = new Map<string, string>();
  for (const field of text.replace(SCHEME, '').trim().split('&')) {
    const at = field.indexOf('=');
    const name = field.slice(0, Math.max(0, at)).toLowerCase();
    if (fields.has(name)) return refusal('MalformedToken', 'One of its fields is there twice.');
    fields.set(name, field.slice(at + 1));
  }
  const [rawResource, signature, rawExpiry, keyName] = ['sr', 'sig', 'se', 'skn'].map((name) =>
    fields.get(name),
  );
  if (!rawResource || !signature || !rawExpiry || !keyName) {
    return refusal('MalformedToken', 'A shared access signature needs the fields sr, sig, se and skn.');
  }
  if (!SECONDS.test(rawExpiry)) {
    return refusal('MalformedToken', 'Its field se must be a number of seconds since 1970.');
  }
  return {
    kind: 'sas-token',
    rawResource,
    resource: readResource(decodeField(rawResource)),
    signature: decodePercent(signature),
    rawExpiry,
    expiresAtMs: Number(rawExpiry) * SECOND_MS,
    keyName: decodeField(keyName),
  };
}

/** The key that has signed a token; undefined for one of Entra and one that cannot be read. */
export function keyOfToken(token: string): ShownKey | undefined {
  const read = readSasToken(token);
  return read.kind === 'sas-token' ? { keyName: read.keyName, token } : undefined;
}

/** Whether the key has signed the token. An empty key matches nothing. */
export function isSignedWith({ rawResource, rawExpiry, signature }: SasToken, key: string): boolean {
  return key !== '' && isSameSecret(signature, signatureOf(rawResource, rawExpiry, key));
}

export function writeSasToken({ audience, keyName, key, expiresAtMs }: SasTokenParts): string {
  const resource = encodeURIComponent(audience);
  const expiry = String(Math.floor(expiresAtMs / SECOND_MS));
  const signature = encodeURIComponent(signatureOf(resource, expiry, key));
  return `SharedAccessSignature sr=${resource}&sig=${signature}&se=${expiry}&skn=${encodeURIComponent(keyName)}`;
}

/** Signs with the text of the key. It is not decoded, although it looks like Base64. */
function signatureOf(rawResource: string, rawExpiry: string, key: string): string {
  return createHmac('sha256', key).update(`${rawResource}\n${rawExpiry}`).digest('base64');
}

/** Decodes a field. .NET writes a space as `+`; a plus sign is always encoded. */
function decodeField(field: string): string {
  return decodePercent(field.replaceAll('+', ' '));
}
