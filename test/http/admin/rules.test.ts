// Rules over HTTP: every kind of filter and action, and every type of value, there and back.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, type HttpUnderTest, openHttpUnderTest } from '../support/http-under-test.js';

const KIND = 'RuleDescription';
const SUBSCRIPTION = '/News/Subscriptions/All';
const PATH = `${SUBSCRIPTION}/Rules/Mine`;
const SCHEMA = 'http://www.w3.org/2001/XMLSchema';
const SERIALIZATION = 'http://schemas.microsoft.com/2003/10/Serialization/';
const INSTANCE = 'http://www.w3.org/2001/XMLSchema-instance';
const LEVEL = '<CompatibilityLevel>20</CompatibilityLevel>';
const EVERYTHING = '<Filter i:type="TrueFilter"/>';

let http: HttpUnderTest;

beforeEach(async () => {
  http = await openHttpUnderTest({ queues: ['orders'], topics: [{ name: 'News', subscriptions: ['All'] }] });
});

afterEach(async () => {
  expect(http.faults).toEqual([]);
  await http.stop();
});

/** As the broker has it. */
async function brokerRule(): Promise<unknown> {
  const result = await http.engine.ask({
    kind: 'get-rule',
    entityPath: 'news/subscriptions/all',
    name: 'mine',
  });
  return result.kind === 'rules' ? result.rules[0]?.description : result;
}

describe('a rule', () => {
  it('can be created once, read, changed and deleted once', async () => {
    expect((await http.update(PATH, KIND, EVERYTHING)).status).toBe(404);
    expect((await http.put(PATH, KIND, EVERYTHING)).status).toBe(201);
    const again = await http.put(PATH, KIND, EVERYTHING);
    expect([again.status, again.valueOf('Detail')]).toEqual([
      409,
      expect.stringMatching(/^The messaging entity 'news\/Subscriptions\/All\/Mine' already exists\./),
    ]);
    expect((await http.update(PATH, KIND, '<Filter i:type="FalseFilter"/>')).status).toBe(200);
    expect((await http.ask('GET', PATH)).text).toContain('<Filter i:type="FalseFilter">');
    expect((await http.ask('DELETE', PATH)).status).toBe(200);
    expect((await http.ask('DELETE', PATH)).status).toBe(404);
    expect((await http.ask('GET', PATH)).status).toBe(404);
  });

  it('is an entry with the address as requested, its name as created and the time of its creation [ENT-02]', async () => {
    http.clock.advance(1);
    await http.put(PATH, KIND, EVERYTHING);
    const { text } = await http.ask('GET', '/nEWS/subscriptions/all/rULES/mINE');
    expect(text).toContain(
      '<id>http://localhost:5300/nEWS/subscriptions/all/rULES/mINE</id><title type="text">Mine</title>',
    );
    expect(text).toContain(
      '<RuleDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect" ' +
        `xmlns:i="${INSTANCE}"><Filter i:type="TrueFilter"><SqlExpression>1=1</SqlExpression>${LEVEL}</Filter>` +
        '<Action i:type="EmptyRuleAction"/><CreatedAt>2026-01-01T00:00:00.0010000Z</CreatedAt><Name>Mine</Name></RuleDescription>',
    );
  });

  it.each([
    ['/none/Subscriptions/s/Rules/r', 404],
    ['/News/Subscriptions/none/Rules/r', 404],
    [`${SUBSCRIPTION}/Rules/${'r'.repeat(51)}`, 400],
    [`${SUBSCRIPTION}/Rules/...`, 400],
  ])('at %s is refused with %i', async (path, status) => {
    expect((await http.put(path, KIND, EVERYTHING)).status).toBe(status);
  });

  it.each([
    ['a name that it cannot have', `${SUBSCRIPTION}/Rules/...`, EVERYTHING],
    ['a filter that it cannot have', PATH, '<Filter i:type="Odd"/>'],
    ['what is no XML', PATH, '<'],
  ])('is refused for %s, and the error says in which subscription', async (_, path, given) => {
    const answer = await http.put(path, KIND, given);
    expect([answer.status, answer.valueOf('Detail')]).toEqual([
      400,
      expect.stringContaining('SystemTracker:localhost:5300:Topic:News|All, '),
    ]);
  });

  it('is refused as a whole where its SQL cannot be read', async () => {
    const answer = await http.put(
      PATH,
      KIND,
      '<Filter i:type="SqlFilter"><SqlExpression>a = = 1</SqlExpression></Filter>',
    );
    expect([answer.status, answer.valueOf('Detail')]).toEqual([
      400,
      expect.stringContaining('line 1, column 5'),
    ]);
    expect((await http.ask('GET', PATH)).status).toBe(404);
  });
});

