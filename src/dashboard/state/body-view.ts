// The body of a message as the page can show it: as a tree, as text, as XML, as bytes; compressed and wrapped ones are opened.

import type { RawMessageAnswer } from '../../http/control/control-schemas.js';
import { bodyText } from './body-text.js';
import { indentedXml } from './indented-xml.js';

export type BodyView = {
  /** Its kind in words: `JSON, UTF-8`, `gzip, JSON`. */
  readonly words: string;
  /** Undefined: it is no object or list of JSON, and no AMQP value. */
  readonly tree: { readonly value: unknown } | undefined;
  /** A string of JSON is here without its quotation marks and escapes. Undefined: the bytes are no text. */
  readonly text: string | undefined;
  /** The text as it was sent, if `text` differs. */
  readonly source: string | undefined;
  /** Undefined: it is no XML. */
  readonly xml: string | undefined;
  readonly bytes: Uint8Array;
};
export type BodyForm = 'tree' | 'xml' | 'text' | 'source' | 'hex';

/** Bytes that are unpacked at most: a small body may hold gigabytes. */
const MOST_UNPACKED = 4 * 1024 * 1024;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** The start of a string that .NET's DataContractSerializer has written in binary XML. */
const DOTNET_STRING = [0x40, 0x06, 0x73, 0x74, 0x72, 0x69, 0x6e, 0x67, 0x08];
/** Its records of text: the first of six in each encoding, and those of an empty one. */
const UTF8_CHARS = 0x98;
const UTF16_CHARS = 0xb6;
const EMPTY_TEXT: ReadonlySet<number> = new Set([0xa8, 0xa9]);

export async function viewBody({ body, raw, contentType = '' }: RawMessageAnswer): Promise<BodyView> {
  const bytes = bodyBytes(raw);
  switch (body.kind) {
    case 'empty':
      return { words: 'empty', ...NO_TREE, text: '', bytes };
    case 'json':
      return {
        words: 'JSON, UTF-8',
        ...ofText(textOf(bytes) ?? JSON.stringify(body.value), contentType),
        bytes,
      };
    case 'text':
      return {
        words: `text, ${body.section === 'value' ? 'AMQP string' : 'UTF-8'}`,
        ...ofText(body.text, contentType),
        bytes,
      };
    case 'value':
    case 'sequence':
      return {
        words: `AMQP ${body.kind}`,
        ...NO_TREE,
        tree: { value: body.value },
        text: JSON.stringify(body.value, null, 2),
        bytes,
      };
    case 'base64':
      return opened(bytes, contentType);
  }
}

/** The ways to show a body, the one that says most first. */
export function formsOf({ tree, xml, text, source }: BodyView): readonly (readonly [BodyForm, string])[] {
  const isFormatted = tree !== undefined || xml !== undefined;
  return [
    ...(tree === undefined ? [] : [['tree', 'Tree'] as const]),
    ...(xml === undefined ? [] : [['xml', 'XML'] as const]),
    ...(text === undefined
      ? []
      : [['text', isFormatted && source === undefined ? 'Source' : 'Text'] as const]),
    ...(source === undefined ? [] : [['source', 'As sent'] as const]),
    ['hex', 'Hex'],
  ];
}

const NO_TREE = { tree: undefined, source: undefined, xml: undefined } as const;

async function opened(bytes: Uint8Array, contentType: string): Promise<BodyView> {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    const unpacked = await unpack(bytes).catch(() => undefined);
    const text = unpacked === undefined ? undefined : textOf(unpacked);
    if (text !== undefined) {
      return { words: `gzip, ${text.length} characters unpacked`, ...ofText(text, contentType), bytes };
    }
  }
  const wrapped = dotNetString(bytes);
  if (wrapped !== undefined) {
    return { words: '.NET serialized string', ...ofText(wrapped, contentType), bytes };
  }
  return { words: 'bytes', ...NO_TREE, text: undefined, bytes };
}

/** SDKs send a string as JSON, so that one of XML or of plain text comes in quotation marks. */
function ofText(sent: string, contentType: string): Pick<BodyView, 'tree' | 'text' | 'source' | 'xml'> {
  const value = jsonIn(sent);
  const isTree = typeof value === 'object' && value !== null && !/^text\/(?!json)/i.test(contentType);
  if (isTree) return { ...NO_TREE, tree: { value }, text: sent };
  const isQuoted = typeof value === 'string';
  const text = isQuoted ? value : sent;
  return { ...NO_TREE, text, source: isQuoted ? sent : undefined, xml: indentedXml(text) };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The body as the text that was sent, spaces of JSON and all; undefined for bytes that are no text. */
export function sentText({ body, raw }: RawMessageAnswer): string | undefined {
  if (body.section === 'none') return '';
  return body.section === 'data' ? textOf(bodyBytes(raw)) : bodyText(body);
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

async function unpack(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream('gzip'));
  const reader = stream.getReader();
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    pieces.push(read.value);
    length += read.value.length;
    if (length > MOST_UNPACKED) throw new Error('too large');
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** The text in .NET's binary XML: records of chars in UTF-8 or UTF-16, with 8, 16 or 32 bits of length. */
export function dotNetString(bytes: Uint8Array): string | undefined {
  if (!DOTNET_STRING.every((byte, index) => bytes[index] === byte)) return undefined;
  // The name of the format stands before it, with its length.
  const at = DOTNET_STRING.length + 1 + (bytes[DOTNET_STRING.length] ?? 0);
  const kind = bytes[at] ?? 0;
  if (EMPTY_TEXT.has(kind)) return '';
  const isUtf16 = kind >= UTF16_CHARS;
  const width = [1, 1, 2, 2, 4, 4][kind - (isUtf16 ? UTF16_CHARS : UTF8_CHARS)];
  if (width === undefined) return undefined;
  let length = 0;
  for (let index = width; index > 0; index--) length = length * 256 + (bytes[at + index] ?? 0);
  const start = at + 1 + width;
  if (start + length > bytes.length) return undefined;
  const text = bytes.subarray(start, start + length);
  return isUtf16 ? new TextDecoder('utf-16le').decode(text) : textOf(text);
}

/** The bytes of the body's sections, without their AMQP framing where it is a single piece of data. */
export function bodyBytes({ base64, sections }: RawMessageAnswer['raw']): Uint8Array {
  const all = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  const ofBody = sections.filter(({ name }) => /^(data|amqp-value|amqp-sequence)$/.test(name));
  const parts = ofBody.map(({ name, start, end }) => {
    const section = all.subarray(start, end);
    return name === 'data' ? dataOf(section) : section;
  });
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** A data section begins with its descriptor (3 or more bytes) and a binary of one or four bytes of length. */
function dataOf(section: Uint8Array): Uint8Array {
  const at = section.findIndex((byte, index) => index >= 2 && (byte === 0xa0 || byte === 0xb0));
  return at < 0 ? section : section.subarray(at + (section[at] === 0xa0 ? 2 : 5));
}

/** Lines of 16 bytes: offset, hexadecimal digits, and letters where there are some. */
export function hexLines(bytes: Uint8Array, most = 16_384): readonly string[] {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, most); at += 16) {
    const part = [...bytes.subarray(at, Math.min(at + 16, most))];
    const digits = part.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const letters = part.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '·')).join('');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${digits.padEnd(47)}  ${letters}`);
  }
  return lines;
}
