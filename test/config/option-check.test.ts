// Options of startEmulator, given by JavaScript that knows no types.

import { expect, test } from 'vitest';
import { checkOptions } from '../../src/config/option-check.js';

test.each([
  {},
  { port: 0, httpPort: 65_535, tier: 'premium', durability: 'fsync' },
  { httpPort: 'off' },
] as const)('%j is good', (options) => {
  expect(() => checkOptions(options)).not.toThrow();
});

test.each<[Readonly<Record<string, unknown>>, string]>([
  [{ port: 70_000 }, 'port must be a port number from 0 (any free one) to 65535, not 70000'],
  [{ port: '5672' }, 'port must be a port number from 0 (any free one) to 65535, not "5672"'],
  [{ port: 'off' }, 'port must be a port number from 0 (any free one) to 65535, not "off"'],
  [{ httpPort: -1 }, "httpPort must be a port number or 'off', not -1"],
  [{ tier: 'gold' }, 'tier must be one of basic, standard, premium, not "gold"'],
  [{ durability: true }, 'durability must be one of os, fsync, not true'],
])('%j is refused with a word on what it may be', (options, message) => {
  expect(() => checkOptions(options)).toThrow(
    expect.objectContaining({ name: 'ConfigError', kind: 'bad-option', message }),
  );
});
