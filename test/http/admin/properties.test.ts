// Every property of every kind of entity, out of the tables themselves: taken, told, left out, and refused.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { officialName } from '../../../src/description/entity-property.js';
import { QUEUE_SCHEMA, SUBSCRIPTION_SCHEMA, TOPIC_SCHEMA } from '../../../src/http/admin/entity-schemas.js';
import { type HttpUnderTest, openHttpUnderTest } from '../support/http-under-test.js';

const NEVER = 'P10675199DT2H48M5.4775807S';

type Sample = {
  readonly given: string;
  /** As it is told, where that is not as it is given. */
  readonly told?: string;
  /** What is told when nothing is given; `undefined`: nothing. */
  readonly unset: string | undefined;
  /** Cannot be, with words of the answer. */
  readonly refused: readonly [given: string, words: string];
};

const BOOLEAN = { refused: ['maybe', 'must be true or false, not "maybe"'] } as const;

const SAMPLES: Readonly<Record<string, Sample>> = {
  LockDuration: { given: 'PT5M', unset: 'PT1M', refused: ['PT5M1S', 'must be at most PT5M, not "PT5M1S"'] },
  MaxDeliveryCount: {
    given: '3',
    unset: '10',
    refused: ['0', 'must be a whole number from 1 to 2147483647, not 0'],
  },
  MaxSizeInMegabytes: { given: '2048', unset: '1024', refused: ['1.5', 'must be a whole number'] },
  MaxMessageSizeInKilobytes: {
    given: '128',
    unset: '256',
    refused: ['x', 'must be a whole number from 1 to 102400, not "x"'],
  },
  RequiresSession: { given: 'true', unset: 'false', ...BOOLEAN },
  RequiresDuplicateDetection: { given: 'true', unset: 'false', ...BOOLEAN },
  DuplicateDetectionHistoryTimeWindow: {
    given: 'PT20S',
    unset: 'PT10M',
    refused: ['P8D', 'must be at most P7D'],
  },
  DefaultMessageTimeToLive: { given: 'P14D', unset: NEVER, refused: ['PT0S', 'must be at least PT1S'] },
  DeadLetteringOnMessageExpiration: { given: 'true', unset: 'false', ...BOOLEAN },
  DeadLetteringOnFilterEvaluationExceptions: { given: 'false', unset: 'true', ...BOOLEAN },
  EnableBatchedOperations: { given: 'false', unset: 'true', ...BOOLEAN },
  EnablePartitioning: { given: 'true', unset: 'false', ...BOOLEAN },
  EnableExpress: { given: 'true', unset: 'false', ...BOOLEAN },
  SupportOrdering: { given: 'false', unset: 'true', ...BOOLEAN },
  Status: { given: 'Disabled', unset: 'Active', refused: ['Renaming', 'must be one of Active, Disabled, '] },
  AutoDeleteOnIdle: { given: 'PT5M', unset: NEVER, refused: ['PT4M', 'must be at least PT5M'] },
  ForwardTo: {
    given: 'sb://localhost:5300/other',
    unset: undefined,
    refused: ['sb://localhost:5300/...', 'must hold only A-Z'],
  },
  ForwardDeadLetteredMessagesTo: {
    given: 'sb://localhost:5300/other',
    unset: undefined,
    refused: ['sb://localhost:5300/...', 'must hold only A-Z'],
  },
  UserMetadata: {
    given: ' a &lt;b&gt; &amp; ü ',
    unset: undefined,
    refused: ['x'.repeat(1025), 'must be at most 1024 characters long, but it has 1025'],
  },
  AuthorizationRules: {
    given:
      '<AuthorizationRule i:type="SharedAccessAuthorizationRule"><ClaimType>SharedAccessKey</ClaimType>' +
      '<ClaimValue>None</ClaimValue><Rights><AccessRights>Listen</AccessRights><AccessRights>Send</AccessRights></Rights>' +
      '<KeyName>k &amp; k</KeyName><PrimaryKey>p</PrimaryKey><SecondaryKey>s</SecondaryKey></AuthorizationRule>',
    told:
      '<AuthorizationRule i:type="SharedAccessAuthorizationRule"><ClaimType>SharedAccessKey</ClaimType>' +
      '<ClaimValue>None</ClaimValue><Rights><AccessRights>Send</AccessRights><AccessRights>Listen</AccessRights></Rights>' +
      '<KeyName>k &amp; k</KeyName><PrimaryKey>p</PrimaryKey><SecondaryKey>s</SecondaryKey></AuthorizationRule>',
    unset: undefined,
    refused: [
      '<AuthorizationRule><Rights><AccessRights>Own</AccessRights></Rights><KeyName>k</KeyName></AuthorizationRule>',
      'must be one of Manage, Send, Listen, not "Own"',
    ],
  },
};

