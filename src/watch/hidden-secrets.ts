// Hides keys and tokens in records and log lines that repeat a client's text: some clients put them where an address belongs.

import { copied, MAX_KEPT } from './kept-text.js';

/** A percent sign in a URL, which may itself be escaped several times: `%`, `%25`, `%2525`. */
const PERCENT = '%(?:25){0,9}';
/** The start of a word. It may follow an escape of a URL, such as `%26sig`. */
const START = String.raw`(?:\b|${PERCENT}[0-9a-f]{2})`;
const COLON = `(?::|${PERCENT}3A)`;
const NAME = `(?:${START}sig|access[ _-]?key|(?:primary|secondary)[ _-]?key)`;
/** Quotes and spaces, plain or as JSON and URLs escape them. */
const GAP = String.raw`(?:[\s"'\\]|${PERCENT}(?:2[027]|5C))*`;
/** Longer user names and passwords in a URL are not recognised. */
const MAX_USER = 200;
const MAX_PASSWORD = 1000;
/** So many characters are searched. A secret that begins within the kept characters ends before this. */
const SEARCHED = MAX_KEPT + MAX_USER + MAX_PASSWORD + 100;

/** Needs only one pass over a text: it has no look-behind, and no unlimited repetition that could be tried again. */
export const SECRETS = new RegExp(
  [
    // The signature of a token, and a key: `SharedAccessKey=...`, `"AccessKey": "..."`.
    `(?<name>${NAME}${GAP}(?:=|${PERCENT}3D|${COLON})${GAP})[^&;'"\\s\\\\]+`,
    // The password of a URL: `amqps://name:password@host`. It may hold a slash that should have been escaped.
    String.raw`(?<user>${COLON}(?:\/\/|(?:${PERCENT}2F){2})(?:(?!${COLON})[^\s/@]){0,${MAX_USER}}${COLON})[^\s"']{1,${MAX_PASSWORD}}(?=@|${PERCENT}40)`,
    // A JSON Web Token.
    String.raw`(?<start>${START})eyJ[\w-]{8,}(?:\.[\w-]+)*`,
  ].join('|'),
  'gi',
);

/** Hides the secrets of a text, cuts it to the kept length, and copies it for a record. */
export function hideSecrets(text: string): string {
  const searched = text.slice(0, SEARCHED);
  let shown = '';
  let end = 0;
  for (const { 0: secret, index, groups = {} } of searched.matchAll(SECRETS)) {
    if (index >= MAX_KEPT) break;
    const { name = '', user = '', start = '' } = groups;
    shown += `${searched.slice(end, index)}${name}${user}${start}(hidden)`;
    end = index + secret.length;
  }
  // Only the first characters are shown: after them, the end of the search may have cut a secret in two.
  const rest = searched.slice(end, Math.max(end, MAX_KEPT));
  return copied(shown + rest + (end + rest.length < text.length ? '…' : ''));
}
