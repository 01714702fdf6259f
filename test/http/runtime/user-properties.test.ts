// User properties as headers, in both directions and across to AMQP.

import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NewMessage } from '../../../src/broker/contract/message-properties.js';
import { readParts } from '../../../src/content/message-parts.js';
import { readMessage } from '../../../src/content/read-message.js';
import { writePropertyValue } from '../../../src/http/runtime/header-values.js';
import { hex, long, map, NULL, str, sym, timestamp, variable } from '../../support/frame-encoder.js';
import { section } from '../../support/frame-message.js';
import { anyMessage } from '../../support/frame-message-arbitraries.js';
import { countFor } from '../../support/thorough.js';
import { type HttpUnderTest, openHttp } from './http-under-test.js';

let http: HttpUnderTest;

beforeEach(async () => {
  http = await openHttp({ queues: ['orders'] });
});
afterEach(async () => {
  expect(http.faults).toEqual([]);
  await http.stop();
});

const HEAD = 'orders/messages/head?timeout=0';

/** What lies at the head of the queue, as its sender's bytes. */
async function stored(): Promise<NewMessage> {
  const result = await http.engine.ask({
    kind: 'peek',
    entityPath: 'orders',
    fromSequenceNumber: 0,
    maxCount: 1,
  });
  const [found] = result.kind === 'messages' ? result.messages : [];
  if (found === undefined) throw new Error('nothing is stored');
  return readMessage(await http.engine.readContent(found.contentId));
}

async function sentAs(header: string): Promise<unknown> {
  await http.send('orders', '', { Value: header });
  const { applicationProperties } = readParts((await stored()).content);
  expect(applicationProperties.map(({ name }) => name)).toEqual(['Value']);
  return applicationProperties[0]?.value;
}

/** A message with this application property, sent as over AMQP, and the header it is over HTTP. */
async function headerFor(value: Buffer, name = 'Value'): Promise<string | null> {
  const content = Buffer.concat([section(0x74, map([[str(name), value]])), section(0x75, hex('a000'))]);
  await http.engine.ask({ kind: 'send', entityPath: 'orders', messages: [readMessage(content)] });
  const { status, headers } = await http.ask('DELETE', HEAD);
  expect(status).toBe(200);
  return headers.get(name);
}

const DATE = Date.UTC(1994, 10, 6, 8, 49, 37);

test.each<[string, unknown]>([
  ['"high"', 'high'],
  ['""', ''],
  ['"5"', '5'],
  ['"say "hi""', 'say "hi"'],
  ['High', 'High'],
  ['12345,ABC', '12345,ABC'],
  ['007', '007'],
  ['+1', '+1'],
  ['"', '"'],
  ['True', 'True'],
  ['true', true],
  ['false', false],
  ['0', 0n],
  ['-5', -5n],
  ['2147483648', 2147483648n],
  ['-9223372036854775808', -9223372036854775808n],
  ['9223372036854775808', 2 ** 63],
  ['1.5', 1.5],
  ['-0.25', -0.25],
  ['1e+21', 1e21],
  ['NaN', Number.NaN],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['"Sun, 06 Nov 1994 08:49:37 GMT"', { kind: 'timestamp', ms: DATE }],
  ['"Sun, 06 Nov 1994 09:49:37 GMT+0100"', { kind: 'timestamp', ms: DATE }],
  ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:37 GMT'],
  ['"1994-11-06"', '1994-11-06'],
])('a header of %s is the value %o', async (header, value) => {
  expect(await sentAs(header)).toEqual(value);
});

test('bytes beyond ASCII are UTF-8 where they can be, else Latin-1', async () => {
  expect(await sentAs(`"${Buffer.from('żółw 🐢').toString('latin1')}"`)).toBe('żółw 🐢');
  await http.ask('DELETE', HEAD);
  expect(await sentAs('"caf\xe9"')).toBe('café');
});

