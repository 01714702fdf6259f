// ARM templates: parameters, variables, functions, loops, conditions, nested deployments; what cannot be evaluated is named with its place.

import { expect, test } from 'vitest';
import { readDefinitions } from '../../src/definitions/read-definitions.js';
import { JitneyError } from '../../src/jitney-error.js';

const NAMESPACE = 'Microsoft.ServiceBus/namespaces';
const QUEUE = `${NAMESPACE}/queues`;

type Template = Readonly<Record<string, unknown>>;

function read(template: Template, parameters?: object, namespace?: string) {
  const text = JSON.stringify({ contentVersion: '1.0.0.0', ...template });
  const file = parameters && { name: 'p.json', text: JSON.stringify({ parameters }) };
  return readDefinitions({ name: 'main.json', text }, { parameters: file, namespace });
}

/** The problems, without line and column. */
function problemsOf(template: Template, parameters?: object): string[] {
  try {
    read(template, parameters);
  } catch (error) {
    if (error instanceof JitneyError)
      return error.problems.map((line) => line.replace(/^main\.json:\d+:\d+ +/, ''));
    throw error;
  }
  throw new Error('It was read');
}

function queue(name: string, properties: object = {}, more: object = {}) {
  return { type: QUEUE, name, properties, ...more };
}

function namesOf({ queues }: ReturnType<typeof read>): string[] {
  return queues.map(({ name }) => name);
}

/** The name that an expression gives to a queue. */
function evaluate(expression: string, template: Template = {}, parameters?: object): string | undefined {
  return namesOf(read({ resources: [queue(`[concat('ns/', ${expression})]`)], ...template }, parameters))[0];
}

test.each([
  ["concat('a', 'b', 3)", 'ab3'],
  ["format('{0}-{1}-{0}', 'x', 7)", 'x-7-x'],
  ["toLower('ABC')", 'abc'],
  ["toUpper(toLower('a'))", 'a'], // the name of a queue is in lower case
  ["replace('a b c', ' ', '-')", 'a-b-c'],
  ['string(12)', '12'],
  ["string(add(int('12'), 1))", '13'],
  ["if(equals('a', 'a'), 'yes', 'no')", 'yes'],
  ["if(and(true(), not(false())), 'yes', 'no')", 'yes'],
  ["union(createObject('a', 'x'), createObject('b', 'y')).b", 'y'],
  ["union(createArray('a'), createArray('a', 'b'))[1]", 'b'],
  ["split('a,b', ',')[1]", 'b'],
  ["substring('queue', 0, 2)", 'qu'],
  ["coalesce(null(), 'z')", 'z'],
  ['string(length(createArray(1, 2)))', '2'],
  ["first(createArray('f', 'g'))", 'f'],
  ["tryGet(createObject('A', 'v'), 'a')", 'v'],
  ['json(\'{"k": "j"}\').k', 'j'],
  ["trim('  it''s  ')", undefined],
])('the expression %s is evaluated', (expression, expected) => {
  if (expected === undefined)
    expect(problemsOf({ resources: [queue(`[concat('ns/', ${expression})]`)] })).toHaveLength(1);
  else expect(evaluate(expression)).toBe(expected);
});

test('a parameter has the value of the file, or else its default, which may use others', () => {
  const template = {
    parameters: {
      prefix: { type: 'string', defaultValue: 'dev' },
      name: { type: 'string', defaultValue: "[concat(parameters('prefix'), '-orders')]" },
    },
  };
  expect(evaluate("parameters('name')", template)).toBe('dev-orders');
  expect(evaluate("parameters('NAME')", template, { prefix: { value: 'live' } })).toBe('live-orders');
  expect(evaluate("parameters('name')", template, { name: { value: 'x' } })).toBe('x');
});

test('a variable is evaluated, also one that a loop makes', () => {
  const variables = {
    base: "[toLower('ORDERS')]",
    name: "[format('{0}.v2', variables('base'))]",
    copy: [{ name: 'all', count: 3, input: "[concat('q', string(copyIndex('all', 1)))]" }],
  };
  expect(evaluate("variables('name')", { variables })).toBe('orders.v2');
  expect(evaluate("variables('all')[2]", { variables })).toBe('q3');
});

