// Text gathered as UTF-8.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Utf8Block } from '../../../src/http/control/utf8-block.js';

test('what is taken is what was added, whatever its size, and stays as it is', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('a'.repeat(70_000), 'ä€𝄞'.repeat(30_000)),
  );
  fc.assert(
    fc.property(fc.array(fc.array(text, { maxLength: 5 }), { maxLength: 5 }), (blocks) => {
      const block = new Utf8Block();
      const taken = blocks.map((texts) => {
        for (const one of texts) block.add(one);
        expect(block.isEmpty).toBe(texts.join('') === '');
        return block.take();
      });
      expect(block.isEmpty).toBe(true);
      expect(taken.map((bytes) => Buffer.from(bytes).toString())).toEqual(
        blocks.map((texts) => texts.join('')),
      );
    }),
    { numRuns: 30 },
  );
});
