// Hides keys and tokens that a client put where an address belongs, in records and lines that repeat what it wrote.

import { copied, MAX_KEPT } from './kept-text.js';

/** A percent sign in a URL that is itself escaped, perhaps several times: `%`, `%25`, `%2525`. */
const PERCENT = '%(?:25){0,9}';
/** The start of a word. It may follow an escape of a URL, such as `%26sig`. */
const START = String.raw`(?:\b|${PERCENT}[0-9a-f]{2})`;
const COLON = `(?::|${PERCENT}3A)`;
const NAME = `(?:${START}sig|access[ _-]?key|(?:primary|secondary)[ _-]?key)`;
/** Quotes and spaces, also as JSON and URLs escape them. */
const GAP = String.raw`(?:[\s"'\\]|${PERCENT}(?:2[027]|5C))*`;
/** The longest user and password of a URL that are looked for. */
const MAX_USER = 200;
const MAX_PASSWORD = 1000;
/** A secret that begins within the kept characters of a text has ended here. */
const SEARCHED = MAX_KEPT + MAX_USER + MAX_PASSWORD + 100;

/** Goes through a text once: nothing in it looks behind, or repeats what may have any length and be tried again. */
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

/** The text as a record keeps it: its secrets hidden, cut, and copied. */
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
  // Only what comes from the first characters is shown: behind them, the end of the search may have cut a secret in two.
  const rest = searched.slice(end, Math.max(end, MAX_KEPT));
  return copied(shown + rest + (end + rest.length < text.length ? '…' : ''));
}
