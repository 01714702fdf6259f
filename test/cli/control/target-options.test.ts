// A printed command goes to the service to which the command that prints it went, and shows no key.

import { expect, test } from 'vitest';
import { portOption, targetOptions } from '../../../src/cli/control/target-options.js';

test('the options that name the service are repeated, and nothing without them', () => {
  expect(targetOptions({})).toBe('');
  expect(targetOptions({ host: '127.0.0.1', port: '5673', namespace: 'tests-1', queue: ['orders'] })).toBe(
    ' --host 127.0.0.1 --port 5673 --namespace tests-1',
  );
  expect(targetOptions({ host: "a b's" })).toBe(" --host 'a b'\\''s'");
});

test('a connection string is not repeated, because it holds a key', () => {
  const connectionString = 'Endpoint=sb://x;SharedAccessKeyName=a;SharedAccessKey=secret';
  expect(targetOptions({ connectionString, namespace: 'n' })).toBe(
    ' --connection-string "<the connection string>" --namespace n',
  );
});

test('the default port needs no option', () => {
  expect([portOption(5672), portOption(5673)]).toEqual(['', ' --port 5673']);
});
