// Finding the sections of a message, and refusing what is none.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecodeError } from '../../src/codec/decode-error.js';
import { findHead, readDataSections, type Section, splitSections } from '../../src/content/sections.js';
import { values } from '../support/frame-decoder.js';
import { bin, described, hex, list, map, NULL, str, sym, uint, wideUlong } from '../support/frame-encoder.js';
import { section } from '../support/frame-message.js';
import { anyMessage } from '../support/frame-message-arbitraries.js';

const header = section(0x70, list([hex('41')]));
const deliveryAnnotations = section(0x71, map([]));
const messageAnnotations = section(0x72, map([[sym('k'), uint(1)]]));
const properties = section(0x73, list([str('id')]));
const applicationProperties = section(0x74, map([[str('k'), uint(1)]]));
const data = section(0x75, bin(hex('010203')));
const sequence = section(0x76, list([uint(1)]));
const value = section(0x77, described(sym('d'), str('v')));
const footer = section(0x78, map([]));
const HEAD = [header, deliveryAnnotations, messageAnnotations, properties, applicationProperties];

const split = (...parts: Buffer[]) => splitSections(Buffer.concat(parts));
const lengthOf = (found: Section | undefined) => (found === undefined ? undefined : found.end - found.start);

describe('the sections of a message', () => {
  it('are found where they begin and end, all of them', () => {
    const found = split(...HEAD, data, data, footer);
    let offset = 0;
    const expected = (encoded: Buffer, count = 1) => {
      const start = offset;
      offset += encoded.length * count;
      return { start, value: start + 3, end: offset };
    };
    expect(found).toEqual({
      header: expected(header),
      deliveryAnnotations: expected(deliveryAnnotations),
      messageAnnotations: expected(messageAnnotations),
      properties: expected(properties),
      applicationProperties: expected(applicationProperties),
      headEnd: offset,
      body: { kind: 'data', ...expected(data, 2) },
      footer: expected(footer),
      isInOrder: true,
    });
  });

  it('may all be missing: an empty message is a message [MSG-02]', () => {
    expect(split()).toMatchObject({ headEnd: 0, header: undefined, body: undefined, footer: undefined });
    expect(split(properties)).toMatchObject({ headEnd: properties.length, body: undefined });
    expect(split(header, footer)).toMatchObject({ headEnd: header.length, body: undefined });
  });

  it('may have a body of several data sections, of several sequences, or of one value [MSG-01]', () => {
    expect(split(data, data, data).body).toMatchObject({ kind: 'data', start: 0, end: 3 * data.length });
    expect(split(sequence, sequence).body).toMatchObject({ kind: 'sequence', end: 2 * sequence.length });
    expect(split(value).body).toMatchObject({ kind: 'value', end: value.length });
  });

  it('may be named by symbols and by ulongs of any width', () => {
    const symbolic = described(sym('amqp:data:binary'), bin(hex('01')));
    const wide = described(wideUlong(0x73n), list([str('id')]));
    const found = split(described(sym('amqp:header:list'), list([])), wide, symbolic);
    expect(found.body).toMatchObject({ kind: 'data' });
    expect(lengthOf(found.properties)).toBe(wide.length);
    expect(lengthOf(found.header)).toBe(20);
    expect(split(described(sym('amqp:amqp-value:*'), NULL)).body?.kind).toBe('value');
    expect(split(described(sym('amqp:amqp-sequence:list'), list([]))).body?.kind).toBe('sequence');
  });

  it('are found in any order, which is told [MSG-03]', () => {
    const found = split(footer, data, data, header);
    expect(found).toMatchObject({
      isInOrder: false,
      footer: { start: 0, end: footer.length },
      body: { kind: 'data', start: footer.length, end: footer.length + 2 * data.length },
      header: { start: footer.length + 2 * data.length },
    });
    expect(split(header, data, data, footer).isInOrder).toBe(true);
    expect(split(footer, data).isInOrder).toBe(false);
  });

  it.each<[string, Buffer[], string]>([
    ['a header twice', [header, header], 'a message has two sections header'],
    ['two values', [value, value], 'a message has two sections value'],
    ['two footers', [footer, footer], 'a message has two sections footer'],
    [
      'delivery annotations in their place and last',
      [deliveryAnnotations, data, deliveryAnnotations],
      'a message has two sections deliveryAnnotations',
    ],
    ['a header in its place and last', [header, data, header], 'a message has two sections header'],
    [
      'delivery annotations that come last and are a list',
      [data, section(0x71, list([]))],
      'the section deliveryAnnotations has type 0x45, which is not a map',
    ],
    ['two footers around the body', [footer, data, footer], 'a message has two sections footer'],
    [
      'data between which a footer stands',
      [data, footer, data],
      'another section of a message stands between its sections data',
    ],
    ['data and a value', [data, value], 'the body of a message mixes data, sequence and value sections'],
    [
      'a sequence and data',
      [sequence, data],
      'the body of a message mixes data, sequence and value sections',
    ],
    ['an unknown section', [section(0x79, map([]))], 'a message has a section 121, which does not exist'],
    ['a performative', [section(0x14, list([]))], 'a message has a section 20, which does not exist'],
    [
      'an unknown symbol',
      [described(sym('constructor'), map([]))],
      'a message has a section constructor, which does not exist',
    ],
    ['a list without a descriptor', [list([NULL])], 'a described value is expected'],
    [
      'a header that is a map',
      [section(0x70, map([]))],
      'the section header has type 0xc1, which is not a list',
    ],
    [
      'annotations that are a list',
      [section(0x72, list([]))],
      'the section messageAnnotations has type 0x45, which is not a map',
    ],
    ['null properties', [section(0x73, NULL)], 'the section properties has type 0x40, which is not a list'],
    [
      'data that is a string',
      [section(0x75, str('x'))],
      'the section data has type 0xa1, which is not a binary',
    ],
    [
      'a header described twice',
      [section(0x70, header)],
      'the section header has type 0x0, which is not a list',
    ],
    [
      'a header of six fields',
      [section(0x70, list(new Array(6).fill(NULL)))],
      'the section header has 6 fields, 5 are known',
    ],
    [
      'properties of fourteen fields',
      [section(0x73, list(new Array(14).fill(NULL), true))],
      'the section properties has 14 fields, 13 are known',
    ],
    [
      'annotations with a key too many',
      [section(0x72, hex('c1 02 01 40'))],
      'a map has an odd number of items: 1',
    ],
    [
      'a data section that is cut short',
      [hex('005375 a0 05 01')],
      'a value of type 0xa0 is cut short by 4 bytes',
    ],
    ['a descriptor alone', [hex('005375')], 'a value is cut short: its constructor is missing'],
    [
      'a value of twenty million nulls',
      [hex('005377 f0 00000005 01312d00 40')],
      'an array claims 20000000 elements',
    ],
    ['descriptors without end', [Buffer.alloc(60_000)], 'nested deeper'],
  ])('are refused: %s', (_name, parts, message) => {
    expect(() => split(...parts)).toThrow(DecodeError);
    expect(() => split(...parts)).toThrow(message);
  });

  it('are found in every well-formed message, its head without looking at the body', () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        const { body, footer: _footer, ...head } = splitSections(message.bytes);
        expect(lengthOf(body) ?? 0).toBe(message.body.length);
        expect(head.headEnd).toBe(message.bytes.length - message.body.length - message.footer.length);
        expect(findHead(message.bytes)).toMatchObject(head);
      }),
    );
  });

  it('are refused in every message that is cut short within a section', () => {
    const counts = { between: 0, within: 0 };
    fc.assert(
      fc.property(anyMessage, fc.nat(), (message, at) => {
        const length = at % (message.bytes.length + 1);
        const ends = values(message.bytes).map(
          (each) => each.byteOffset - message.bytes.byteOffset + each.length,
        );
        const isBetweenSections = length === 0 || ends.includes(length);
        const cut = () => splitSections(message.bytes.subarray(0, length));
        counts[isBetweenSections ? 'between' : 'within']++;
        if (isBetweenSections) cut();
        else expect(cut).toThrow(DecodeError);
      }),
      { numRuns: 300 },
    );
    expect(counts.between).toBeGreaterThan(0);
    expect(counts.within).toBeGreaterThan(100);
  });

  it('make random bytes behind a descriptor a message or a DecodeError, never anything else', () => {
    const counts = { read: 0, refused: 0 };
    // Random bytes alone are hardly ever a whole value; with these before them they often are.
    const openings = fc.constantFrom(hex(''), hex('40'), hex('45'), hex('a000'), hex('a103'), hex('5001'));
    const randomBytes = fc
      .tuple(openings, fc.uint8Array({ maxLength: 40 }))
      .map((parts) => Buffer.concat(parts));
    fc.assert(
      fc.property(randomBytes, fc.integer({ min: 0x6f, max: 0x79 }), (random, code) => {
        try {
          splitSections(Buffer.concat([hex('0053'), Buffer.from([code]), random]));
          counts.read++;
        } catch (error) {
          counts.refused++;
          expect(error).toBeInstanceOf(DecodeError);
        }
      }),
      { numRuns: 2000 },
    );
    expect(counts.read).toBeGreaterThan(10);
    expect(counts.refused).toBeGreaterThan(100);
  });
});

describe('the data sections of a body', () => {
  it('are given out one by one, whatever their descriptors and sizes', () => {
    const contents = [hex(''), hex('01'), Buffer.alloc(300, 7)];
    const parts = contents.map((content) => section(0x75, bin(content)));
    const bytes = Buffer.concat([
      properties,
      ...parts,
      described(sym('amqp:data:binary'), bin(hex('02'))),
      footer,
    ]);
    const { body } = splitSections(bytes);
    expect(body && readDataSections(bytes, body)).toEqual([...contents, hex('02')]);
  });

  it('are found in a part of a larger buffer', () => {
    const page = Buffer.concat([Buffer.alloc(13), data, data, Buffer.alloc(5)]);
    const part = new Uint8Array(page.buffer, page.byteOffset + 13, 2 * data.length);
    const { body } = splitSections(part);
    expect(body && readDataSections(part, body)).toEqual([hex('010203'), hex('010203')]);
  });
});
