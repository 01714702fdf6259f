// What cites a rule is found, and broken in ways that can still be read.

import { describe, expect, it } from 'vitest';
import { applyBreak, describeBreak, findBreaks } from './breaks.js';
import { findCitations } from './citations.js';
import { MaskedSource } from './masked-source.js';

/** The code that cites a rule in this text. */
function citedCode(text: string): [id: string, line: number, code: string][] {
  const source = new MaskedSource(text);
  return findCitations(source).map(({ id, line, code }) => [id, line, text.slice(code.start, code.end)]);
}

/** What becomes of the text, one break a time. */
function broken(text: string): string[] {
  const source = new MaskedSource(text);
  return findBreaks(source, { start: 0, end: text.length }).map((one) => applyBreak(text, one));
}

describe('a masked source', () => {
  it('hides comments, strings, templates and regular expressions, each at its place', () => {
    const text = "a = 'if (x)' + `b $" + "{c}`; // it's\nd = /['/*]/g.test(e) / f; /* g\n */ h";
    const mask = new MaskedSource(text).mask;
    expect(mask).toHaveLength(text.length);
    expect(mask.replace(/'+/g, "'").replace(/ +/g, ' ')).toBe("a = ' + '; \nd = '.test(e) / f; \n h");
  });
});

describe('a rule is cited', () => {
  it('at the end of the line that obeys it', () => {
    expect(citedCode('first();\n  second(); // AAA-01\n')).toEqual([['AAA-01', 2, 'second();']]);
  });

  it('at the end of a line that opens a block, for the block', () => {
    expect(citedCode('if (a) { // AAA-01\n  b();\n}\nc();')).toEqual([
      ['AAA-01', 1, 'if (a) { // AAA-01\n  b();\n}'],
    ]);
  });

  it('on the line above, however many lines the statement has', () => {
    expect(citedCode('x;\n// AAA-01, M91\ncall(\n  a,\n);\nnext();')).toEqual([
      ['AAA-01', 2, 'call(\n  a,\n);'],
      ['M91', 2, 'call(\n  a,\n);'],
    ]);
  });

  it('at the end of a line that depends on a condition, for both', () => {
    expect(citedCode('if (a)\n  b(); // AAA-01\nelse c();')).toEqual([['AAA-01', 2, 'if (a)\n  b();']]);
  });

  it('in the first line of a block, for the condition too', () => {
    const code = 'if (a) {\n  // AAA-01\n  b();\n}';
    expect(citedCode(`${code}\nc();`)).toEqual([['AAA-01', 2, code]]);
  });

  it('in the comment above a function, for the whole of it', () => {
    expect(citedCode('x;\n/**\n * AAA-01\n */\nfunction f(): void {\n  a();\n}\nb();')).toEqual([
      ['AAA-01', 3, 'function f(): void {\n  a();\n}'],
    ]);
  });

  it('above a condition, with its alternative', () => {
    const code = 'if (a) {\n  b();\n} else {\n  c();\n}';
    expect(citedCode(`x;\n// AAA-01\n${code}\nd();`)).toEqual([['AAA-01', 2, code]]);
  });

  it('by no line when it stands in the head of the file, or in a string', () => {
    expect(citedCode("// All of AAA-01\n// and AAA-02.\n\nconst a = 'AAA-03'; f();")).toEqual([]);
  });
});

describe('code is broken', () => {
  it.each([
    ['its comparison', 'x = a <= b;', ['x = a < b;', 'x = a > b;']],
    ['its logic', 'x = a && b;', ['x = a || b;']],
    ['its denial', 'x = (!a);', ['x = (a);']],
    ['its truth', 'f(true);', ['f(false);']],
    ['its arithmetic', 'x = a + b;', ['x = a - b;']],
    ['its count', 'x.count += y;', ['x.count -= y;']],
    ['its number', 'f(4_500);', ['f(4501);']],
    ['its constant', 'f(NEVER, STATE.active);', ['f(0, STATE.active);']],
    ['its choosing', 'x = a.filter((b) => c(b)).d;', ['x = a.d;']],
    ['its condition', 'if (a) b();', ['if (!(a)) b();', 'if (false && (a)) b();']],
    ['its choice', 'x = a.b(c) ? d : e;', ['x = !a.b(c) ? d : e;']],
    ['its text', "f('abc');", ["f('broken');"]],
    ['a word of its template', 'f(`It has gone`);', ['f(`It broken gone`);']],
    ['its pattern', 'f(/^a/);', ['f(/broken/);']],
    ['its value', 'f({ a: b.c });', ['f({ a: (b.c) + 1 });', 'f({ a: !(b.c) });']],
  ])('in %s', (_, text, expected) => {
    expect(broken(text)).toEqual(expect.arrayContaining(expected));
  });

  it('by leaving out a statement', () => {
    expect(broken('a.b(\n  c,\n);')).toContain(';\n\n');
    expect(broken('throw a;')).toContain(';');
    expect(broken('for (const a of b) {\n  a.c();\n}')).toContain(';\n\n');
  });

  it('by leaving a function at once', () => {
    const text = 'function f(a: number): void {\n  g(a);\n}';
    expect(broken(text)).toContain(text.replace('{', '{ return undefined as never;'));
  });

  it('from the least change to the largest', () => {
    const text = 'function f(a) {\n  return a < 1;\n}';
    const first = broken(text)[0];
    expect(first).toBe(text.replace('<', '<='));
    expect(broken(text).at(-1)).toContain('return undefined as never;');
  });

  it('never so that it cannot be read, and never in nothing but its types', () => {
    expect(broken('type A = { readonly a: true };')).toEqual([]);
    expect(broken('const a: 1 = b;')).not.toContain('const a: 2 = b;');
    expect(broken('function f(g: h, i: j) {}')).toEqual([]);
  });

  it('never in a comment or in what a string says', () => {
    expect(broken('// a < b\n')).toEqual([]);
    expect(broken("f('a < b');")).not.toContain("f('a <= b');");
  });

  it('and the break can be told', () => {
    const text = 'a < b;\nc();';
    const source = new MaskedSource(text);
    const told = findBreaks(source, { start: 0, end: text.length }).map((one) => describeBreak(text, one));
    expect(told).toContain('`<` becomes `<=`');
    expect(told).toContain('`c();` is left out');
  });
});
