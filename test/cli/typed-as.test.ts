// A command is repeated with the words with which the program was called.

import { expect, test } from 'vitest';
import { typedAs } from '../../src/cli/typed-as.js';

test.skipIf(process.platform === 'win32').each([
  ['npx jitney', '/home/a/.npm/_npx/1/node_modules/.bin/jitney', { npm_command: 'exec' }],
  ['npx jitney', '/app/node_modules/.bin/jitney', { npm_lifecycle_event: 'test' }],
  ['jitney', '/usr/local/bin/jitney', {}],
  ['jitney', '/usr/lib/node_modules/jitney/dist/cli/main.js', {}],
  ['npm start --', '/app/dist/cli/main.js', { npm_lifecycle_event: 'start', npm_command: 'run-script' }],
  ['node dist/cli/main.js', '/app/dist/cli/main.js', {}],
  ['node /other/dist/cli/main.js', '/other/dist/cli/main.js', {}],
])('%s', (words, script, environment) => {
  expect(typedAs(script, environment, '/app')).toBe(words);
});
