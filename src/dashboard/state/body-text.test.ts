import { describe, expect, it } from 'vitest';
import type { MessageAnswer } from '../../http/control/control-schemas.js';
import { bodyPreview, bodyText, plainOf } from './body-text.js';

type Body = MessageAnswer['body'];
const string = (value: string) => ({ type: 'string', value });
const DATA = { section: 'data', sizeBytes: 20 } as const;
const VALUE = { section: 'value', sizeBytes: 20 } as const;
const MAP = {
  type: 'map',
  value: [
    [string('a'), { type: 'int', value: 1 }],
    [string('tags'), { type: 'list', value: [string('x'), { type: 'null', value: null }] }],
  ] as [Typed, Typed][],
};
type Typed = Extract<Body, { readonly kind: 'value' }>['value'];

describe('the body as one text', () => {
  it.each<[string, Body, string]>([
    ['nothing', { kind: 'empty', section: 'none', sizeBytes: 0 }, ''],
    ['JSON', { kind: 'json', ...DATA, value: { a: [1, 'x'] } }, '{"a":[1,"x"]}'],
    ['a text', { kind: 'text', ...DATA, text: 'two\nlines' }, 'two\nlines'],
    ['bytes', { kind: 'base64', ...DATA, base64: '/w==' }, '/w=='],
    ['a string of AMQP', { kind: 'value', ...VALUE, value: string('hi') }, 'hi'],
    ['a number of AMQP', { kind: 'value', ...VALUE, value: { type: 'int', value: 42 } }, '42'],
    ['a map of AMQP', { kind: 'value', ...VALUE, value: MAP }, '{"a":1,"tags":["x",null]}'],
    [
      'a sequence of AMQP',
      {
        kind: 'sequence',
        section: 'sequence',
        sizeBytes: 9,
        value: [string('a'), { type: 'int', value: 1 }],
      },
      '["a",1]',
    ],
  ])('is right for %s', (_, body, expected) => {
    expect(bodyText(body)).toBe(expected);
  });

  it('has the value of an AMQP map under a name that objects have already', () => {
    const map: Typed = { type: 'map', value: [[string('__proto__'), string('x')]] };
    expect(JSON.stringify(plainOf(map))).toBe('{"__proto__":"x"}');
  });
});

describe('the body in a cell', () => {
  it('is its first characters', () => {
    expect(bodyPreview({ kind: 'text', ...DATA, text: 'abcdef' }, 3)).toBe('abc');
    expect(bodyPreview({ kind: 'text', ...DATA, text: 'abc' }, 3)).toBe('abc');
    expect(bodyPreview({ kind: 'empty', section: 'none', sizeBytes: 0 }, 3)).toBe('');
  });

  it('is the kind of its bytes, and how many there are, if they are no text', () => {
    expect(bodyPreview({ kind: 'base64', ...DATA, base64: '/w==' }, 3)).toBe('<binary, 20 bytes>');
    expect(bodyPreview({ kind: 'base64', ...DATA, base64: 'H4sIAAAA' }, 3)).toBe('<gzip, 20 bytes>');
  });
});
