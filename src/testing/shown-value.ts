// Values in the text of a failure: as a test would write them, on one line, without control characters, cut to what there is room for.

/** A matcher of a test framework inside of an expected value, such as `expect.any(String)`. */
type Asymmetric = { asymmetricMatch(value: unknown): boolean; toAsymmetricMatcher?(): string };

const MAX_DEPTH = 5;
/** Control characters and other line ends: a text may quote what a client has sent. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matching control characters is the purpose.
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\p{Bidi_Control}\u2028\u2029]/gu;

export function isAsymmetric(value: unknown): value is Asymmetric {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Partial<Asymmetric>).asymmetricMatch === 'function'
  );
}

/** Whether it is an object of names and values, also one of another context, such as that of a test of jest. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === '[object Object]' && !isAsymmetric(value);
}

export function isDate(value: unknown): value is Date {
  return Object.prototype.toString.call(value) === '[object Date]';
}

export function isRegExp(value: unknown): value is RegExp {
  return Object.prototype.toString.call(value) === '[object RegExp]';
}

export function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === '[object Uint8Array]';
}

export function shownValue(value: unknown, depth = 0): string {
  if (typeof value === 'string') return quotedText(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${value.name}`;
  if (isAsymmetric(value)) return value.toAsymmetricMatcher?.() ?? String(value);
  if (isDate(value)) return Number.isNaN(value.getTime()) ? 'an invalid date' : value.toISOString();
  if (isBytes(value)) return `${value.length} bytes`;
  if (Array.isArray(value)) {
    return depth >= MAX_DEPTH ? '[…]' : `[${value.map((one) => shownValue(one, depth + 1)).join(', ')}]`;
  }
  if (!isPlainObject(value)) return onOneLine(String(value));
  const entries = Object.entries(value);
  if (entries.length === 0) return '{}';
  if (depth >= MAX_DEPTH) return '{…}';
  return `{ ${entries.map(([name, one]) => `${shownName(name)}: ${shownValue(one, depth + 1)}`).join(', ')} }`;
}

export function quotedText(text: string): string {
  return `'${onOneLine(text).replaceAll("'", "\\'")}'`;
}

export function onOneLine(text: string): string {
  return text
    .replaceAll('\n', '\\n')
    .replace(CONTROLS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Cuts a text, and marks that. */
export function fitted(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

function shownName(name: string): string {
  return /^[\w$]+$/.test(name) ? name : quotedText(name);
}
