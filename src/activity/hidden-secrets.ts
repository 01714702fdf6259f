// Hides keys and tokens that a client put where an address belongs, in records that repeat what it wrote.

/** The signature of a token, the key of a connection string, also in a URL, and a JSON Web Token. */
const SECRET = /(\b(?:sig|SharedAccessKey)(?:=|%3D))[^&;'"\s]+|\beyJ[\w-]{8,}(?:\.[\w-]+)*/gi;

export function hideSecrets(text: string): string {
  return text.replaceAll(SECRET, (_secret, name = '') => `${name}(hidden)`);
}