/** What cannot be changed once the entity is there. */
const FIXED = ['RequiresSession', 'RequiresDuplicateDetection', 'EnablePartitioning'];

const KINDS = [
  { kind: QUEUE_SCHEMA, path: '/made' },
  { kind: TOPIC_SCHEMA, path: '/made' },
  { kind: SUBSCRIPTION_SCHEMA, path: '/news/Subscriptions/made' },
];

const CASES = KINDS.flatMap(({ kind, path }) =>
  kind.properties.map(({ name }) => ({ element: kind.element, path, name: officialName(name) })),
);

let http: HttpUnderTest;

beforeEach(async () => {
  http = await openHttpUnderTest({ queues: ['other'], topics: ['news'] });
});

afterEach(async () => {
  expect(http.faults).toEqual([]);
  await http.stop();
});

describe.each(CASES)('$name of a $element', ({ element, path, name }) => {
  const { given, told = given, unset, refused } = sampleOf(name);

  it('is returned as it was given', async () => {
    const put = await http.put(path, element, `<${name}>${given}</${name}>`);
    expect(put.status).toBe(201);
    expect(put.xmlOf(name)).toBe(told);
    expect((await http.ask('GET', path)).xmlOf(name)).toBe(told);
  });

  it('has its default when it is missing or empty', async () => {
    expect((await http.put(path, element, '')).xmlOf(name)).toBe(unset);
    await http.ask('DELETE', path);
    // Of metadata blanks are a text like any other.
    const empty = name === 'UserMetadata' ? '' : ' ';
    expect((await http.put(path, element, `<${name}>${empty}</${name}>`)).xmlOf(name)).toBe(unset);
    await http.ask('DELETE', path);
    expect((await http.put(path, element, `<${name} i:nil="true"/>`)).xmlOf(name)).toBe(unset);
  });

  it(
    FIXED.includes(name) ? 'stays where an update leaves it out' : 'is gone where an update leaves it out',
    async () => {
      await http.put(path, element, `<${name}>${given}</${name}>`);
      const updated = await http.update(path, element, '');
      expect(updated.status).toBe(200);
      expect(updated.xmlOf(name)).toBe(FIXED.includes(name) ? told : unset);
    },
  );

  it(FIXED.includes(name) ? 'cannot be changed' : 'can be changed', async () => {
    await http.put(path, element, '');
    const updated = await http.update(path, element, `<${name}>${given}</${name}>`);
    expect(updated.status).toBe(FIXED.includes(name) ? 400 : 200);
    const expected = FIXED.includes(name) ? unset : told;
    expect((await http.ask('GET', path)).xmlOf(name)).toBe(expected);
  });

  it('is refused by name when it is invalid', async () => {
    const [value, words] = refused;
    const answer = await http.put(path, element, `<${name}>${value}</${name}>`);
    expect(answer.status).toBe(400);
    const subCode = path.includes('Subscriptions') ? '' : 'SubCode=40000. ';
    expect(answer.valueOf('Detail')).toMatch(`${subCode}${name}`);
    expect(answer.valueOf('Detail')).toContain(words);
    expect(await http.exists(path)).toBe(false);
  });

  it('is refused when it is given twice', async () => {
    const once = `<${name}>${given}</${name}>`;
    const answer = await http.put(path, element, once + once);
    expect(answer.status).toBe(400);
    expect(answer.valueOf('Detail')).toContain(`${name} is given twice`);
  });
});