test('a loop makes an entity for each of a list', () => {
  const template = {
    parameters: { queues: { type: 'array' } },
    resources: [
      queue(
        "[format('{0}/{1}', 'ns', parameters('queues')[copyIndex()].name)]",
        { maxDeliveryCount: "[parameters('queues')[copyIndex()].tries]" },
        { copy: { name: 'loop', count: "[length(parameters('queues'))]" } },
      ),
    ],
  };
  const queues = {
    value: [
      { name: 'a', tries: 4 },
      { name: 'b', tries: 6 },
    ],
  };
  expect(read(template, { queues }).queues).toMatchObject([
    { name: 'a', maxDeliveryCount: 4 },
    { name: 'b', maxDeliveryCount: 6 },
  ]);
});

test('a resource whose condition is false is left out', () => {
  const template = {
    parameters: { both: { type: 'bool', defaultValue: false } },
    resources: [queue('ns/a'), queue('ns/b', {}, { condition: "[parameters('both')]" })],
  };
  expect(namesOf(read(template))).toEqual(['a']);
  expect(namesOf(read(template, { both: { value: true } }))).toEqual(['a', 'b']);
});

test('children stand in their parents, with types and names of their own', () => {
  const rule = {
    type: 'Rules',
    name: 'red',
    properties: { filterType: 'SqlFilter', sqlFilter: { sqlExpression: "color = 'red'" } },
  };
  const subscription = {
    type: 'subscriptions',
    name: 'audit',
    properties: { lockDuration: 'PT30S' },
    resources: [rule],
  };
  const topic = { type: 'topics', name: "[concat('ev', 'ents')]", properties: {}, resources: [subscription] };
  const { topics } = read({ resources: [{ type: NAMESPACE, name: 'ns', resources: [topic] }] });
  expect(topics).toMatchObject([
    {
      description: { name: 'events' },
      subscriptions: [
        {
          description: { name: 'audit', lockDurationMs: 30_000 },
          rules: [{ name: 'red', filter: { kind: 'sql', expression: "color = 'red'" }, action: undefined }],
        },
      ],
    },
  ]);
});

function deployment(properties: object, more: object = {}) {
  return { type: 'Microsoft.Resources/deployments', name: 'module', properties, ...more };
}

test('a value for a parameter that is not there is refused, and all that have no value are named at once', () => {
  const parameters = {
    queueName: { type: 'string' },
    tries: { type: 'int' },
    tier: { defaultValue: 'Standard' },
  };
  const template = {
    parameters,
    resources: [
      queue("[concat('ns/', parameters('queueName'))]", { maxDeliveryCount: "[parameters('tries')]" }),
    ],
  };
  expect(problemsOf(template, { qeueName: { value: 'x' } }).join()).toContain(
    "has no parameter qeueName, for which --parameters gives a value. Did you mean 'queueName'?",
  );
  expect(problemsOf(template).join()).toContain(
    'the parameter queueName has no value, nor has tries: give them',
  );
});

test('a nested deployment with an inner scope has parameters of its own, and one with an outer scope those around it', () => {
  const template = {
    parameters: { name: { type: 'string' } },
    resources: [queue("[concat('ns/', parameters('name'))]")],
  };
  const outer = {
    parameters: { name: { type: 'string', defaultValue: 'outer' } },
    resources: [
      deployment({
        expressionEvaluationOptions: { scope: 'inner' },
        parameters: { name: { value: "[concat('in-', parameters('name'))]" } },
        template,
      }),
      deployment({ template }),
    ],
  };
  expect(namesOf(read(outer))).toEqual(['in-outer', 'outer']);
});

