// XML as it is read: namespaces whatever their prefixes, text decoded once, and nothing that could hurt.

import { describe, expect, it } from 'vitest';
import { parseXml } from '../../src/atom/xml/parse-xml.js';
import { rewriteElement } from '../../src/atom/xml/write-xml.js';
import {
  childNamed,
  childrenOf,
  elementText,
  isEmpty,
  typeOf,
  type XmlElement,
  XmlError,
} from '../../src/atom/xml/xml-element.js';

const INSTANCE = 'xmlns:p="http://www.w3.org/2001/XMLSchema-instance"';

describe('an element', () => {
  it('is known by its namespace and name, whatever its prefix', () => {
    for (const text of ['<a xmlns="u"/>', '<x:a xmlns:x="u"/>', '<y:a xmlns:y="u" xmlns="v"/>']) {
      expect(parseXml(text)).toMatchObject({ namespace: 'u', localName: 'a' });
    }
  });

  it('has the namespace that is declared nearest to it', () => {
    const outer = parseXml('<a xmlns="u"><b xmlns="v"><c/></b><d/></a>');
    expect(childrenOf(outer).map(({ namespace }) => namespace)).toEqual(['v', 'u']);
    expect(child(child(outer, 'b'), 'c').namespace).toBe('v');
  });

  it('has the type that its attribute names, its prefix looked up where it stands', () => {
    const typed = parseXml(`<a ${INSTANCE} p:type="q:int" xmlns:q="schema"/>`);
    expect(typeOf(typed)).toEqual({ namespace: 'schema', localName: 'int' });
    expect(typeOf(parseXml(`<a ${INSTANCE} p:type="SqlFilter" xmlns="u"/>`))).toEqual({
      namespace: 'u',
      localName: 'SqlFilter',
    });
    expect(typeOf(parseXml('<a type="int"/>'))).toBeUndefined();
  });

  it.each(['<a/>', '<a></a>', '<a> \n </a>', `<a ${INSTANCE} p:nil="true">x</a>`])('%s is empty', (text) => {
    expect(isEmpty(parseXml(text))).toBe(true);
  });

  it.each(['<a>0</a>', '<a><b/></a>', `<a ${INSTANCE} p:nil="false">x</a>`])('%s is not empty', (text) => {
    expect(isEmpty(parseXml(text))).toBe(false);
  });
});

describe('text', () => {
  it.each([
    ['<a>x &amp;&lt;&gt;&quot;&apos; &#65;&#x42;&#x1F600;</a>', 'x &<>"\' AB😀'],
    ['<a>&amp;lt;</a>', '&lt;'],
    ['<a><![CDATA[1 < 2 &amp; <!DOCTYPE]]> x</a>', '1 < 2 &amp; <!DOCTYPE x'],
    ['<a>PT<!-- <!DOCTYPE > -->1M</a>', 'PT1M'],
    ['<a> 5 </a>', ' 5 '],
    ['<a>0012e5</a>', '0012e5'],
    ['<?xml version="1.0" encoding="utf-8"?>\n<a>x</a>\n', 'x'],
    ['<a>x<?pi y?></a>', 'x'],
  ])('of %s is %s', (text, expected) => {
    expect(elementText(parseXml(text))).toBe(expected);
  });

  it('in an element that holds others is an error', () => {
    expect(() => elementText(parseXml('<a>x<b/></a>'))).toThrow('<a> must hold text only, but it holds <b>');
  });

  it('in attributes is decoded too', () => {
    expect(parseXml('<a b="&lt;&#10;"/>').attributes[0]?.value).toBe('<\n');
  });
});

