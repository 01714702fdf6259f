import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { bytesMessage, dataSection, rawMessage } from '../testing/raw-message.js';
import { bodyBytes, dotNetString, formsOf, hexLines, sentText, viewBody } from './body-view.js';

const NAME_OF_FORMAT = Buffer.from('http://schemas.microsoft.com/2003/10/Serialization/');

/** A string as .NET's DataContractSerializer writes it, with the given record of text at its end. */
function dotNet(...record: readonly number[]): Uint8Array {
  const head = [0x40, 0x06, ...Buffer.from('string'), 0x08, NAME_OF_FORMAT.length];
  return Buffer.from([...head, ...NAME_OF_FORMAT, ...record]);
}

function viewOf(bytes: Uint8Array) {
  return viewBody(bytesMessage(bytes));
}

describe('the view of a body', () => {
  it('is a tree and a text for JSON', async () => {
    const bytes = Buffer.from('{"a": 1}');
    const body = { kind: 'json', section: 'data', sizeBytes: 8, value: { a: 1 } } as const;
    expect(await viewBody(rawMessage({ body, sections: [dataSection(bytes)] }))).toEqual({
      words: 'JSON, UTF-8',
      tree: { value: { a: 1 } },
      text: '{"a": 1}',
      ...{ source: undefined, xml: undefined },
      bytes: Uint8Array.from(bytes),
    });
  });

  it.each([
    ['data', 'text, UTF-8'],
    ['value', 'text, AMQP string'],
  ] as const)('is a text for a text in a %s section, and a tree if it is JSON', async (section, words) => {
    const body = (text: string) => ({ kind: 'text', section, sizeBytes: 1, text }) as const;
    expect(await viewBody(rawMessage({ body: body('hé') }))).toMatchObject({
      words,
      text: 'hé',
      tree: undefined,
    });
    expect((await viewBody(rawMessage({ body: body('[1]') }))).tree).toEqual({ value: [1] });
  });

  it('is the text itself for a string that an SDK has sent as JSON, and XML if it is some', async () => {
    const given = (text: string, contentType: string) => {
      const bytes = Buffer.from(JSON.stringify(text));
      const body = { kind: 'json', section: 'data', sizeBytes: bytes.length, value: text } as const;
      return viewBody(rawMessage({ body, sections: [dataSection(bytes)] }, { contentType }));
    };
    const text = await given('say "hi"\n', 'text/plain');
    expect(text).toMatchObject({ tree: undefined, text: 'say "hi"\n', source: '"say \\"hi\\"\\n"' });
    expect(formsOf(text).map(([form]) => form)).toEqual(['text', 'source', 'hex']);
    const xml = await given('<a><b/></a>', 'application/xml');
    expect(xml).toMatchObject({ xml: '<a>\n  <b/>\n</a>', text: '<a><b/></a>' });
    expect(formsOf(xml).map(([form]) => form)).toEqual(['xml', 'text', 'source', 'hex']);
  });

  it('is shown as tree and source for JSON, as text for a text, and as hex alone for bytes', async () => {
    const ofText = (text: string) => ({ kind: 'text', section: 'value', sizeBytes: 1, text }) as const;
    const forms = async (text: string) => formsOf(await viewBody(rawMessage({ body: ofText(text) })));
    expect(await forms('{"a":1}')).toEqual([
      ['tree', 'Tree'],
      ['text', 'Source'],
      ['hex', 'Hex'],
    ]);
    expect(await forms('42')).toEqual([
      ['text', 'Text'],
      ['hex', 'Hex'],
    ]);
    expect(formsOf(await viewOf(Buffer.from([0xff])))).toEqual([['hex', 'Hex']]);
  });

  it('has the text that was sent, unless that is bytes', () => {
    const body = { kind: 'json', section: 'data', sizeBytes: 8, value: { a: 1 } } as const;
    expect(sentText(rawMessage({ body, sections: [dataSection(Buffer.from('{"a": 1}'))] }))).toBe('{"a": 1}');
    expect(sentText(bytesMessage(Uint8Array.of(0xff)))).toBeUndefined();
  });

  it('has the types of an AMQP value', async () => {
    const value = { type: 'int', value: 42 };
    const body = { kind: 'value', section: 'value', sizeBytes: 2, value } as const;
    const view = await viewBody(rawMessage({ body }));
    expect(view).toMatchObject({ words: 'AMQP value', tree: { value } });
    expect(JSON.parse(view.text ?? '')).toEqual(value);
  });

  it('is empty for an empty body', async () => {
    const view = await viewBody(rawMessage({ body: { kind: 'empty', section: 'none', sizeBytes: 0 } }));
    expect(view).toMatchObject({ words: 'empty', text: '', tree: undefined });
  });

  it('unpacks gzip, and keeps the packed bytes', async () => {
    const packed = gzipSync('{"a":"é"}');
    expect(await viewOf(packed)).toEqual({
      words: 'gzip, 9 characters unpacked',
      tree: { value: { a: 'é' } },
      text: '{"a":"é"}',
      ...{ source: undefined, xml: undefined },
      bytes: Uint8Array.from(packed),
    });
  });

  it.each([
    ['that is cut', gzipSync('a'.repeat(1000)).subarray(0, 20)],
    ['that holds no text', gzipSync(Buffer.from([0xff, 0xfe]))],
    ['that would fill the memory', gzipSync(Buffer.alloc(5 * 1024 * 1024, 'a'))],
  ])('is bytes for gzip %s', async (_, bytes) => {
    expect(await viewOf(bytes)).toMatchObject({ words: 'bytes', text: undefined, tree: undefined });
  });

  it('is bytes for bytes of no known kind', async () => {
    expect(await viewOf(Buffer.from([0x1f, 0xff, 0x8b]))).toMatchObject({ words: 'bytes', text: undefined });
  });

  it('opens a string that .NET has serialized', async () => {
    const json = Buffer.from('{"a":1}');
    expect(await viewOf(dotNet(0x99, json.length, ...json))).toMatchObject({
      words: '.NET serialized string',
      text: '{"a":1}',
      tree: { value: { a: 1 } },
    });
  });
});

