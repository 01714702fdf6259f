// The parts of a request to `$cbs` or `$management`.

import { describe, expect, it } from 'vitest';
import { DecodeError } from '../../src/codec/decode-error.js';
import { readRequestParts } from '../../src/content/request-parts.js';
import { bin, hex, list, map, NULL, str, sym } from '../support/frame-encoder.js';
import { section } from '../support/frame-message.js';

const properties = (id: Buffer, replyTo: Buffer) => section(0x73, list([id, NULL, NULL, NULL, replyTo]));
const operation = map([[str('operation'), str('renew')]]);
const question = map([[str('lock-tokens'), hex('e0 12 01 98 00112233445566778899aabbccddeeff')]]);

describe('the parts of a request', () => {
  it('are the message-id as encoded, the reply-to, and the encoded properties and body', () => {
    for (const id of [
      str('id'),
      hex('98 00112233445566778899aabbccddeeff'),
      hex('80 ffffffffffffffff'),
      bin(hex('01')),
    ]) {
      const bytes = Buffer.concat([
        properties(id, str('replies')),
        section(0x74, operation),
        section(0x77, question),
      ]);
      expect(readRequestParts(bytes)).toEqual({
        messageId: id,
        replyTo: 'replies',
        applicationProperties: operation,
        value: question,
      });
    }
  });

  it('may all be missing', () => {
    const none = {
      messageId: undefined,
      replyTo: undefined,
      applicationProperties: undefined,
      value: undefined,
    };
    expect(readRequestParts(hex(''))).toEqual(none);
    expect(
      readRequestParts(Buffer.concat([section(0x73, list([NULL])), section(0x75, bin(hex('01')))])),
    ).toEqual(none);
    expect(readRequestParts(properties(NULL, NULL))).toEqual(none);
  });

  it('have no reply-to when that is no text', () => {
    expect(readRequestParts(properties(NULL, hex('5201'))).replyTo).toBeUndefined();
    expect(readRequestParts(properties(NULL, sym('replies'))).replyTo).toBe('replies');
  });

  it('are refused where the bytes are no message', () => {
    expect(() => readRequestParts(hex('005377'))).toThrow(DecodeError);
  });
});