describe('a filter', () => {
  it.each([
    ['nothing', '', { kind: 'true' }],
    ['an empty filter', '<Filter/>', { kind: 'true' }],
    ['a filter that is said to be none', '<Filter i:type="SqlFilter" i:nil="true"/>', { kind: 'true' }],
    [
      'a TrueFilter',
      '<Filter i:type="TrueFilter"><SqlExpression>1=1</SqlExpression></Filter>',
      { kind: 'true' },
    ],
    ['a FalseFilter', '<Filter i:type="FalseFilter"/>', { kind: 'false' }],
    [
      'a SqlFilter, whatever the prefix of its type',
      `<Filter p4:type="SqlFilter" xmlns:p4="${INSTANCE}"><SqlExpression>1=1</SqlExpression></Filter>`,
      { kind: 'sql', expression: '1=1' },
    ],
    [
      'SQL without a type',
      '<Filter><SqlExpression>a = 1</SqlExpression></Filter>',
      { kind: 'sql', expression: 'a = 1' },
    ],
    [
      'a CorrelationFilter',
      '<Filter i:type="CorrelationFilter"><Label>x</Label><To i:nil="true"/></Filter>',
      { kind: 'correlation', subject: 'x' },
    ],
    [
      'a CorrelationFilter with an empty text, which messages may have',
      '<Filter i:type="CorrelationFilter"><Label></Label></Filter>',
      { kind: 'correlation', subject: '' },
    ],
  ])('is read from %s', async (_, given, filter) => {
    expect((await http.put(PATH, KIND, given)).status).toBe(201);
    expect(await brokerRule()).toEqual({ name: 'Mine', filter, action: undefined });
  });

  it('by properties is returned with all of them, in the order of the service', async () => {
    const fields = [
      'CorrelationId',
      'MessageId',
      'To',
      'ReplyTo',
      'Label',
      'SessionId',
      'ReplyToSessionId',
      'ContentType',
    ];
    const elements = fields.map((name) => `<${name}>its ${name} &amp;</${name}>`);
    await http.put(
      PATH,
      KIND,
      `<Filter i:type="CorrelationFilter">${[...elements].reverse().join('')}</Filter>`,
    );
    expect((await http.ask('GET', PATH)).xmlOf('Filter')).toBe(elements.join(''));
    expect(await brokerRule()).toMatchObject({
      filter: { subject: 'its Label &', sessionId: 'its SessionId &' },
    });
  });

  it('by no property at all is refused', async () => {
    const answer = await http.put(
      PATH,
      KIND,
      '<Filter i:type="CorrelationFilter"><Label i:nil="true"/></Filter>',
    );
    expect([answer.status, answer.valueOf('Detail')]).toEqual([400, expect.stringContaining('names none')]);
  });

  it.each([
    [
      '<Filter i:type="Odd"/>',
      'Filter must be of type SqlFilter, CorrelationFilter, TrueFilter or FalseFilter, not "Odd"',
    ],
    ['<Filter i:type="q:SqlFilter"/>', "prefix 'q' is not declared"],
    ['<Filter i:type="SqlFilter"/>', 'Filter must have a SqlExpression'],
    ['<Filter i:type="CorrelationFilter"><To><x/></To></Filter>', '<To> must hold text only'],
  ])('cannot be %s', async (given, words) => {
    const answer = await http.put(PATH, KIND, given);
    expect([answer.status, answer.valueOf('Detail')]).toEqual([400, expect.stringContaining(words)]);
  });
});

