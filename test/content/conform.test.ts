// Changes to a sent message so that every receiver can read it, and the parts that stay.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMessage } from '../../src/content/read-message.js';
import { values } from '../support/frame-decoder.js';
import { bin, hex, map, str, sym, uint, variable } from '../support/frame-encoder.js';
import { section } from '../support/frame-message.js';
import { anyMessage } from '../support/frame-message-arbitraries.js';
import { deliver } from './delivered.js';

const DATA = section(0x75, bin(hex('01')));
const kept = (bytes: Uint8Array) => Buffer.from(readMessage(bytes).content);

describe('a footer', () => {
  const WIDE = Buffer.from('wide');

  it('leaves with symbols for keys that came as text, and with the values that came [MSG-03]', () => {
    const values = [str('text'), bin(hex('ff')), uint(7)] as const;
    const footer = section(
      0x78,
      map([
        [str('short'), values[0]],
        [variable(0xa1, WIDE, true), values[1]],
        [sym('symbol'), values[2]],
      ]),
    );
    const expected = section(
      0x78,
      map([
        [sym('short'), values[0]],
        [variable(0xa3, WIDE, true), values[1]],
        [sym('symbol'), values[2]],
      ]),
    );
    expect(deliver(Buffer.concat([DATA, footer])).rest).toEqual(Buffer.concat([DATA, expected]));
  });

  it('keeps keys that no symbol can say, and numbers [MSG-03]', () => {
    const footer = section(
      0x78,
      map([
        [str('größe'), str('x')],
        [hex('80 0000000000000001'), str('y')],
      ]),
    );
    expect(deliver(Buffer.concat([DATA, footer])).rest).toEqual(Buffer.concat([DATA, footer]));
  });
});

describe('the sections', () => {
  it('leave in their order, byte for byte, whichever they came in [MSG-03]', () => {
    const shuffled = anyMessage.chain((message) => {
      const { bytes, body, footer } = message;
      const head = values(bytes.subarray(0, bytes.length - body.length - footer.length));
      const sections = [...head, body, footer];
      return fc.tuple(
        fc.constant(message),
        fc.shuffledSubarray(sections, { minLength: sections.length }).map((parts) => Buffer.concat(parts)),
      );
    });
    fc.assert(
      fc.property(shuffled, ([{ bytes, ...message }, sent]) => {
        const { headBytes, content } = readMessage(sent);
        expect(Buffer.from(content)).toEqual(bytes);
        expect(headBytes).toBe(bytes.length - message.body.length - message.footer.length);
      }),
    );
  });
});

describe('the bytes that are kept', () => {
  it('are those that came when all receivers can read them, and a copy of their own when not [MSG-01]', () => {
    const plain = new Uint8Array(Buffer.concat([DATA, section(0x78, map([[sym('k'), uint(1)]]))]));
    expect(readMessage(plain).content).toBe(plain);
    const text = new Uint8Array(Buffer.concat([DATA, section(0x78, map([[str('k'), uint(1)]]))]));
    const before = Buffer.from(text);
    const { content } = readMessage(text);
    expect(Buffer.from(text)).toEqual(before);
    expect(content.byteLength).toBe(content.buffer.byteLength);
  });

  it('are as many, when the delivery annotations came last and the footer has text keys [MSG-03, LIM-01]', () => {
    const annotations = section(0x71, map([[sym('a'), uint(1)]]));
    const footer = (key: Buffer) => section(0x78, map([[key, uint(1)]]));
    const sent = Buffer.concat([DATA, footer(str('k')), annotations]);
    expect(kept(sent)).toEqual(Buffer.concat([annotations, DATA, footer(sym('k'))]));
  });
});
