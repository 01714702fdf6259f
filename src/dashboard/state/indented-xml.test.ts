import { describe, expect, it } from 'vitest';
import { indentedXml } from './indented-xml.js';

describe('XML on the page', () => {
  it('has an element on each line, and keeps an element without others on its line', () => {
    const text =
      '<?xml version="1.0"?><order id="7"><to>Oslo &amp; Bergen</to><none/><e></e><!-- a < b --><lines><line>1</line></lines></order>';
    expect(indentedXml(text)).toBe(
      [
        '<?xml version="1.0"?>',
        '<order id="7">',
        '  <to>Oslo &amp; Bergen</to>',
        '  <none/>',
        '  <e></e>',
        '  <!-- a < b -->',
        '  <lines>',
        '    <line>1</line>',
        '  </lines>',
        '</order>',
      ].join('\n'),
    );
  });

  it('is the same when it is indented again', () => {
    const text = '<a>\n  <b>\n    <c>x y</c>\n  </b>\n</a>';
    expect(indentedXml(text)).toBe(text);
  });

  it.each([
    '',
    'text',
    '<',
    '<a>',
    '<a></b>',
    '</a>',
    '{"a":1}',
    '<!-- only -->',
    '<a><b></a></b>',
    '<a>1 < 2</a>',
  ])('is not what %j is', (text) => {
    expect(indentedXml(text)).toBeUndefined();
  });
});
