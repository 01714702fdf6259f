// A message-id as text: what duplicates are told by, whichever of its four AMQP types it has.

import { DecodeError } from '../codec/decode-error.js';
import { payloadAt, textAt } from './items.js';

/** Undefined when there is none (MSG-04, DUP-07). */
export function messageIdAt(bytes: Buffer, offset: number | undefined): string | undefined {
  if (offset === undefined) return undefined;
  switch (bytes[offset]) {
    case 0xa1:
    case 0xb1:
      return textAt(bytes, offset);
    case 0x98:
      return uuidText(bytes, offset + 1);
    case 0xa0:
    case 0xb0:
      return payloadAt(bytes, offset).toString('latin1'); // a character for each byte, as its length is limited
    case 0x44:
      return '0';
    case 0x53:
      return String(bytes[offset + 1]);
    case 0x80:
      return bytes.readBigUInt64BE(offset + 1).toString();
    default:
      throw new DecodeError('a message-id is not a string, ulong, uuid or binary', 'amqp:invalid-field');
  }
}

/** With dashes and in lower case, as the SDKs write one. */
function uuidText(bytes: Buffer, start: number): string {
  const digits = bytes.toString('hex', start, start + 16);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
}
