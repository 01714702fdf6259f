import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { COPY_LANGUAGES, programFor } from '../../src/dashboard/state/message-program.js';
import type { RawMessageAnswer } from '../../src/http/control/control-schemas.js';

type Message = Parameters<typeof programFor>[1];

/** Everything that ends a string, opens code, or breaks a line in one of the languages. */
const HOSTILE = `"'\`\\ \\u0022 \${x} $(x) #{x} %s {0}\r\n\t\u0000\u001b\u0085\u2028\u2029\u202e\ufeff // */ --> <script>'; rm -rf ~ #\\`;
const QUOTED = ['csharp', 'java', 'python', 'go'] as const;

/** A message with one text in every place that a sender fills, but for names of properties. */
function messageWith(text: string): Message {
  return {
    properties: {
      messageId: text,
      subject: text,
      contentType: text,
      sessionId: text,
      replyTo: text,
      correlationId: text,
      partitionKey: text,
      to: text,
    },
    applicationProperties: { [text]: { type: 'string', value: text } },
    body: { kind: 'text', section: 'data', sizeBytes: 1, text },
  };
}

const TYPED: Message = {
  properties: { messageId: 'ord-1', timeToLiveMs: 1500 },
  applicationProperties: {
    vip: { type: 'boolean', value: true },
    old: { type: 'boolean', value: false },
    total: { type: 'double', value: 18.9 },
    nothing: { type: 'null', value: null },
    at: { type: 'timestamp', value: '2026-05-01T12:00:00.000Z' },
  },
  body: { kind: 'json', section: 'data', sizeBytes: 1, value: { a: { b: 1 } } },
};
const BYTES: Message = {
  ...{ properties: {}, applicationProperties: {} },
  body: { kind: 'base64', section: 'data', sizeBytes: 3, base64: '/wAQ' },
};

beforeAll(() => {
  vi.stubGlobal('location', { origin: 'http://localhost:5300' });
});
afterAll(() => {
  vi.unstubAllGlobals();
});

/** The strings of a program in double quotes, which have the escapes of JSON in all of these languages, and the program without them. */
function stringsOf(program: string) {
  const strings: string[] = [];
  const rest = program.replace(/"(?:\\.|[^"\\\r\n\u0085\u2028\u2029])*"/g, (one) => {
    strings.push(JSON.parse(one));
    return '""';
  });
  return { strings, rest };
}

/** The words that a shell reads. */
function shellWords(command: string): readonly string[] {
  const word = /(?:'[^']*'|\\'|[\w:/.%=?&-])+/g;
  expect(command.replace(word, '').trim()).toBe('');
  return (command.match(word) ?? []).map((one) =>
    one.replace(/'([^']*)'|\\(')/g, (_, quoted, escaped) => quoted ?? escaped),
  );
}

/** A program as Java reads it first, with the signs of its Unicode escapes: each begins at a backslash that no other escapes. */
function withUnicodeOfJava(program: string): string {
  return program.replace(/(?<!\\)((?:\\\\)*)\\u+([\da-f]{4})/gi, (_, before: string, digits: string) => {
    return before + String.fromCharCode(Number.parseInt(digits, 16));
  });
}

/** The message that a program in JavaScript sends. */
async function run(program: string): Promise<unknown> {
  let sent: unknown;
  const sender = {
    sendMessages: async (message: unknown) => {
      sent = message;
    },
  };
  // biome-ignore lint/security/noGlobalEval: the program is what is tested
  await eval(`(async (sender) => {${program}})`)(sender);
  return sent;
}