describe('an action', () => {
  const SQL = "<SqlExpression>SET a = 'b'</SqlExpression>";

  it.each([
    ['an EmptyRuleAction', '<Action i:type="EmptyRuleAction"/>', undefined],
    [
      'a SqlRuleAction',
      `<Action i:type="SqlRuleAction">${SQL}</Action>`,
      { kind: 'sql', expression: "SET a = 'b'" },
    ],
    [
      'SQL as an old client has it',
      `<Action i:type="SqlFilterExpression">${SQL}</Action>`,
      { kind: 'sql', expression: "SET a = 'b'" },
    ],
    ['nothing', '', undefined],
  ])('is read from %s', async (_, given, action) => {
    await http.put(PATH, KIND, EVERYTHING + given);
    expect(await brokerRule()).toMatchObject({ action });
  });

  it('is returned with its SQL and parameters', async () => {
    const parameters = pairs(value('@p', 'l28:string', 'x'));
    const sql = `<SqlExpression>SET a = @p</SqlExpression><Parameters>${parameters}</Parameters>`;
    await http.put(PATH, KIND, `${EVERYTHING}<Action i:type="SqlRuleAction">${sql}</Action>`);
    expect((await http.ask('GET', PATH)).text).toContain(
      `<Action i:type="SqlRuleAction"><SqlExpression>SET a = @p</SqlExpression>${LEVEL}<Parameters>` +
        `<KeyValueOfstringanyType><Key>@p</Key><Value i:type="d6p1:string" xmlns:d6p1="${SCHEMA}">x</Value>` +
        '</KeyValueOfstringanyType></Parameters></Action>',
    );
  });
});

