// When there is colour, and where.

import { expect, test } from 'vitest';
import { paintFor, withPaintedMarks } from '../../../src/cli/output/colour.js';

const RED = '\u001b[31mx\u001b[39m';

test.each([
  ['a terminal', true, {}, RED],
  ['a pipe', false, {}, 'x'],
  ['a terminal with NO_COLOR', true, { NO_COLOR: '1' }, 'x'],
  ['a terminal with an empty NO_COLOR', true, { NO_COLOR: '' }, RED],
  ['a terminal that knows none', true, { TERM: 'dumb' }, 'x'],
  ['a pipe with FORCE_COLOR', false, { FORCE_COLOR: '1' }, RED],
  ['a terminal with FORCE_COLOR=0', true, { FORCE_COLOR: '0' }, 'x'],
  ['both', false, { FORCE_COLOR: '1', NO_COLOR: '1' }, RED],
])('colour: %s', (_, isTTY, environment, expected) => {
  expect(paintFor({ isTTY }, environment)('error', 'x')).toBe(expected);
});

test('the marks of errors and warnings are painted, and nothing behind them', () => {
  let written = '';
  const write = withPaintedMarks(
    (text) => {
      written += text;
    },
    (style, text) => `<${style} ${text}>`,
  );
  write('✖ JIT1001  ✖ wrong\n');
  write('⚠ a warning\n');
  write('no ⚠ mark\n');
  expect(written).toBe('<error ✖ JIT1001>  ✖ wrong\n<warning ⚠> a warning\nno ⚠ mark\n');
});
