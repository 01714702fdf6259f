// The messages of a batched transfer.

import { describe, expect, it } from 'vitest';
import { DecodeError } from '../../src/codec/decode-error.js';
import { BATCH_MESSAGE_FORMAT, splitBatch } from '../../src/content/sections.js';
import { bin, hex, list, map, str, sym } from '../support/frame-encoder.js';
import { section } from '../support/frame-message.js';

const message = (text: string) =>
  Buffer.concat([section(0x73, list([str(text)])), section(0x75, bin(Buffer.from(text)))]);
const first = message('first');
const second = message('second'.repeat(60));
const outerHead = Buffer.concat([
  section(0x70, list([])),
  section(0x72, map([[sym('x-opt-partition-key'), str('p')]])),
  section(0x73, list([str('first')])),
]);

describe('a batch', () => {
  it('has the message format that the SDKs send', () => {
    expect(BATCH_MESSAGE_FORMAT).toBe(2_147_563_264);
  });

  it('gives out its messages as they were encoded, and nothing of what is around them [SND-11]', () => {
    const sections = [first, second, hex('')].map((each) => section(0x75, bin(each)));
    const batch = Buffer.concat([outerHead, ...sections, section(0x78, map([]))]);
    expect(splitBatch(batch)).toEqual([first, second, hex('')]);
    expect(splitBatch(Buffer.concat(sections.slice(0, 1)))).toEqual([first]);
  });

  it('without a body is empty: the JS SDK sends one for an empty array [SND-13]', () => {
    expect(splitBatch(section(0x70, list([])))).toEqual([]);
    expect(splitBatch(hex(''))).toEqual([]);
  });

  it.each([
    ['value', section(0x77, bin(first))],
    ['sequence', section(0x76, list([bin(first)]))],
  ])('with a %s body is refused', (kind, body) => {
    expect(() => splitBatch(Buffer.concat([outerHead, body]))).toThrow(DecodeError);
    expect(() => splitBatch(body)).toThrow(`in data sections; this one has a ${kind} section`);
  });

  it('that is malformed is refused as a whole [SND-11]', () => {
    const batch = section(0x75, bin(first));
    expect(() => splitBatch(batch.subarray(0, batch.length - 1))).toThrow(DecodeError);
  });
});
