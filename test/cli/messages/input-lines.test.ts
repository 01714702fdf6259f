// The lines of standard input, whatever parts they come in.

import { expect, test } from 'vitest';
import { linesOf } from '../../../src/cli/messages/input-lines.js';

async function lines(...parts: readonly string[]): Promise<string[]> {
  async function* input() {
    for (const part of parts) yield Buffer.from(part, 'latin1');
  }
  const read: string[] = [];
  for await (const { number, bytes } of linesOf(input())) {
    read.push(`${number} ${Buffer.from(bytes).toString('latin1')}`);
  }
  return read;
}

test.each([
  [['a\nb\n'], ['1 a', '2 b']],
  [['a\nb'], ['1 a', '2 b']],
  [
    ['a', 'b\nc', '\n', 'd'],
    ['1 ab', '2 c', '3 d'],
  ],
  [
    ['a\r', '\n\r\n b \n'],
    ['1 a', '3  b '],
  ],
  [['\n\n\xff\x00\n'], ['3 \xff\x00']],
  [[], []],
  [['\n'], []],
])('%j are the lines %j: empty ones are left out and counted', async (parts, expected) => {
  expect(await lines(...parts)).toEqual(expected);
});