describe('a document is refused', () => {
  it.each([
    ['', 'Start tag expected'],
    ['x', 'not expected'],
    ['<a>', "Unclosed tag 'a'"],
    ['<a><b></a>', "Expected closing tag 'b'"],
    ['<a/><b/>', 'one outermost element'],
    ['<a/>x', 'one outermost element'],
    ['<a b="1" b="2"/>', 'repeated'],
    ['<a>&nbsp;</a>', "'&nbsp;' is not a known reference"],
    ['<a>&</a>', '&'],
    ['<a>&#0;</a>', 'is not a character that XML allows'],
    ['<a>&#xD800;</a>', 'is not a character that XML allows'],
    ['<a>&#x110000;</a>', 'is not a character that XML allows'],
    ['<x:a/>', "prefix 'x' is not declared"],
    ['<a x:b="c"/>', "prefix 'x' is not declared"],
    ['<!DOCTYPE a><a/>', 'document type'],
    ['<!doctype a><a/>', 'document type'],
    ['<a><!ENTITY x "y"></a>', 'document type'],
    ['<a><!-- </a>', 'does not end'],
    ['<a><![CDATA[ </a>', 'does not end'],
    ['<__proto__/>', 'reserved'],
  ])('%s', (text, words) => {
    expect(() => parseXml(text)).toThrow(XmlError);
    expect(() => parseXml(text)).toThrow(words);
  });

  it('that expands entities, before anything of it is read', () => {
    const entities = Array.from({ length: 9 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`);
    const laughs = `<!DOCTYPE a [<!ENTITY e0 "ha">${entities.join('')}]><a>&e9;</a>`;
    expect(() => parseXml(laughs)).toThrow('document type');
  });

  it('that is nested deeper than 32 elements', () => {
    expect(() => parseXml('<a>'.repeat(32) + '</a>'.repeat(32))).not.toThrow();
    expect(() => parseXml('<a>'.repeat(40) + '</a>'.repeat(40))).toThrow('nested');
    expect(() => parseXml('<a>'.repeat(100_000) + '</a>'.repeat(100_000))).toThrow(XmlError);
  });

  it('with more than 5,000 attributes in all', () => {
    const one = `<b ${Array.from({ length: 100 }, (_, at) => `a${at}="x"`).join(' ')}/>`;
    expect(() => parseXml(`<a>${one.repeat(50)}</a>`)).not.toThrow();
    expect(() => parseXml(`<a>${one.repeat(51)}</a>`)).toThrow('it has more than 5000 attributes');
  });

  it('with more than 100 attributes on an element', () => {
    const attributes = (count: number) => Array.from({ length: count }, (_, at) => `a${at}="x"`).join(' ');
    expect(() => parseXml(`<a ${attributes(100)}/>`)).not.toThrow();
    expect(() => parseXml(`<a ${attributes(101)}/>`)).toThrow('<a> has 101 attributes; it may have 100');
  });

  it.each([
    ['an attribute without an end', `<a b="${'<a b="'.repeat(150_000)}`],
    ['comments without an end', `<a>${'<!--'.repeat(250_000)}`],
    ['a name that is all quotes', `<${'"a'.repeat(300_000)}`],
    ['nothing but ampersands', `<a>${'&'.repeat(1_000_000)}</a>`],
  ])('with a megabyte of %s', (_, text) => {
    expect(() => parseXml(text)).toThrow(XmlError);
  });
});

describe('an element that is written again', () => {
  const AROUND = new Map([['', 'u']]);

  it.each([
    ['<r xmlns="u"><a>x &amp; y</a></r>', '<a>x &amp; y</a>'],
    ['<r xmlns="v"><a/></r>', '<a xmlns="v"/>'],
    ['<r><a/></r>', '<a xmlns=""/>'],
    ['<r xmlns="u" xmlns:p="w" xmlns:q="z"><a p:b="c"/></r>', '<a xmlns:p="w" p:b="c"/>'],
    ['<r xmlns="u" xmlns:p="w"><a b="p:Name"><c>x</c></a></r>', '<a xmlns:p="w" b="p:Name"><c>x</c></a>'],
    [
      '<p:r xmlns:p="w"><p:a><p:b xmlns:p="z"/></p:a></p:r>',
      '<p:a xmlns="" xmlns:p="w"><p:b xmlns:p="z"/></p:a>',
    ],
  ])('out of %s is %s: it means the same elsewhere', (text, expected) => {
    const written = rewriteElement(child(parseXml(text), 'a'), AROUND);
    expect(written).toBe(expected);
    const there = child(parseXml(`<r xmlns="u">${written}</r>`), 'a');
    expect(there.namespace).toBe(child(parseXml(text), 'a').namespace);
  });
});

function child(element: XmlElement, name: string): XmlElement {
  const found = childNamed(element, name);
  if (found === undefined) throw new Error(`there is no <${name}>`);
  return found;
}
