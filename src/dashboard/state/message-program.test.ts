import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { InfoAnswer, RawMessageAnswer } from '../../http/control/control-schemas.js';
import { COPY_LANGUAGES, type CopyLanguage, programFor } from './message-program.js';
import { info } from './model.js';

type Message = Partial<RawMessageAnswer> & Pick<RawMessageAnswer, 'applicationProperties' | 'body'>;
type Body = Message['body'];
type Typed = Message['applicationProperties'][string];

const STORED: RawMessageAnswer = {
  sequenceNumber: 1,
  state: 'active',
  enqueuedTime: '2026-05-01T12:00:00.000Z',
  deliveryCount: 0,
  sizeBytes: 1,
  hopCount: 0,
  ...{ applicationProperties: {}, annotations: {} },
  ...{ body: { kind: 'empty', section: 'none', sizeBytes: 0 }, raw: { base64: '', sections: [] } },
};

/** Everything that ends a string, opens code, or breaks a line in one of the languages. */
const HOSTILE = `"'\`\\ \\u0022 \${x} $(x) #{x} %s {0}\r\n\t\u0000\u001b\u0085\u2028\u2029\u202e\ufeff // */ --> <script>'; rm -rf ~ #\\`;
const QUOTED = ['csharp', 'java', 'python', 'go'] as const;

/** A message with one text in every place that a sender fills, but for names of properties. */
function messageWith(text: string): Message {
  return {
    messageId: text,
    subject: text,
    contentType: text,
    sessionId: text,
    replyTo: text,
    correlationId: text,
    partitionKey: text,
    to: text,
    applicationProperties: { [text]: { type: 'string', value: text } },
    body: { kind: 'text', section: 'data', sizeBytes: 1, text },
  };
}

const TYPED: Message = {
  messageId: 'ord-1',
  timeToLiveMs: 1500,
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
  applicationProperties: {},
  body: { kind: 'base64', section: 'data', sizeBytes: 3, base64: '/wAQ' },
};

beforeAll(() => {
  vi.stubGlobal('location', { origin: 'http://localhost:5300' });
});
afterAll(() => {
  vi.unstubAllGlobals();
});

function programOf(language: CopyLanguage, message: Partial<RawMessageAnswer>, path = 'orders'): string {
  return programFor(language, { ...STORED, ...message }, path);
}

function withProperty(type: string, value: Typed['value']): Partial<RawMessageAnswer> {
  return { applicationProperties: { one: { type, value } } };
}

function withValue(type: string, value: Typed['value']): Partial<RawMessageAnswer> {
  return { body: { kind: 'value', section: 'value', sizeBytes: 2, value: { type, value } } };
}

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

