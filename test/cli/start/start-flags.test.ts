// The flags of a start that are read without commander, beside what commander makes of the same words.

import { Command } from 'commander';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { flagsOfStart } from '../../../src/cli/start/start-flags.js';
import { describeStartOptions } from '../../../src/cli/start/start-options.js';
import { FLAG_OPTIONS } from '../../../src/config/environment.js';
import type { Option } from '../../../src/config/options/option.js';
import { OPTIONS } from '../../../src/config/options/option-table.js';

/** Throws for a mistake. */
function flagsOfCommander(words: readonly string[]): object {
  const program = describeStartOptions(new Command())
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  const { operands, unknown } = program.parseOptions([...words]);
  expect([...operands, ...unknown]).toEqual([]);
  return program.opts();
}

const FLAGS = FLAG_OPTIONS.flatMap((name) => {
  const { flag = '', type }: Option = OPTIONS[name];
  return (flag.match(/(?<!\S)-[\w-]+/g) ?? []).map((each) => ({
    flag: each,
    hasValue: type.given !== 'switch',
  }));
});
const anyValue = fc.constantFrom('orders', '5300', '', 'a=b', '-q', '--memory', '--', 'a b', 'é\n');
/** An option in full. */
const anyOption: fc.Arbitrary<string[]> = fc.constantFrom(...FLAGS).chain(({ flag, hasValue }) => {
  if (!hasValue) return fc.constant([flag]);
  const isLong = flag.startsWith('--');
  return fc
    .tuple(anyValue, fc.boolean())
    .map(([value, isJoined]) => (isLong && isJoined ? [`${flag}=${value}`] : [flag, value]));
});
const anyOptions = fc.array(anyOption).map((options) => options.flat());

test('options in full are read as commander reads them, with or without the word start', () => {
  fc.assert(
    fc.property(anyOptions, (words) => {
      const flags = flagsOfCommander(words);
      expect(flagsOfStart(words)).toEqual(flags);
      expect(flagsOfStart(['start', ...words])).toEqual(flags);
    }),
  );
});

test.each([
  [['ls']],
  [['--memory', 'start']],
  [['start', 'start']],
  [['--help']],
  [['-v']],
  [['--port']],
  [['--memory=yes']],
  [['--memory=']],
  [['-p5300']],
  [['-p=5300']],
  [['--queues', 'orders']],
  [['--']],
  [['<spec>', 'orders']],
  [['']],
])('%j is left to commander', (words) => {
  expect(flagsOfStart(words)).toBeUndefined();
});
