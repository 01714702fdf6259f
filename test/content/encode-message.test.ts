// Tests of messages encoded around a body that has come in pieces.

import { expect, test } from 'vitest';
import { GatheredBytes } from '../../src/codec/gathered-bytes.js';
import { encodeGathered, encodeMessage } from '../../src/content/encode-message.js';
import { NO_PROPERTIES } from '../../src/content/message-parts.js';
import { readMessage } from '../../src/content/read-message.js';

const HEAD = {
  properties: { ...NO_PROPERTIES, messageId: 'm1', timeToLiveMs: 5000 },
  applicationProperties: [{ name: 'colour', value: 'red' }],
};
const PIECE_BYTES = 60_000;

function gathered(body: Buffer): GatheredBytes {
  const pieces = new GatheredBytes();
  for (let start = 0; start < body.length; start += PIECE_BYTES) {
    pieces.append(body.subarray(start, start + PIECE_BYTES), true);
  }
  return pieces;
}

test.each([0, 1, 255, 256, 70_000, 3_000_000])(
  'a body of %i bytes is encoded as one that is whole',
  (size) => {
    const body = Buffer.alloc(size, 'abcdefg');
    const encoded = encodeGathered(HEAD, gathered(body), 0);
    expect(Buffer.from(encoded).equals(encodeMessage({ ...HEAD, body }, 0))).toBe(true);
  },
);

test('a large body is copied once: the encoded message is what is stored, and fills its memory', () => {
  const encoded = encodeGathered(HEAD, gathered(Buffer.alloc(3_000_000)), 0);
  const { content } = readMessage(encoded);
  expect(content.buffer).toBe(encoded.buffer);
  expect(encoded.buffer.byteLength).toBe(encoded.length);
});
