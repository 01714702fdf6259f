// The end of a line of the log that shows a body: one line, readable, and short.

import { expect, test } from 'vitest';
import { bodyText } from '../../src/content/body-text.js';
import { bin, hex, list, NULL, str, uint } from '../support/frame-encoder.js';
import { section } from '../support/frame-message.js';

const data = (bytes: Buffer) => section(0x75, bin(bytes));

test.each([
  ['a text', data(Buffer.from('hello "you"\nthere')), 'body "hello \\"you\\"\\nthere"'],
  ['JSON', data(Buffer.from('{ "a": 1,\n "b": [true] }')), 'body {"a":1,"b":[true]}'],
  [
    'JSON of more than 100 levels',
    data(Buffer.from('['.repeat(101) + ']'.repeat(101))),
    `body "${'['.repeat(101)}${']'.repeat(101)}"`,
  ],
  ['other bytes', data(hex('00 ff 01')), 'body base64 AP8B'],
  ['an AMQP text', section(0x77, str('hello')), 'body "hello"'],
  ['another AMQP value', section(0x77, uint(7)), 'body {"type":"uint","value":7}'],
  [
    'sequences',
    section(0x76, list([str('a')])),
    'body [{"type":"list","value":[{"type":"string","value":"a"}]}]',
  ],
  ['nothing', data(Buffer.alloc(0)), 'no body'],
  ['a null', section(0x77, NULL), 'no body'],
  ['no section', section(0x73, list([str('id')])), 'no body'],
])('%s is shown as what it is', (_, content, expected) => {
  expect(bodyText(content)).toBe(expected);
});

test.each([
  ['a text', data(Buffer.from('x'.repeat(257))), `body "${'x'.repeat(256)}..."`],
  ['JSON', data(Buffer.from(JSON.stringify(['x'.repeat(300)]))), `body ["${'x'.repeat(254)}...`],
  ['other bytes', data(Buffer.alloc(300)), `body base64 ${'A'.repeat(256)}...`],
])('%s is cut after 256 characters', (_, content, expected) => {
  expect(bodyText(content)).toBe(expected);
});