function curlOf(message: Partial<RawMessageAnswer>, path = 'orders') {
  const words = shellWords(programOf('curl', message, path));
  return { words, sent: JSON.parse(words.at(-1) ?? '') };
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

describe('a program that sends a message like this one', () => {
  it.each(QUOTED)('keeps what a sender wrote inside its strings in %s', (language) => {
    const hostile = stringsOf(programOf(language, messageWith(HOSTILE)));
    const harmless = stringsOf(programOf(language, messageWith('x')));
    expect(hostile.rest).toBe(harmless.rest);
    expect(hostile.strings).toEqual(harmless.strings.map(() => HOSTILE));
    expect(hostile.strings).toHaveLength(11);
  });

  it('keeps it there after Java has replaced its Unicode escapes, which it does before it looks for strings', () => {
    const withoutStrings = (message: Message) =>
      withUnicodeOfJava(programOf('java', message)).replace(/"(?:\\.|[^"\\\r\n])*"/g, '""');
    expect(withoutStrings(messageWith(HOSTILE))).toBe(withoutStrings(messageWith('x')));
  });

  it('sends what a sender wrote, and does nothing else, in JavaScript', async () => {
    expect(await run(programOf('js', messageWith(HOSTILE)))).toEqual({
      messageId: HOSTILE,
      subject: HOSTILE,
      contentType: HOSTILE,
      sessionId: HOSTILE,
      replyTo: HOSTILE,
      to: HOSTILE,
      correlationId: HOSTILE,
      partitionKey: HOSTILE,
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
    const program = programOf(language, messageWith(HOSTILE));
    expect(program).not.toMatch(/(?![\t\n])\p{Cc}|[\u2028-\u202e\ufeff]/u);
  });

  it.each([
    ['csharp', 'TimeSpan.FromMilliseconds(1500)', ['3UL', '18.9D', 'null', 'true', 'Guid.Parse("7c9e")']],
    [
      'java',
      'Duration.ofMillis(1500)',
      [
        'org.apache.qpid.proton.amqp.UnsignedLong.valueOf("3")',
        '18.9D',
        'null',
        'true',
        'UUID.fromString("7c9e")',
      ],
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
    const program = programOf(language, { ...TYPED, applicationProperties });
    expect(program).toContain(timeToLive);
    for (const value of values) expect(program).toMatch(new RegExp(`[ ,]${escapeRegExp(value)}[;,)]`));
  });

  it('writes a time as one, and what no type allows as a text', () => {
    const values = {
      at: { type: 'timestamp', value: '2026-05-01T12:00:00.000Z' },
      odd: { type: 'long', value: '1); x(' },
    };
    const program = programOf('go', { ...TYPED, applicationProperties: values });
    expect(program).toContain('time.UnixMilli(1777636800000).UTC()');
    expect(program).toContain('"odd": "1); x("');
  });

  it.each([
    ['"as JSON"', 'as JSON'],
    ['{"a":1}', { a: 1 }],
    ['no JSON', Buffer.from('no JSON')],
  ])('has a body in JavaScript of which the SDK makes the same bytes: %s', async (text, body) => {
    const message = { ...TYPED, body: { kind: 'text', section: 'data', sizeBytes: 1, text } } as const;
    expect(await run(programOf('js', message))).toMatchObject({ body });
  });

  it('keeps types and the time to live in JavaScript', async () => {
    expect(await run(programOf('js', TYPED))).toEqual({
      ...{ messageId: 'ord-1', timeToLive: 1500, body: { a: { b: 1 } } },
      applicationProperties: {
        vip: true,
        old: false,
        total: 18.9,
        nothing: null,
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
    const program = programOf(language, TYPED);
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
    expect(programOf(language, BYTES)).toContain(expected);
  });

  it.each([
    ['csharp', /ReplyToSessionId = "x"/],
    ['java', /setReplyToSessionId\("x"\)/],
    ['python', /reply_to_session_id="x"/],
    ['go', /ReplyToSessionID: to\.Ptr\("x"\)/],
  ] as const)('names properties as %s does', (language, expected) => {
    const message: Message = {
      ...BYTES,
      replyToSessionId: 'x',
    };
    expect(programOf(language, message)).toMatch(expected);
  });

  it('sends a body that is an AMQP value as one, in languages whose SDK can', () => {
    const five = withValue('int', 5);
    expect(programOf('csharp', five)).toContain(
      'new ServiceBusMessage()\n{\n};\nmessage.GetRawAmqpMessage().Body = AmqpMessageBody.FromValue(5);',
    );
    expect(programOf('java', five)).toContain('new ServiceBusMessage(AmqpMessageBody.fromValue(5));');
    const text: Body = { kind: 'text', section: 'value', sizeBytes: 2, text: 'a' };
    expect(programOf('java', { body: text })).toContain('AmqpMessageBody.fromValue("a")');
    expect(programOf('java', { body: text })).not.toContain('//');
  });

  it.each([
    ['js', '// The body is an AMQP value. This program sends it as JSON.', 'body: 5,'],
    ['python', '# The body is an AMQP value. This program sends it as text.', '    "5",'],
    ['go', '// The body is an AMQP value. This program sends it as text.', '[]byte("5")'],
    ['curl', '# The body is an AMQP value. This program sends it as text.', '"body": "5"'],
  ] as const)('sends an AMQP value without its type in %s, and says so', (language, note, body) => {
    const program = programOf(language, withValue('int', 5));
    expect(program.split('\n')[0]).toBe(note);
    expect(program).toContain(body);
  });

  it.each(COPY_LANGUAGES)('sends lists without the types of their items, and says so, in %s', (language) => {
    const value: Typed[] = [
      { type: 'int', value: 5 },
      { type: 'string', value: 'a' },
    ];
    const ofList = programOf(language, withValue('list', value));
    expect(ofList).toContain(' The body is an AMQP value.');
    const list = { type: 'list', value };
    const ofSequence = programOf(language, {
      body: { kind: 'sequence', section: 'sequence', sizeBytes: 2, value: [list] },
    });
    expect(ofSequence).toContain(' The body is an AMQP sequence.');
    for (const program of [ofList, ofSequence]) expect(program).not.toContain('type');
  });

  it('says which types of properties it does not send', () => {
    const program = programOf('curl', withProperty('decimal', 'AAAA'));
    expect(program).toMatch(/^# A property of type decimal is not sent\.\ncurl /);
    expect(program).not.toContain('applicationProperties');
  });

  it.each(COPY_LANGUAGES)('does not send what dead-lettering has added in %s', (language) => {
    const applicationProperties: Message['applicationProperties'] = {
      DeadLetterReason: { type: 'string', value: 'why' },
      DeadLetterErrorDescription: { type: 'string', value: 'because' },
      region: { type: 'string', value: 'EU' },
    };
    const program = programOf(language, { applicationProperties, deadLetterReason: 'why' });
    expect(program).toContain('region');
    expect(program).not.toContain('DeadLetter');
  });

  it.each([
    ['events/Subscriptions/audit', 'events'],
    ['events/Subscriptions/audit/$DeadLetterQueue', 'events'],
    ['orders/$DeadLetterQueue', 'orders'],
  ])('of a message in %s goes to %s with curl', (store, entity) => {
    expect(curlOf({}, store).words).toContain(`http://localhost:5300/%24jitney/v1/messages?entity=${entity}`);
  });

  it('has a place for a token with curl where keys are checked, and says how to get one', () => {
    info.value = { auth: 'strict' } as InfoAnswer;
    const program = programOf('curl', {});
    info.value = undefined;
    expect(program).toMatch(/^# .*TOKEN.*\n# http:\/\/localhost:5300\/metadata\/identity.*\n# .*\ncurl /);
    expect(program).toContain('-H "Authorization: Bearer $TOKEN"');
    expect(programOf('curl', {})).not.toMatch(/Authorization|#/);
  });

  it.each([
    ['double', 18, 'float(18)'],
    ['float', 2, 'float(2)'],
    ['double', 1.5, '1.5'],
    ['long', 2147483647, '2147483647'],
    ['long', 2147483648, '{"TYPE": "LONG", "VALUE": 2147483648}'],
    ['ulong', '18446744073709551615', '{"TYPE": "ULONG", "VALUE": 18446744073709551615}'],
  ])('writes a %s of %s as its SDK sends one in Python: %s', (type, value, expected) => {
    expect(programOf('python', withProperty(type, value))).toContain(`"one": ${expected},`);
  });

  it.each([
    ['x', "'x'"],
    ["'", '(char) 39'],
    ['\\', '(char) 92'],
    ['\n', '(char) 10'],
    ['\u00e9', '(char) 233'],
    ['\ud800', '(char) 55296'],
    ['\u{1f600}', '"\u{1f600}"'],
  ])('writes the character %j as %s in C# and Java', (value, expected) => {
    const message = withProperty('char', value);
    expect(programOf('csharp', message)).toContain(`["one"] = ${expected};`);
    expect(programOf('java', message)).toContain(`put("one", ${expected});`);
  });

  it.each([
    ['ubyte', 255, 'UnsignedByte.valueOf("255")'],
    ['ushort', 65535, 'UnsignedShort.valueOf("65535")'],
    ['uint', 4294967295, 'UnsignedInteger.valueOf("4294967295")'],
    ['ulong', '18446744073709551615', 'UnsignedLong.valueOf("18446744073709551615")'],
    ['symbol', 'a', 'Symbol.valueOf("a")'],
  ])('writes a %s as one of the types of proton-j in Java', (type, value, expected) => {
    const program = programOf('java', withProperty(type, value));
    expect(program).toContain(`put("one", org.apache.qpid.proton.amqp.${expected});`);
  });
});
