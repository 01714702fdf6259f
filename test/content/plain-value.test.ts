// Bodies and values as plain JavaScript.

import { describe, expect, it } from 'vitest';
import { type AmqpValue, amqp, encodeValue } from '../../src/codec/types.js';
import { decodeMessage } from '../../src/content/decode-message.js';
import { plainBody, plainValue } from '../../src/content/plain-value.js';
import { typedValueAt } from '../../src/content/typed-value.js';
import { bin } from '../support/frame-encoder.js';
import { dataSection, section } from '../support/frame-message.js';

const encode = (value: AmqpValue) => Buffer.from(encodeValue(value));
const plain = (value: AmqpValue) => plainValue(typedValueAt(encode(value), 0));
const bodyOf = (...sections: Buffer[]) => plainBody(decodeMessage(Buffer.concat(sections)).body);

describe('a value', () => {
  it.each([
    [amqp.int(-7), -7],
    [amqp.ulong(3n), 3],
    [amqp.long(2n ** 62n), 2n ** 62n],
    [amqp.double(0.5), 0.5],
    [amqp.double(Number.NaN), Number.NaN],
    [amqp.float(Number.NEGATIVE_INFINITY), Number.NEGATIVE_INFINITY],
    [amqp.boolean(true), true],
    [amqp.null(), null],
    [amqp.string('grün'), 'grün'],
    [amqp.symbol('a symbol'), 'a symbol'],
    [amqp.char(0x78), 'x'],
    [amqp.timestamp(5), new Date(5)],
    [amqp.uuid('f81d4fae7dec11d0a76500a0c91e6bf6'), 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'],
    [amqp.binary(Buffer.of(0, 255)), Uint8Array.of(0, 255)],
    [amqp.described(amqp.symbol('com.microsoft:timespan'), amqp.long(10n)), 10],
    [amqp.list([amqp.int(1), amqp.timestamp(0)]), [1, new Date(0)]],
    [
      amqp.map([
        [amqp.string('a'), amqp.int(1)],
        [amqp.int(2), amqp.string('b')],
      ]),
      { a: 1, 2: 'b' },
    ],
  ])('is a value of JavaScript: %#', (value, expected) => {
    expect(plain(value)).toStrictEqual(expected);
  });

  it('that is a time of no Date stays a text', () => {
    expect(plain(amqp.timestamp(2 ** 60))).toBe(String(2n ** 60n));
  });
});

describe('a body', () => {
  it.each([
    ['{"id":7}', { id: 7 }],
    ['"text"', 'text'],
    ['7', 7],
    ['null', null],
    ['plain text', 'plain text'],
    ['{"id":', '{"id":'],
  ])('of bytes is JSON, or else text: %s', (text, expected) => {
    expect(bodyOf(dataSection(text))).toStrictEqual(expected);
  });

  it('of other bytes is these bytes, and those of all data sections', () => {
    const bytes = bodyOf(section('data', bin(Buffer.of(0, 255))), section('data', bin(Buffer.of(1))));
    expect(bytes).toStrictEqual(Uint8Array.of(0, 255, 1));
  });

  it('of a value is that value, and a text stays a text', () => {
    expect(bodyOf(section('value', encode(amqp.string('[7]'))))).toBe('[7]');
    expect(bodyOf(section('value', encode(amqp.list([amqp.int(7)]))))).toEqual([7]);
    expect(bodyOf(section('value', encode(amqp.binary(Buffer.from('[7]')))))).toEqual([7]);
  });

  it('of sequences is a list for each, and no body is undefined', () => {
    const sequence = section('sequence', encode(amqp.list([amqp.int(7)])));
    expect(bodyOf(sequence, sequence)).toEqual([[7], [7]]);
    expect(bodyOf()).toBeUndefined();
    expect(bodyOf(section('value', encode(amqp.null())))).toBeUndefined();
  });
});