describe.each(KINDS)('a $kind.element', ({ kind, path }) => {
  it('has every property of its table in the order of the service, and nothing that is not there', () => {
    const properties = kind.properties.map(({ name }) => officialName(name));
    expect(kind.order).toEqual(expect.arrayContaining(properties));
    expect(new Set(kind.order).size).toBe(kind.order.length);
    expect(
      [...new Set([...properties, ...Object.keys(kind.computed), ...Object.keys(kind.constant)])].sort(),
    ).toEqual([...kind.order].sort());
  });

  it('is returned in that order', async () => {
    await http.put(path, kind.element, '');
    const { properties } = await http.ask('GET', path);
    expect(properties.length).toBeGreaterThan(14);
    expect(properties).toEqual(kind.order.filter((name) => properties.includes(name)));
  });

  it('can be sent back as it was returned, which changes nothing', async () => {
    const elements = kind.properties
      .map(({ name }) => officialName(name))
      .filter((name) => name !== 'Status');
    // With sessions nothing can be forwarded.
    const given = elements.filter((name) => name !== 'RequiresSession');
    await http.put(
      path,
      kind.element,
      given.map((name) => `<${name}>${sampleOf(name).given}</${name}>`).join(''),
    );
    const before = await http.ask('GET', path);
    const updated = await http.update(path, kind.element, before.xmlOf(kind.element) ?? '');
    expect(updated.status).toBe(200);
    expect((await http.ask('GET', path)).text).toBe(before.text);
  });
});

describe('values are taken in the forms that clients write:', () => {
  it.each([
    ['EnableExpress', 'True', 'true'],
    ['EnableExpress', '1', 'true'],
    ['EnableBatchedOperations', '0', 'false'],
    ['EnableBatchedOperations', ' FALSE ', 'false'],
    ['MaxDeliveryCount', ' 7 ', '7'],
    ['LockDuration', '\n PT30S ', 'PT30S'],
    ['LockDuration', '00:00:30', 'PT30S'],
    ['LockDuration', 'PT60S', 'PT1M'],
    ['DefaultMessageTimeToLive', NEVER, NEVER],
    ['DefaultMessageTimeToLive', 'P10675199DT2H48M5.477S', NEVER],
    ['Status', 'senddisabled', 'SendDisabled'],
    ['ForwardTo', 'sb://elsewhere.example/other', 'sb://localhost:5300/other'],
    ['ForwardTo', 'https://localhost:5300/other/', 'https://localhost:5300/other'],
    ['ForwardTo', 'HTTPS://elsewhere.example/OTHER', 'https://localhost:5300/OTHER'],
    ['ForwardDeadLetteredMessagesTo', 'SB://LOCALHOST/other', 'sb://localhost:5300/other'],
    ['ForwardDeadLetteredMessagesTo', 'sb://localhost/a%2Fb', 'sb://localhost:5300/a/b'],
    ['UserMetadata', ' \n ', ' \n '],
    ['UserMetadata', '<![CDATA[<x>&amp;]]>', '&lt;x&gt;&amp;amp;'],
  ])('%s %s is %s', async (name, given, told) => {
    await http.put('/a/b', 'QueueDescription', '');
    const answer = await http.put('/made', 'QueueDescription', `<${name}>${given}</${name}>`);
    expect(answer.xmlOf(name)).toBe(told);
  });

  it('targets of forwarding keep their schemes, each its own, until they are given others', async () => {
    const [first, second] = ['<ForwardTo>https://x/other</ForwardTo>', '<ForwardTo>sb://x/other</ForwardTo>'];
    const dead = '<ForwardDeadLetteredMessagesTo>http://x/other</ForwardDeadLetteredMessagesTo>';
    await http.put('/made', 'QueueDescription', `${first}${dead}<Odd>1</Odd>`);
    const told = await http.ask('GET', '/made');
    expect(told.xmlOf('ForwardTo')).toBe('https://localhost:5300/other');
    expect(told.xmlOf('ForwardDeadLetteredMessagesTo')).toBe('http://localhost:5300/other');
    expect(told.text).toMatch(/<\/MaxMessageSizeInKilobytes><Odd>1<\/Odd><\/QueueDescription>/);
    await http.update('/made', 'QueueDescription', told.xmlOf('QueueDescription') ?? '');
    expect((await http.ask('GET', '/made')).text).toBe(told.text);
    const other = await http.update('/made', 'QueueDescription', second);
    expect(other.xmlOf('ForwardTo')).toBe('sb://localhost:5300/other');
  });

  it.each([
    ['sb://localhost:5300/nowhere', "SubCode=40400. forwardTo of queue 'made' is 'nowhere'"],
    ['sb://localhost:5300/', 'SubCode=40000. ForwardTo must hold only A-Z'],
    // It is a queue, and Azure takes no bare name.
    ['other', 'SubCode=40000. ForwardTo must be an address such as sb://localhost/orders, not "other"'],
  ])('a forward to %s is refused', async (target, words) => {
    const answer = await http.put('/made', 'QueueDescription', `<ForwardTo>${target}</ForwardTo>`);
    expect([answer.status, answer.valueOf('Detail')]).toEqual([400, expect.stringContaining(words)]);
  });

  it('a property that holds elements is refused', async () => {
    const answer = await http.put('/made', 'QueueDescription', '<LockDuration><x/></LockDuration>');
    expect(answer.status).toBe(400);
    expect(answer.valueOf('Detail')).toContain('<LockDuration> must hold text only, but it holds <x>');
  });

  it('whatever their namespace, or without one', async () => {
    const inner =
      '<x:LockDuration xmlns:x="urn:other">PT5S</x:LockDuration><MaxDeliveryCount xmlns="">4</MaxDeliveryCount>';
    const answer = await http.put('/made', 'QueueDescription', inner);
    expect([answer.valueOf('LockDuration'), answer.valueOf('MaxDeliveryCount')]).toEqual(['PT5S', '4']);
  });
});

