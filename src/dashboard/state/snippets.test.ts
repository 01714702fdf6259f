import { describe, expect, it } from 'vitest';
import { type Language, SNIPPETS } from './snippets.js';

/** The key has each sign that ends a string somewhere. */
const KEY = `a'b"c\\d+/=`;
const CONNECTION_STRING = `Endpoint=sb://localhost:5672;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=${KEY};UseDevelopmentEmulator=true;`;
const VALUES = { connectionString: CONNECTION_STRING, queue: 'shop/orders', port: '5673' };
const SINGLE = /'(?:\\.|[^'\\\n])*'/g;
const DOUBLE = /"(?:\\.|[^"\\\n])*"/g;

function snippet(language: Language): string {
  return SNIPPETS[language](VALUES);
}

/** The strings in a snippet. Backslashes are those of JSON there, but for one before a single quote. */
function stringsOf(language: Language, quotes: RegExp): readonly string[] {
  return [...snippet(language).matchAll(quotes)].map(([one]) =>
    one.startsWith('"') ? JSON.parse(one) : one.slice(1, -1).replace(/\\(.)/g, '$1'),
  );
}

describe('a snippet to connect', () => {
  it.each([
    ['javascript', SINGLE, 2],
    ['csharp', DOUBLE, 2],
    ['java', DOUBLE, 2],
    ['python', SINGLE, 2],
    ['go', DOUBLE, 2],
    ['dapr', DOUBLE, 0],
  ] as const)('has the connection string and the queue as strings of %s', (language, quotes, queueCount) => {
    const strings = stringsOf(language, quotes);
    expect(strings.filter((one) => one === CONNECTION_STRING)).toHaveLength(1);
    expect(strings.filter((one) => one === VALUES.queue)).toHaveLength(queueCount);
  });

  it('signs in with the name and the key of the connection string over JMS, at the port', () => {
    const [name, key, address, queue] = stringsOf('jms', DOUBLE);
    expect([name, key]).toEqual(['RootManageSharedAccessKey', KEY]);
    expect([address, queue]).toEqual(['amqp://localhost:5673', 'shop/orders']);
  });

  it('is a settings file for Functions', () => {
    const [, ...json] = snippet('functions').split('\n');
    expect(JSON.parse(json.join('\n')).Values.ServiceBusConnection).toBe(CONNECTION_STRING);
  });

  it('has the queue as a text for Compose, whichever word it is', () => {
    expect(SNIPPETS.compose({ ...VALUES, queue: 'yes' })).toContain('JITNEY_QUEUES: "yes"\n');
  });
});
