// Text and attributes as XML has them.

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#xD;',
};
/** What XML 1.0 cannot say at all, not even by number; half of a surrogate pair, too. */
const UNSPEAKABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** For text and attributes alike. */
export function escapeText(text: string): string {
  return text.replace(UNSPEAKABLE, '\ufffd').replace(/[&<>"'\r]/g, (one) => ESCAPES[one] ?? one);
}
