// What a page quotes of a file, and how a quotation that no longer fits is written anew.

import { expect, test } from 'vitest';
import { cutRegion, writeQuotations } from './quotations.js';

const SHOP = `package shop;

class Shop {
    // region: place
    /** Places it. */
    void place() {
        send();
    }
    // endregion

    // region: take
    void take() {}
    // endregion
}
`;

test('a region is cut without its marks and without the indentation of all its lines', () => {
  const place = ['/** Places it. */', 'void place() {', '    send();', '}'];
  expect(cutRegion(SHOP, 'place', 'Shop.java')).toEqual(place);
});

test('blank lines around a region do not belong to it, those in it do', () => {
  const python = '# region: place\n\ndef place():\n    a()\n\n    b()\n\n\n# endregion\n';
  expect(cutRegion(python, 'place', 'shop.py')).toEqual(['def place():', '    a()', '', '    b()']);
});

test.each([
  ['a region that is not there', SHOP, 'pay', 'Shop.java has 0 regions pay; there must be one'],
  ['a region that is there twice', SHOP + SHOP, 'take', 'Shop.java has 2 regions take; there must be one'],
  ['a region without an end', '// region: a\nb();\n', 'a', 'the region a of Shop.java has no end'],
  [
    'a region that goes on into the next one',
    '// region: a\n// region: b\n// endregion\n',
    'a',
    'the region a of Shop.java has no end',
  ],
])('%s is refused', (_, text, region, message) => {
  expect(() => cutRegion(text, region, 'Shop.java')).toThrow(message);
});

test('a block below a mark becomes what the file says, and no other block changes', () => {
  const page = (quoted: string) =>
    `# Shop\n\n<!-- quoted: Shop.java take -->\n\`\`\`java\n${quoted}\n\`\`\`\n\n\`\`\`java\nold();\n\`\`\`\n`;
  const written = page('void take() {}');
  expect(writeQuotations(page('old();\nold();'), () => SHOP)).toBe(written);
  expect(writeQuotations(written, () => SHOP)).toBe(written);
});

test('a mark without a region quotes the whole file, unless it has regions', () => {
  const page = '<!-- quoted: a.txt -->\n```text\n```\n';
  expect(writeQuotations(page, () => 'one\n\ntwo\n')).toBe(
    '<!-- quoted: a.txt -->\n```text\none\n\ntwo\n```\n',
  );
  expect(() => writeQuotations(page, () => SHOP)).toThrow('a.txt has regions: name one of them');
});

test('a mark without a block is refused', () => {
  expect(() => writeQuotations('<!-- quoted: a.txt -->\n\ntext\n', () => '')).toThrow(
    'line 1 quotes a.txt, and no block follows',
  );
});