function curlOf(message: Message, path = 'orders') {
  const words = shellWords(programFor('curl', message, path));
  return { words, sent: JSON.parse(words.at(-1) ?? '') };
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

describe('a program that sends a message like this one', () => {
  it.each(QUOTED)('keeps what a sender wrote inside its strings in %s', (language) => {
    const hostile = stringsOf(programFor(language, messageWith(HOSTILE), 'orders'));
    const harmless = stringsOf(programFor(language, messageWith('x'), 'orders'));
    expect(hostile.rest).toBe(harmless.rest);
    expect(hostile.strings).toEqual(harmless.strings.map(() => HOSTILE));
    expect(hostile.strings).toHaveLength(11);
  });

  it('keeps it there after Java has replaced its Unicode escapes, which it does before it looks for strings', () => {
    const withoutStrings = (message: Message) =>
      withUnicodeOfJava(programFor('java', message, 'orders')).replace(/"(?:\\.|[^"\\\r\n])*"/g, '""');
    expect(withoutStrings(messageWith(HOSTILE))).toBe(withoutStrings(messageWith('x')));
  });

  it('sends what a sender wrote, and does nothing else, in JavaScript', async () => {
    expect(await run(programFor('js', messageWith(HOSTILE), 'orders'))).toEqual({
      ...{ messageId: HOSTILE, subject: HOSTILE, contentType: HOSTILE, sessionId: HOSTILE },
      ...{ replyTo: HOSTILE, to: HOSTILE, correlationId: HOSTILE, partitionKey: HOSTILE },
      body: Buffer.from(HOSTILE),
      applicationProperties: { [HOSTILE]: HOSTILE },
    });
  });

  it('is one command with what a sender wrote in one argument, with curl', () => {
    const { words, sent } = curlOf(messageWith(HOSTILE), "it's/$(x)");
    expect(words.slice(0, -1)).toEqual([
      ...['curl', '-s', '-H', 'Content-Type: application/json'],
      ...['http://localhost:5300/%24jitney/v1/messages?entity=it%27s%2F%24(x)', '-d'],
    ]);
    expect(sent).toMatchObject({
      messageId: HOSTILE,
      body: HOSTILE,
      applicationProperties: { [HOSTILE]: { type: 'string', value: HOSTILE } },
    });
  });

  it.each(COPY_LANGUAGES)('shows no sign that would change how it reads in %s', (language) => {
    const program = programFor(language, messageWith(HOSTILE), 'orders');
    expect(program).not.toMatch(/(?![\t\n])\p{Cc}|[\u2028-\u202e\ufeff]/u);
  });

  it.each([
    ['csharp', 'TimeSpan.FromMilliseconds(1500)', ['3UL', '18.9D', 'null', 'true', 'Guid.Parse("7c9e")']],
    [
      'java',
      'Duration.ofMillis(1500)',
      ['new BigInteger("3")', '18.9D', 'null', 'true', 'UUID.fromString("7c9e")'],
    ],
    ['python', 'timedelta(milliseconds=1500)', ['3', '18.9', 'None', 'True', 'uuid.UUID("7c9e")']],
    ['go', '1500 * time.Millisecond', ['uint64(3)', 'float64(18.9)', 'nil', 'true', '"7c9e"']],
  ] as const)('keeps types and the time to live in %s', (language, timeToLive, values) => {
    const applicationProperties = {
      ...{
        a: { type: 'ulong', value: '3' },
        b: { type: 'double', value: 18.9 },
        c: { type: 'null', value: null },
      },
      ...{ d: { type: 'boolean', value: true }, e: { type: 'uuid', value: '7c9e' } },
    };
    const program = programFor(language, { ...TYPED, applicationProperties }, 'orders');
    expect(program).toContain(timeToLive);
    for (const value of values) expect(program).toMatch(new RegExp(`[ ,]${escapeRegExp(value)}[;,)]`));
  });

  it('writes a time as one, and what no type allows as a text', () => {
    const values = {
      at: { type: 'timestamp', value: '2026-05-01T12:00:00.000Z' },
      odd: { type: 'long', value: '1); x(' },
    };
    const program = programFor('go', { ...TYPED, applicationProperties: values }, 'orders');
    expect(program).toContain('time.UnixMilli(1777636800000).UTC()');
    expect(program).toContain('"odd": "1); x("');
  });

  it.each([
    ['"as JSON"', 'as JSON'],
    ['{"a":1}', { a: 1 }],
    ['no JSON', Buffer.from('no JSON')],
  ])('has a body in JavaScript of which the SDK makes the same bytes: %s', async (text, body) => {
    const message = { ...TYPED, body: { kind: 'text', section: 'data', sizeBytes: 1, text } } as const;
    expect(await run(programFor('js', message, 'orders'))).toMatchObject({ body });
  });

  it('keeps types and the time to live in JavaScript', async () => {
    expect(await run(programFor('js', TYPED, 'orders'))).toEqual({
      ...{ messageId: 'ord-1', timeToLive: 1500, body: { a: { b: 1 } } },
      applicationProperties: {
        ...{ vip: true, old: false, total: 18.9, nothing: null },
        at: new Date('2026-05-01T12:00:00.000Z'),
      },
    });
  });

  it('keeps types with curl', () => {
    const { sent } = curlOf(TYPED);
    const { applicationProperties } = TYPED;
    expect(sent).toMatchObject({ body: { a: { b: 1 } }, timeToLiveMs: 1500, applicationProperties });
  });

  it.each([
    ['csharp', ['"vip"] = true', '"total"] = 18.9', '"nothing"] = null']],
    ['java', ['"vip", true', '"total", 18.9', '"nothing", null']],
    ['python', ['"vip": True', '"old": False', '"total": 18.9', '"nothing": None']],
    ['go', ['"vip": true', '"total": float64(18.9)', '"nothing": nil']],
  ] as const)('has the words for true and nothing of %s', (language, expected) => {
    const program = programFor(language, TYPED, 'orders');
    for (const text of expected) expect(program).toContain(text);
    expect(program).toContain(JSON.stringify('{"a":{"b":1}}'));
  });

  it.each([
    ['js', "body: Buffer.from('/wAQ', 'base64')"],
    ['csharp', 'new ServiceBusMessage(Convert.FromBase64String("/wAQ"))'],
    ['java', 'new ServiceBusMessage(Base64.getDecoder().decode("/wAQ"))'],
    ['python', 'base64.b64decode("/wAQ")'],
    ['go', 'Body: []byte("\\xff\\x00\\x10")'],
    ['curl', '"bodyBase64": "/wAQ"'],
  ] as const)('sends bytes as bytes in %s', (language, expected) => {
    expect(programFor(language, BYTES, 'orders')).toContain(expected);
  });

  it.each([
    ['csharp', /ReplyToSessionId = "x"/],
    ['java', /setReplyToSessionId\("x"\)/],
    ['python', /reply_to_session_id="x"/],
    ['go', /ReplyToSessionID: to\.Ptr\("x"\)/],
  ] as const)('names properties as %s does', (language, expected) => {
    const message: Message = {
      ...BYTES,
      properties: { replyToSessionId: 'x' } as RawMessageAnswer['properties'],
    };
    expect(programFor(language, message, 'orders')).toMatch(expected);
  });
});