describe('a value', () => {
  it.each<[type: string, text: string, told: string, toldText: string, kept: unknown]>([
    ['string', ' x &amp; y ', 'string', ' x &amp; y ', ' x & y '],
    ['boolean', 'true', 'boolean', 'true', true],
    ['boolean', '0', 'boolean', 'false', false],
    ['int', '5', 'int', '5', { type: 'int', value: '5' }],
    ['short', ' -5 ', 'int', '-5', { type: 'int', value: '-5' }],
    ['long', '5', 'long', '5', { type: 'long', value: '5' }],
    ['long', '2147483648', 'long', '2147483648', { type: 'long', value: '2147483648' }],
    [
      'long',
      '-9223372036854775808',
      'long',
      '-9223372036854775808',
      { type: 'long', value: '-9223372036854775808' },
    ],
    ['double', '5', 'double', '5', { type: 'double', value: '5' }],
    ['double', '1.50E3', 'double', '1500', { type: 'double', value: '1500' }],
    ['double', '-INF', 'double', '-INF', { type: 'double', value: '-Infinity' }],
    ['float', '.5', 'double', '0.5', { type: 'double', value: '0.5' }],
    [
      'dateTime',
      '2026-01-02T03:04:05.678Z',
      'dateTime',
      '2026-01-02T03:04:05.678Z',
      { type: 'timestamp', value: Date.UTC(2026, 0, 2, 3, 4, 5, 678) },
    ],
    [
      'dateTime',
      ' 2026-01-02T03:04:05.6789999',
      'dateTime',
      '2026-01-02T03:04:05.6789999',
      { type: 'timestamp', value: Date.UTC(2026, 0, 2, 3, 4, 5, 678) },
    ],
    [
      'dateTime',
      '2026-01-02T03:04:05+01:00',
      'dateTime',
      '2026-01-02T03:04:05+01:00',
      { type: 'timestamp', value: Date.UTC(2026, 0, 2, 2, 4, 5) },
    ],
  ])('of type %s %s is written as %s %s', async (type, text, told, toldText, kept) => {
    expect((await putValue(value('k', `l28:${type}`, text))).status).toBe(201);
    expect((await http.ask('GET', PATH)).text).toContain(
      `<Properties><KeyValueOfstringanyType><Key>k</Key><Value i:type="d6p1:${told}" xmlns:d6p1="${SCHEMA}">${toldText}</Value>`,
    );
    expect(await brokerRule()).toMatchObject({ filter: { properties: { k: kept } } });
  });

  it.each(['P1DT2H3M', '-PT0.0000001S', 'P10675199DT2H48M5.4775807S'])(
    'that is the duration %s is a duration of .NET, whichever namespace its client has named [SQL-20]',
    async (text) => {
      await putValue(value('k', 'l28:duration', text));
      const told = `<Value i:type="d6p1:duration" xmlns:d6p1="${SERIALIZATION}">${text}</Value>`;
      const { text: answer } = await http.ask('GET', PATH);
      expect(answer).toContain(told);
      expect(
        (
          await http.update(
            PATH,
            KIND,
            /<RuleDescription[^>]*>(.*)<\/RuleDescription>/s.exec(answer)?.[1] ?? '',
          )
        ).text,
      ).toContain(told);
      expect(await brokerRule()).toMatchObject({
        filter: { properties: { k: { type: 'duration', value: text } } },
      });
    },
  );

  it('that is a guid is a guid of .NET, not of XML Schema', async () => {
    const guid = '01234567-89ab-cdef-0123-456789abcdef';
    const given = `<KeyValueOfstringanyType><Key>k</Key><Value i:type="s:guid" xmlns:s="${SERIALIZATION}">${guid.toUpperCase()}</Value></KeyValueOfstringanyType>`;
    await putValue(given);
    expect((await http.ask('GET', PATH)).text).toContain(
      `<Value i:type="d6p1:guid" xmlns:d6p1="${SERIALIZATION}">${guid}</Value>`,
    );
  });

  it('without a type is a text', async () => {
    await putValue('<KeyValueOfstringanyType><Key>k</Key><Value>5</Value></KeyValueOfstringanyType>');
    expect(await brokerRule()).toMatchObject({ filter: { properties: { k: '5' } } });
  });

  it.each([
    ['int', '2147483648'],
    ['int', '1.5'],
    ['long', '9223372036854775808'],
    ['double', ''],
    ['double', '0x10'],
    ['boolean', 'yes'],
    ['dateTime', '2026-13-01T00:00:00Z'],
    ['dateTime', 'today'],
    ['duration', 'P'],
    ['duration', '01:00:00'],
    ['duration', 'P10675200D'],
    ['base64Binary', 'AA=='],
  ])('of type %s cannot be %s', async (type, text) => {
    const answer = await putValue(value('k', `l28:${type}`, text));
    expect([answer.status, answer.valueOf('Detail')]).toEqual([
      400,
      expect.stringContaining(
        `Filter Properties "k" must have a value of type string, int, long, double, boolean, dateTime, duration and guid, not "${text}" of type "${type}"`,
      ),
    ]);
  });

  it.each([
    ['of a type that is declared nowhere', value('k', 'zz:int', '5'), "prefix 'zz' is not declared"],
    [
      'of a type of another namespace',
      `<K><Key>k</Key><Value i:type="o:int" xmlns:o="urn:o">5</Value></K>`,
      'must have a value of type',
    ],
    [
      'without a key',
      '<KeyValueOfstringanyType><Value>5</Value></KeyValueOfstringanyType>',
      'must hold a Key and a Value',
    ],
    ['given twice', value('k', 'l28:int', '5') + value('k', 'l28:int', '6'), '"k" is given twice'],
  ])('%s is refused', async (_, given, words) => {
    const answer = await putValue(given);
    expect([answer.status, answer.valueOf('Detail')]).toEqual([400, expect.stringContaining(words)]);
  });

  it('may be called like anything that objects have', async () => {
    expect(
      (await putValue(value('__proto__', 'l28:int', '5') + value('constructor', 'l28:int', '6'))).status,
    ).toBe(201);
    const { text } = await http.ask('GET', PATH);
    expect(text).toContain('<Key>__proto__</Key>');
    expect(text).toContain('<Key>constructor</Key>');
  });

  it('of SQL becomes its parameter', async () => {
    const parameters = `<Parameters>${pairs(value('@n', 'l28:double', '5'))}</Parameters>`;
    await http.put(
      PATH,
      KIND,
      `<Filter i:type="SqlFilter"><SqlExpression>a = @n</SqlExpression>${parameters}</Filter>`,
    );
    expect(await brokerRule()).toMatchObject({
      filter: { parameters: { '@n': { type: 'double', value: '5' } } },
    });
  });
});

function value(key: string, type: string, text: string): string {
  return `<KeyValueOfstringanyType><Key>${key}</Key><Value i:type="${type}" xmlns:l28="${SCHEMA}">${text}</Value></KeyValueOfstringanyType>`;
}

function pairs(...all: readonly string[]): string {
  return all.join('');
}

function putValue(given: string): Promise<Answer> {
  return http.put(
    PATH,
    KIND,
    `<Filter i:type="CorrelationFilter"><Properties>${given}</Properties></Filter>`,
  );
}