test('a whole number of 32 bits is received over AMQP as an int, a larger one as a long', async () => {
  await http.send('orders', '', { Small: '-2147483648', Large: '2147483648' });
  const content = Buffer.from((await stored()).content);
  for (const encoded of [hex('71 80000000'), hex('81 0000000080000000')]) {
    expect(content.includes(encoded)).toBe(true);
  }
});

test.each([
  ...['Accept', 'Accept-Encoding', 'Content-Type', 'User-Agent', 'X-MS-Retrypolicy', 'Traceparent'],
  ...['X-Forwarded-For', 'Sec-Fetch-Mode', 'ServiceBusSupplementaryAuthorization', 'If-Match'],
])('%s is a header of HTTP and no property', async (name) => {
  await http.send('orders', '', { [name]: 'x' });
  expect(readParts((await stored()).content).applicationProperties).toEqual([]);
});

test.each(['Priority', 'Customer', 'x-my-own', 'From', 'Location', 'Server'])(
  '%s is a property, spelled as its sender did',
  async (name) => {
    await http.send('orders', '', { [name]: 'x' });
    expect(readParts((await stored()).content).applicationProperties).toEqual([{ name, value: 'x' }]);
  },
);

test.each<[string, Buffer, string | null]>([
  ['a string', str('high'), '"high"'],
  ['a symbol', sym('high'), '"high"'],
  ['a character', hex('73 00000041'), '"A"'],
  ['true', hex('41'), 'true'],
  ['an unsigned byte', hex('50 ff'), '255'],
  ['a long', long(-9007199254740993n), '-9007199254740993'],
  ['an unsigned long', hex('80 ffffffffffffffff'), '18446744073709551615'],
  ['a double', hex('82 3ff8000000000000'), '1.5'],
  ['a whole double', hex('82 4014000000000000'), '5.0'],
  ['a negative zero', hex('82 8000000000000000'), '-0.0'],
  ['a double that is no number', hex('82 7ff8000000000000'), 'NaN'],
  ['a date', timestamp(BigInt(DATE)), '"Sun, 06 Nov 1994 08:49:37 GMT"'],
  ['a date beyond all calendars', timestamp(2n ** 60n), null],
  ['a uuid', hex('98 00112233445566778899aabbccddeeff'), '"00112233-4455-6677-8899-aabbccddeeff"'],
  ['a URI', Buffer.concat([hex('00'), sym('com.microsoft:uri'), str('http://x')]), '"http://x"'],
  ['a time span', Buffer.concat([hex('00'), sym('com.microsoft:timespan'), long(10_000_000n)]), '10000000'],
  ['a decimal', hex('74 00000000'), null],
  ['a null', NULL, null],
  ['a text of two lines', str('a\r\nX-Evil: 1\0'), '"a  X-Evil: 1 "'],
  ['a text in Latin-1', str('café'), '"café"'],
  ['any other text', str('żółw'), `"${Buffer.from('żółw').toString('latin1')}"`],
])('%s of an AMQP sender is written as a header can be', async (_, value, header) => {
  expect(await headerFor(value)).toBe(header);
});

test('a binary, which only a settlement can set, is written as Base64 [MSG-11]', () => {
  expect(writePropertyValue({ kind: 'binary', bytes: Buffer.of(255, 255) })).toBe('"//8="');
});

test('a property whose name is no valid header is left out, and so is one that HTTP would misread', async () => {
  const taken = ['Content-Length', 'Transfer-Encoding', 'Location', 'Set-Cookie', 'BrokerProperties'];
  const impossible = ['two words', 'żółw', 'a:b', ''];
  const entries = [...taken, ...impossible, 'fine'].map((name) => [str(name), str('evil')] as const);
  const content = Buffer.concat([section(0x74, map(entries)), section(0x75, hex('a001 61'))]);
  await http.engine.ask({ kind: 'send', entityPath: 'orders', messages: [readMessage(content)] });
  const { headers, text, brokerProperties } = await http.ask('DELETE', HEAD);
  expect([...headers].filter(([, value]) => value.includes('evil'))).toEqual([['fine', '"evil"']]);
  expect({ text, number: brokerProperties.SequenceNumber }).toEqual({ text: 'a', number: 1 });
});

