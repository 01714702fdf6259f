// `&amp;` and `&#65;` in text and attributes. No others are known: what a document declares itself is not read.

import { XmlError } from './xml-error.js';

const PREDEFINED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const REFERENCE = /&(?:#(\d{1,10});|#x([\da-f]{1,8});|([a-z]{2,4});)?/gi;
const MAX_CODE_POINT = 0x10ffff;

/** Throws XmlError. */
export function decodeReferences(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(REFERENCE, (whole, decimal?: string, hex?: string, name?: string) => {
    if (decimal !== undefined) return character(whole, Number.parseInt(decimal, 10));
    if (hex !== undefined) return character(whole, Number.parseInt(hex, 16));
    const known = name !== undefined && Object.hasOwn(PREDEFINED, name) ? PREDEFINED[name] : undefined;
    if (known !== undefined) return known;
    throw new XmlError(`'${whole}' is no reference that is known here; write '&' as '&amp;'`);
  });
}

function character(reference: string, codePoint: number): string {
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  const isControl = codePoint < 0x20 && ![0x9, 0xa, 0xd].includes(codePoint);
  if (
    isControl ||
    isSurrogate ||
    codePoint === 0xfffe ||
    codePoint === 0xffff ||
    codePoint > MAX_CODE_POINT
  ) {
    throw new XmlError(`'${reference}' is no character that XML can have`);
  }
  return String.fromCodePoint(codePoint);
}
