// Connection strings as Azure, emulators and people write them.

import { expect, test } from 'vitest';
import { parseConnectionString } from '../../src/config/given-connection-string.js';

const KEY = 'SharedAccessKeyName=Root;SharedAccessKey=abc=';
const access = { kind: 'key', keyName: 'Root', key: 'abc=' };

test.each([
  [
    `Endpoint=sb://ns.servicebus.windows.net/;${KEY}`,
    { host: 'ns.servicebus.windows.net', isEmulator: false },
  ],
  [`Endpoint=sb://localhost;${KEY};UseDevelopmentEmulator=true;`, { host: 'localhost', isEmulator: true }],
  [`Endpoint=sb://localhost:5673;${KEY};UseDevelopmentEmulator=false`, { port: 5673, isEmulator: false }],
  [`Endpoint=sb://[::1]:5672;${KEY}`, { host: '[::1]', port: 5672 }],
  [` endpoint = sb://a ; ${KEY.toLowerCase().replace('root', 'Root')} `, { host: 'a', access }],
  [`Endpoint=sb://a;${KEY};EntityPath=orders`, { entityPath: 'orders', access }],
  [
    'Endpoint=sb://a;SharedAccessSignature=SharedAccessSignature sr=b&sig=c%3D&se=1&skn=d',
    { access: { kind: 'signature', signature: 'SharedAccessSignature sr=b&sig=c%3D&se=1&skn=d' } },
  ],
])('%s is read', (text, parts) => {
  expect(parseConnectionString(text)).toMatchObject(parts);
});

test.each([
  ['orders', 'must have an Endpoint=sb://<host>'],
  [`Endpoint=localhost;${KEY}`, 'must have an Endpoint=sb://<host>'],
  ['Endpoint=sb://a;SharedAccessKeyName=Root', 'must have SharedAccessKeyName and SharedAccessKey'],
  ['Endpoint=sb://a;SharedAccessKey=abc', 'must have SharedAccessKeyName and SharedAccessKey'],
])('%s is refused without its key', (text, why) => {
  expect(() => parseConnectionString(text)).toThrow(why);
  expect(() => parseConnectionString(text)).not.toThrow('abc');
});