test('the first of several names that differ in case alone is written', async () => {
  const entries = [['Colour', 'red'] as const, ['colour', 'blue'] as const];
  const section74 = section(0x74, map(entries.map(([name, value]) => [str(name), str(value)])));
  await http.engine.ask({ kind: 'send', entityPath: 'orders', messages: [readMessage(section74)] });
  expect((await http.ask('DELETE', HEAD)).headers.get('colour')).toBe('"red"');
});

const data = (text: string) => section(0x75, variable(0xa0, Buffer.from(text)));
const contentType = (text: string) =>
  section(0x73, Buffer.concat([hex('d0'), listBytes([NULL, NULL, NULL, NULL, NULL, NULL, sym(text)])]));

function listBytes(items: readonly Buffer[]): Buffer {
  const body = Buffer.concat(items);
  const sizes = Buffer.alloc(8);
  sizes.writeUInt32BE(body.length + 4);
  sizes.writeUInt32BE(items.length, 4);
  return Buffer.concat([sizes, body]);
}

/** The service's own, for content without a type. */
const DEFAULT_TYPE = 'application/xml; charset=utf-8';

test.each<[string, Buffer, string, string]>([
  ['no body', Buffer.alloc(0), '', DEFAULT_TYPE],
  ['two data sections', Buffer.concat([data('a'), data('b')]), 'ab', DEFAULT_TYPE],
  ['data with a type', Buffer.concat([contentType('a/b'), data('a')]), 'a', 'a/b'],
  ['a text', section(0x77, str('żółw')), 'żółw', 'text/plain; charset=utf-8'],
  ['a text with a type', Buffer.concat([contentType('a/b'), section(0x77, str('a'))]), 'a', 'a/b'],
  ['a binary value', section(0x77, hex('a0 01 61')), 'a', DEFAULT_TYPE],
  ['a null', section(0x77, NULL), '', DEFAULT_TYPE],
  ['a number', section(0x77, hex('54 05')), '\0Sw\x54\x05', 'application/octet-stream'],
  [
    'a number with a type',
    Buffer.concat([contentType('a/b'), section(0x77, hex('54 05'))]),
    '\0Sw\x54\x05',
    'application/octet-stream',
  ],
  ['a sequence', section(0x76, hex('45')), '\0Sv\x45', 'application/octet-stream'],
])('over HTTP the body of an AMQP message with %s is plain bytes', async (_, content, text, type) => {
  await http.engine.ask({ kind: 'send', entityPath: 'orders', messages: [readMessage(content)] });
  const answer = await http.ask('DELETE', HEAD);
  expect({ text: answer.text, type: answer.headers.get('content-type') }).toEqual({ text, type });
});

const visible = (maxLength: number) =>
  fc.string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    maxLength,
  });