test('what bicep build prints is read: symbolic names, resources that exist, a null for a default', () => {
  const module = {
    languageVersion: '2.0',
    parameters: {
      namespaceName: { type: 'string' },
      tries: { type: 'int', defaultValue: 10 },
      size: { type: 'int', nullable: true },
    },
    resources: {
      namespace: { existing: true, type: NAMESPACE, name: "[parameters('namespaceName')]" },
      queue: queue("[format('{0}/{1}', parameters('namespaceName'), 'orders')]", {
        maxDeliveryCount: "[parameters('tries')]",
        maxMessageSizeInKilobytes:
          "[if(equals(reference('namespace', '2022-10-01', 'full').sku.name, 'Premium'), parameters('size'), null())]",
      }),
    },
  };
  const resources = {
    queues: deployment({
      expressionEvaluationOptions: { scope: 'inner' },
      parameters: {
        namespaceName: { value: "[format('sb-{0}', uniqueString(resourceGroup().id))]" },
        tries: { value: null },
        size: { value: 2048 },
      },
      template: module,
    }),
    serviceBus: {
      type: NAMESPACE,
      name: "[format('sb-{0}', uniqueString(resourceGroup().id))]",
      sku: { name: 'Premium' },
    },
  };
  expect(read({ languageVersion: '2.0', resources }).queues).toMatchObject([
    { name: 'orders', maxDeliveryCount: 10, maxMessageSizeInKilobytes: 2048 },
  ]);
});

test('a namespace may have a name that only a deployment knows, and a queue may not', () => {
  const unknown = 'uniqueString(resourceGroup().id)';
  expect(namesOf(read({ resources: [queue(`[concat(${unknown}, '/orders')]`)] }))).toEqual(['orders']);
  expect(problemsOf({ resources: [queue('ns/a'), queue(`[concat('ns/', ${unknown})]`)] })).toEqual([
    'resources[1].name cannot be evaluated: it uses uniqueString(), which only a deployment evaluates',
  ]);
});

test('every property that cannot be evaluated is named with its place; one that means nothing here may be anything', () => {
  const given = {
    lockDuration: "[parameters('lock')]",
    defaultMessageTimeToLive: "[reference('x').ttl]",
    tags: "[reference('x').tags]",
  };
  expect(problemsOf({ resources: [queue('ns/a'), queue('ns/b'), queue('ns/c', given)] })).toEqual([
    'resources[2].properties.lockDuration cannot be evaluated: the parameter lock has no value: give it with --parameters <file>',
    'resources[2].properties.defaultMessageTimeToLive cannot be evaluated: it uses reference(), which only a deployment evaluates',
  ]);
});

test('wrong values are named with their places, all at once', () => {
  const resources = [
    queue('ns/a', { lockDuration: 'PT10M', maxDeliveryCount: 0 }),
    queue('ns/a b'),
    queue('ns'),
    {
      type: `${NAMESPACE}/topics/subscriptions/rules`,
      name: 'ns/t/s/r',
      properties: { sqlFilter: { sqlExpression: 'a =' } },
    },
  ];
  expect(problemsOf({ resources: resources.slice(0, 2) })).toEqual([
    'resources[0].properties.lockDuration must be at most PT5M, not "PT10M"',
    'resources[0].properties.maxDeliveryCount must be a whole number from 1 to 2147483647, not 0',
    expect.stringMatching(/^resources\[1\]\.name must hold only A-Z/),
  ]);
  expect(problemsOf({ resources: resources.slice(2, 3) })).toEqual([
    'resources[0].name must have 2 parts, as its type Microsoft.ServiceBus/namespaces/queues, not "ns"',
  ]);
  expect(problemsOf({ resources: resources.slice(3) })).toEqual([
    expect.stringMatching(/^resources\[0\]\.properties\.sqlFilter is invalid at line 1, column 4/),
  ]);
});

test('numbers and truths may be texts, as in templates whose parameters are', () => {
  expect(
    read({ resources: [queue('ns/a', { maxSizeInMegabytes: '2048', requiresSession: 'true' })] }).queues,
  ).toMatchObject([{ maxSizeInMegabytes: 2048, requiresSession: true }]);
});