describe('a string of .NET', () => {
  const long = Buffer.from('é'.repeat(200));
  const chinese = Buffer.from('订单'.repeat(50), 'utf16le');

  it.each([
    ['with 8 bits of length', [0x99, 3, ...Buffer.from('abc')], 'abc'],
    ['with 16 bits of length, the lowest first', [0x9b, 0x90, 0x01, ...long], 'é'.repeat(200)],
    ['with 32 bits of length', [0x9d, 3, 0, 0, 0, ...Buffer.from('abc')], 'abc'],
    ['in UTF-16, which is shorter for such letters', [0xb7, chinese.length, ...chinese], '订单'.repeat(50)],
    ['that is empty', [0xa9], ''],
    ['that is cut', [0x99, 4, ...Buffer.from('abc')], undefined],
    ['that is another value', [0x83], undefined],
  ])('is read %s', (_, record, expected) => {
    expect(dotNetString(dotNet(...record))).toBe(expected);
  });

  it('is not seen in other bytes', () => {
    expect(dotNetString(Buffer.from([0x40, 0x06, 0x99, 1, 97]))).toBeUndefined();
    expect(dotNetString(new Uint8Array(0))).toBeUndefined();
  });
});

describe('the bytes of a body', () => {
  it('are those of all data sections, long and short, without their framing', () => {
    const long = Buffer.alloc(300, 0xa0);
    const body = { kind: 'base64', section: 'data', sizeBytes: 302, base64: '' } as const;
    const header = ['header', Buffer.from([0x00, 0x53, 0x70, 0x45])] as const;
    const { raw } = rawMessage({
      body,
      sections: [header, dataSection(Buffer.from('ab')), dataSection(long)],
    });
    expect(Buffer.from(bodyBytes(raw))).toEqual(Buffer.concat([Buffer.from('ab'), long]));
  });

  it('are those of an AMQP value as it was sent', () => {
    const bytes = Buffer.from([0x00, 0x53, 0x77, 0x54, 42]);
    const value = { type: 'int', value: 42 };
    const { raw } = rawMessage({
      body: { kind: 'value', section: 'value', sizeBytes: 5, value },
      sections: [['amqp-value', bytes]],
    });
    expect(Buffer.from(bodyBytes(raw))).toEqual(bytes);
  });
});

describe('bytes in hexadecimal digits', () => {
  it('stand in lines of 16 with their offset, and their letters where there are some', () => {
    const bytes = Buffer.from('Jitney\n\u0000 0123456789~\u007f', 'latin1');
    expect(hexLines(bytes)).toEqual([
      '000000  4a 69 74 6e 65 79 0a 00 20 30 31 32 33 34 35 36  Jitney·· 0123456',
      `000010  37 38 39 7e 7f${' '.repeat(33)}  789~·`,
    ]);
  });

  it('end at the most that are wanted', () => {
    expect(hexLines(new Uint8Array(100), 20)).toEqual([
      `000000  ${Array(16).fill('00').join(' ')}  ${'·'.repeat(16)}`,
      `000010  00 00 00 00${' '.repeat(36)}  ····`,
    ]);
    expect(hexLines(new Uint8Array(0))).toEqual([]);
  });
});