const name = fc.stringMatching(/^p[a-zA-Z0-9!#$%&'*+.^_`|~-]{0,10}$/);
const value = fc.oneof(
  visible(40).map((text) => `"${text}"`),
  fc.boolean().map(String),
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter((each) => !Number.isInteger(each))
    .map(String),
  fc
    .date({ min: new Date(DATE), noInvalidDate: true, max: new Date(Date.UTC(9999, 0)) })
    .map((date) => `"${date.toUTCString()}"`),
);
const text = fc.option(fc.string({ unit: 'binary', maxLength: 30 }), { nil: undefined });

test('a message posted over HTTP is received over HTTP unchanged', async () => {
  const message = fc.record({
    body: fc.uint8Array({ maxLength: 2000 }),
    properties: fc.dictionary(name, value, { maxKeys: 8, noNullPrototype: true }),
    broker: fc.record({
      MessageId: text,
      Label: text,
      CorrelationId: text,
      ReplyTo: text,
      SessionId: text,
      To: text,
    }),
    type: fc.stringMatching(/^[a-z]{1,8}\/[a-z]{1,8}(; [a-z]=[a-z]{1,5})?$/),
  });
  await fc.assert(
    fc.asyncProperty(message, async ({ body, properties, broker, type }) => {
      const unique = new Map(
        Object.entries(properties).map((each) => [each[0].toLowerCase(), each] as const),
      );
      const BrokerProperties = Buffer.from(JSON.stringify(broker)).toString('latin1');
      const headers = { ...Object.fromEntries(unique.values()), BrokerProperties, 'content-type': type };
      await http.send('orders', body, headers);
      const answer = await http.ask('DELETE', HEAD);
      expect(answer.body).toEqual(Buffer.from(body));
      expect(answer.headers.get('content-type')).toBe(type);
      for (const [lower, [, sent]] of unique) expect(answer.headers.get(lower)).toBe(sent);
      expect(answer.brokerProperties).toMatchObject(JSON.parse(JSON.stringify(broker)));
    }),
    { numRuns: countFor(25, 200) },
  );
});

test('no header of a request makes the emulator fail', async () => {
  const latin1 = fc.string({
    unit: fc
      .integer({ min: 1, max: 255 })
      .filter((code) => ![10, 13].includes(code))
      .map((code) => String.fromCharCode(code)),
    maxLength: 60,
  });
  const json = fc.oneof(
    latin1,
    fc.json(),
    fc.jsonValue().map((Label) => JSON.stringify({ Label, TimeToLive: Label })),
  );
  const asked = fc.record(
    {
      BrokerProperties: json.map((each) => Buffer.from(each).toString('latin1')),
      'content-type': latin1,
      'p-one': latin1,
      'x-two': latin1,
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(
      asked,
      fc.constantFrom('POST', 'PUT', 'DELETE', 'PATCH'),
      latin1,
      async (headers, method, query) => {
        const path = `${method === 'POST' ? 'orders/messages' : 'orders/messages/head'}?timeout=x${encodeURIComponent(query)}`;
        const { status } = await http.ask(method, path, {
          headers,
          ...(method === 'DELETE' ? {} : { body: query }),
        });
        expect(status).toBeLessThan(500);
        expect((await http.ask('DELETE', HEAD)).status).toBeLessThan(300);
      },
    ),
    { numRuns: countFor(40, 300) },
  );
});

test('any message sent over AMQP can be received over HTTP', async () => {
  const statuses = new Map<number, number>();
  const runs = countFor(80, 500);
  let failedCount = 0;
  await fc.assert(
    fc.asyncProperty(anyMessage, async ({ bytes }) => {
      const messages = [readMessage(bytes)];
      const sent = await http.engine.ask({ kind: 'send', entityPath: 'orders', messages });
      const { status } = await http.ask('DELETE', HEAD);
      // One that is scheduled, or has expired, does not come.
      expect([200, 204]).toContain(status);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (sent.kind === 'failed') {
        failedCount += 1;
        expect(status).toBe(204);
      }
    }),
    { numRuns: runs },
  );
  expect(failedCount, 'some are refused').toBeGreaterThan(0);
  expect(statuses.get(200), 'many are received').toBeGreaterThan(runs / 10);
});

test('no body of a batch makes the emulator fail', async () => {
  const part = fc.record(
    {
      Body: fc.jsonValue(),
      IsBodyBase64: fc.jsonValue(),
      BrokerProperties: fc.jsonValue(),
      UserProperties: fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 0 }))),
    },
    { requiredKeys: [] },
  );
  const body = fc.oneof(
    fc.string(),
    fc.json(),
    fc.array(part, { maxLength: 3 }).map((each) => JSON.stringify(each)),
  );
  const headers = { 'content-type': 'application/vnd.microsoft.servicebus.json' };
  await fc.assert(
    fc.asyncProperty(body, async (json) => {
      const { status } = await http.ask('POST', 'orders/messages', { body: json, headers });
      expect([201, 400, 403]).toContain(status);
    }),
    { numRuns: countFor(80, 500) },
  );
});