test('addresses and ids of resources in forwardTo become names', () => {
  const id = '/subscriptions/1/resourceGroups/g/providers/Microsoft.ServiceBus/namespaces/ns/queues/in~box';
  const resources = [
    queue('ns/in~box'),
    queue('ns/b', { forwardTo: 'sb://ns.servicebus.windows.net/in/box', forwardDeadLetteredMessagesTo: id }),
    queue('ns/c', {
      forwardTo: 'https://ns.servicebus.windows.net/in/box',
      forwardDeadLetteredMessagesTo: '',
    }),
  ];
  expect(read({ resources }).queues).toMatchObject([
    { name: 'in/box' },
    { forwardTo: 'in/box', forwardDeadLetteredMessagesTo: 'in/box' },
    { forwardTo: 'in/box', forwardDeadLetteredMessagesTo: undefined },
  ]);
});

test('other resources are left out and counted, with all that a deployment of none of ours needs', () => {
  const storage = { type: 'Microsoft.Storage/storageAccounts', name: "[reference('x').name]" };
  const resources = [
    queue('ns/a', { metricId: 'x', messageCount: 3 }),
    storage,
    storage,
    deployment({ template: { resources: [storage] } }, { condition: "[reference('x').isOn]" }),
    deployment({ templateLink: { uri: 'https://example.com' } }),
  ];
  const { notes, queues } = read({ resources });
  expect(queues).toHaveLength(1);
  expect(notes).toEqual([
    'queue a has the property metricId, which is left out',
    'the deployment "module" links to a template, which is not read',
    'left out, because they are no queues, topics, subscriptions or rules: 2 Microsoft.Storage/storageAccounts, 1 Microsoft.Resources/deployments',
  ]);
});

test('of several namespaces one is chosen', () => {
  const template = { resources: [queue('east/a'), queue('west/b')] };
  expect(problemsOf(template)).toEqual([
    'the file has the namespaces east, west: choose one with --namespace <name>',
  ]);
  expect(namesOf(read(template, undefined, 'West'))).toEqual(['b']);
});

test('authorization rules come with their rights, and Manage includes the others', () => {
  const resources = [
    queue('ns/a'),
    { type: `${QUEUE}/authorizationRules`, name: 'ns/a/worker', properties: { rights: ['Listen'] } },
    { type: `${QUEUE}/authorizationRules`, name: 'ns/a/admin', properties: { rights: ['Manage'] } },
  ];
  expect(read({ resources }).queues[0]?.authorizationRules).toMatchObject([
    { keyName: 'worker', rights: ['Listen'] },
    { keyName: 'admin', rights: ['Manage', 'Send', 'Listen'] },
  ]);
});

const RULE = `${NAMESPACE}/topics/subscriptions/rules`;

test.each([
  [{ filterType: 'SqlFilter', sqlFilter: { sqlExpression: '1=1' } }, { kind: 'true' }],
  [{ filterType: 'SqlFilter', sqlFilter: { sqlExpression: '1=0' } }, { kind: 'false' }],
  [{}, { kind: 'true' }],
  [{ filter: { sqlExpression: 'a = 1' } }, { kind: 'sql', expression: 'a = 1' }],
  [
    { filterType: 'CorrelationFilter', correlationFilter: { label: 'x', properties: { n: 5, t: 'u' } } },
    { kind: 'correlation', subject: 'x', properties: { n: { type: 'int', value: '5' }, t: 'u' } },
  ],
  [
    { correlationFilter: { messageId: 'x' }, sqlFilter: null },
    { kind: 'correlation', messageId: 'x' },
  ],
])('a rule with %j has the filter %j', (properties, filter) => {
  const { topics, notes } = read({
    resources: [{ type: RULE, name: 'ns/t/s/r', properties: { action: {}, ...properties } }],
  });
  expect(topics[0]?.subscriptions[0]?.rules).toEqual([{ name: 'r', filter, action: undefined }]);
  expect(notes).toEqual([
    "the subscription t/s is not described here, only what belongs to it: it has Azure's defaults",
    "the topic t is not described here, only what belongs to it: it has Azure's defaults",
  ]);
});

test.each(["[concat('ns/a']", "[concat('ns/a') x]", "['ns/a' 'b']", '[concat(]'])(
  '%s is refused as no expression',
  (name) => {
    expect(problemsOf({ resources: [queue(name)] })).toEqual([
      expect.stringMatching(/^resources\[0\]\.name is no expression of a template: /),
    ]);
  },
);
