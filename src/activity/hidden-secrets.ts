// Hides keys and tokens that a client put where an address belongs, in records and lines that repeat what it wrote.

/**
 * The start of a word. It may follow an escape of a URL, such as `%26sig`, and an escape may be escaped again: `%2526`.
 */
const START = String.raw`(?:\b|(?<=%(?:25)*[0-9a-f]{2}))`;
const COLON = '(?::|%(?:25)*3A)';
const NAME = `(?:${START}sig|access[ _-]?key|(?:primary|secondary)[ _-]?key)`;
/** Quotes and spaces, also as JSON and URLs escape them. */
const GAP = String.raw`(?:[\s"'\\]|%(?:25)*2[027]|%(?:25)*5C)*`;
/** The longest password of a URL that is looked for, so that a text of many colons is read in linear time. */
const MAX_PASSWORD = 1000;

const SECRET = new RegExp(
  [
    // The signature of a token, and a key: `SharedAccessKey=...`, `"AccessKey": "..."`.
    `(?<name>${NAME}${GAP}(?:=|%(?:25)*3D|${COLON})${GAP})[^&;'"\\s\\\\]+`,
    // The password of a URL: `amqps://name:password@host`. It may hold a slash that should have been escaped.
    String.raw`(?<user>${COLON}(?:\/\/|(?:%(?:25)*2F){2})[^\s:/@]{0,200}?${COLON})[^\s"']{1,${MAX_PASSWORD}}(?=@|%(?:25)*40)`,
    // A JSON Web Token.
    String.raw`${START}eyJ[\w-]{8,}(?:\.[\w-]+)*`,
  ].join('|'),
  'gi',
);

export function hideSecrets(text: string): string {
  return text.replaceAll(SECRET, (...found) => {
    const { name = '', user = '' } = found.at(-1) as Partial<Record<'name' | 'user', string>>;
    return `${name}${user}(hidden)`;
  });
}
