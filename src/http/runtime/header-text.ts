// Text in a header and back. A header is bytes, which JavaScript shows one to a character, whatever they mean.

const NOT_ASCII = /[^\0-\x7f]/;
const NOT_LATIN1 = /[^\0-\xff]/;
/** What no header may hold; a tab may stand in one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const CONTROLS = /[\0-\x08\x0a-\x1f\x7f]/g;
const NOT_PLAIN = /[^\x20-\x7e]/g;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Bytes beyond ASCII are UTF-8 where they can be (curl), else Latin-1 (Node, .NET, Python). */
export function readHeaderText(value: string): string {
  if (!NOT_ASCII.test(value) || NOT_LATIN1.test(value)) return value;
  try {
    return UTF8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

/** Latin-1 where that can say it, which is what most clients read, else UTF-8. A line break or the like becomes a space. */
export function writeHeaderText(text: string): string {
  const line = text.replace(CONTROLS, ' ');
  return NOT_LATIN1.test(line) ? Buffer.from(line).toString('latin1') : line;
}

/** Of one line, in ASCII alone: readable by every client. */
export function writeHeaderJson(value: unknown): string {
  return JSON.stringify(value).replace(
    NOT_PLAIN,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
