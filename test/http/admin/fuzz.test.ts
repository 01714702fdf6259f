// Random requests: whatever comes, it is answered, with no fault of ours, and the next one is answered as well.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countFor } from '../../support/thorough.js';
import { openHttpUnderTest } from '../support/http-under-test.js';

const RUNS = countFor(400, 3000);

const method = fc.oneof(
  { arbitrary: fc.constantFrom('GET', 'PUT', 'DELETE'), weight: 4 },
  fc.constantFrom('POST', 'HEAD', 'PATCH', 'OPTIONS'),
);
const segment = fc.oneof(
  fc.constantFrom(
    'orders',
    'news',
    'all',
    'Subscriptions',
    'Rules',
    '$Default',
    '$Resources',
    'Queues',
    'Topics',
  ),
  fc.constantFrom(
    '$namespaceinfo',
    '$DeadLetterQueue',
    '..',
    '.',
    '',
    '%2F',
    '%00',
    '%zz',
    '%F0%9F%98%80',
    '-',
    ' ',
    "'",
  ),
  fc.string({ maxLength: 300, unit: 'grapheme' }).map(encodeURIComponent),
);
const likelyPath = fc.constantFrom(
  ...[
    '/orders',
    '/news',
    '/new',
    '/new/one',
    '/news/Subscriptions/all',
    '/news/Subscriptions/new',
    '/$Resources/Topics',
  ],
  ...[
    '/news/Subscriptions',
    '/news/Subscriptions/all/Rules',
    '/news/Subscriptions/all/Rules/$Default',
    '/$namespaceinfo',
  ],
);
const path = fc.oneof(
  { arbitrary: likelyPath, weight: 2 },
  fc.array(segment, { maxLength: 7 }).map((segments) => `/${segments.join('/')}`),
);
const query = fc.oneof(
  fc.constantFrom(
    '',
    '?api-version=2021-05',
    '?$skip=0&$top=1',
    '?$skip=-1',
    '?$top=x',
    '?enrich=True',
    '?%24skip=1',
    '?%',
  ),
  fc.webQueryParameters().map((text) => `?${text}`),
);

const elementName = fc.oneof(
  fc.constantFrom(
    'LockDuration',
    'ForwardTo',
    'Status',
    'AuthorizationRules',
    'AuthorizationRule',
    'Rights',
    'Filter',
    'Action',
  ),
  fc.constantFrom(
    'SqlExpression',
    'Parameters',
    'Properties',
    'KeyValueOfstringanyType',
    'Key',
    'Value',
    'Name',
    'Label',
  ),
  fc.constantFrom(
    'DefaultRuleDescription',
    'MaxSizeInMegabytes',
    'EnablePartitioning',
    'UserMetadata',
    'Later',
    'p:Later',
  ),
);
const attribute = fc.constantFrom(
  '',
  ' i:type="SqlFilter"',
  ' i:type="CorrelationFilter"',
  ' i:type="TrueFilter"',
  ' i:type="x:int"',
  ' i:nil="true"',
  ' i:type="l:int" xmlns:l="http://www.w3.org/2001/XMLSchema"',
  ' xmlns:p="urn:p"',
);
const text = fc.oneof(
  fc.constantFrom(
    'true',
    '1',
    '-1',
    'PT1M',
    'P999999999999D',
    '1=1',
    'a = @b',
    'orders',
    'sb://h/orders',
    '1e999',
    '&#x1F600;',
  ),
  fc.constantFrom(
    '&amp;',
    '&x;',
    '&',
    '<',
    ']]>',
    '<![CDATA[x]]>',
    '<!-- x -->',
    '<!DOCTYPE a>',
    '\u0000',
    '\ud800',
  ),
  fc.string({ maxLength: 20 }),
);
const { element } = fc.letrec<{ element: string }>((tie) => ({
  element: fc
    .tuple(
      elementName,
      attribute,
      fc.array(fc.oneof({ depthSize: 'small' }, text, tie('element')), { maxLength: 3 }),
    )
    .map(([name, given, inner]) => `<${name}${given}>${inner.join('')}</${name}>`),
}));
const description = fc.constantFrom(
  'QueueDescription',
  'TopicDescription',
  'SubscriptionDescription',
  'RuleDescription',
  'x',
);
const entry = fc
  .tuple(description, fc.array(element, { maxLength: 5 }))
  .map(
    ([name, inner]) =>
      `<entry xmlns="http://www.w3.org/2005/Atom"><content><${name} xmlns:i="http://www.w3.org/2001/XMLSchema-instance">` +
      `${inner.join('')}</${name}></content></entry>`,
  );
const cut = fc.tuple(entry, fc.nat()).map(([whole, at]) => whole.slice(0, at % whole.length));
const body = fc.oneof(
  { arbitrary: entry, weight: 6 },
  cut,
  element,
  fc.string({ maxLength: 100, unit: 'binary' }),
  fc.uint8Array({ maxLength: 100 }).map((bytes) => new Uint8Array(bytes)),
);
const headers = fc.constantFrom(
  {},
  { 'if-match': '*' },
  { 'if-match': '' },
  { 'content-type': 'x/y' },
  { authorization: 'x' },
);

const asked = fc.record({ method, path, query, body, headers });

test('no request makes us fail, and none stops us from answering the next', {
  timeout: 120_000,
}, async () => {
  const http = await openHttpUnderTest({
    queues: ['orders'],
    topics: [{ name: 'news', subscriptions: ['all'] }],
  });
  const statuses = new Set<number>();
  await fc.assert(
    fc.asyncProperty(asked, async (given) => {
      const hasBody = given.method !== 'GET' && given.method !== 'HEAD';
      const answer = await http.ask(given.method, given.path + given.query, {
        headers: given.headers,
        ...(hasBody ? { body: given.body } : {}),
      });
      statuses.add(answer.status);
      expect(answer.status).toBeLessThan(500);
      expect(http.faults).toEqual([]);
    }),
    { numRuns: RUNS },
  );
  expect((await http.ask('GET', '/$Resources/Queues')).status).toBe(200);
  // Else it would only ever have knocked at the door.
  expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 400, 401, 404, 405]));
  await http.stop();
});