describe('authorization rules', () => {
  const rule = (inner: string) =>
    `<AuthorizationRules><AuthorizationRule>${inner}</AuthorizationRule></AuthorizationRules>`;

  it('may have no keys', async () => {
    const given = rule('<Rights><AccessRights>Send</AccessRights></Rights><KeyName>k</KeyName><PrimaryKey/>');
    const answer = await http.put('/made', 'QueueDescription', given);
    expect(answer.status).toBe(201);
    expect(answer.text).toContain('<KeyName>k</KeyName><PrimaryKey/><SecondaryKey/>');
  });

  it('have times of creation and change only where a client has sent them, in its own words', async () => {
    const named = '<Rights><AccessRights>Send</AccessRights></Rights>';
    const times =
      '<CreatedTime>2020-01-02T03:04:05.1234567Z</CreatedTime><ModifiedTime>2021-01-01T00:00:00Z</ModifiedTime>';
    const plain = await http.put('/made', 'QueueDescription', rule(`${named}<KeyName>k</KeyName>`));
    expect(plain.text).not.toMatch(/CreatedTime|ModifiedTime/);
    await http.update('/made', 'QueueDescription', rule(`${named}${times}<KeyName>k</KeyName>`));
    expect((await http.ask('GET', '/made')).text).toContain(`</Rights>${times}<KeyName>k</KeyName>`);
  });

  it('are an empty element when there are none', async () => {
    expect((await http.put('/made', 'TopicDescription', '')).text).toContain('<AuthorizationRules/>');
  });

  it('that are invalid are refused with the reason', async () => {
    const given = rule('<Rights><AccessRights>Manage</AccessRights></Rights><KeyName>k</KeyName>');
    const answer = await http.put('/made', 'QueueDescription', given);
    expect([answer.status, answer.valueOf('Detail')]).toEqual([
      400,
      expect.stringContaining('together with Manage'),
    ]);
  });
});

function sampleOf(name: string): Sample {
  const sample = SAMPLES[name];
  if (sample === undefined) throw new Error(`there is no sample of ${name}; add one`);
  return sample;
}
