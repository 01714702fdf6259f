// The connection string names a host that clients on this machine can use.

import { expect, test } from 'vitest';
import { formatConnectionString } from '../../src/config/connection-string.js';

test.each([
  ['localhost', 'localhost'],
  ['127.0.0.1', 'localhost'],
  ['127.0.0.2', '127.0.0.2'],
  ['::1', '[::1]'],
  ['0.0.0.0', 'localhost'],
  ['::', 'localhost'],
  ['192.168.0.7', '192.168.0.7'],
  ['my-host', 'my-host'],
  ['fe80::1', '[fe80::1]'],
])('an emulator on %s is reached at %s', (host, expected) => {
  expect(formatConnectionString(host, 5672)).toBe(
    `Endpoint=sb://${expected}:5672;SharedAccessKeyName=RootManageSharedAccessKey;` +
      'SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true;',
  );
});
