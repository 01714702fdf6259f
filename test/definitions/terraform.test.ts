// What `terraform show -json` prints, of a state and of a plan, and configurations in JSON.

import { expect, test } from 'vitest';
import { readDefinitions } from '../../src/definitions/read-definitions.js';
import { JitneyError } from '../../src/jitney-error.js';

function read(value: object) {
  return readDefinitions({ name: 'show.json', text: JSON.stringify({ format_version: '1.0', ...value }) });
}

function problemsOf(value: object): string[] {
  try {
    read(value);
  } catch (error) {
    if (error instanceof JitneyError)
      return error.problems.map((line) => line.replace(/^show\.json:\d+:\d+ +/, ''));
    throw error;
  }
  throw new Error('It was read');
}

function resource(type: string, name: string, values: object, more: object = {}) {
  return { mode: 'managed', type: `azurerm_servicebus_${type}`, name, values, ...more };
}

/** An expression of Terraform. */
function interpolated(expression: string): string {
  return `\${${expression}}`;
}

const ID = '/subscriptions/1/resourceGroups/g/providers/Microsoft.ServiceBus/namespaces/ns';

test('a state has the ids of parents, and all values', () => {
  const resources = [
    resource('queue', 'q', {
      name: 'in/box',
      lock_duration: 'PT30S',
      default_message_ttl: 'P1D',
      partitioning_enabled: true,
      batched_operations_enabled: false,
      max_message_size_in_kilobytes: 256,
      forward_to: '',
      dead_lettering_on_message_expiration: null,
    }),
    resource('topic', 't', { name: 'events', batched_operations_enabled: true, support_ordering: true }),
    resource('subscription', 's', {
      name: 'audit',
      topic_id: `${ID}/topics/events`,
      batched_operations_enabled: true,
      dead_lettering_on_filter_evaluation_error: false,
      forward_to: 'in/box',
      max_delivery_count: 4,
    }),
    resource('subscription_rule', 'r', {
      name: 'red',
      subscription_id: `${ID}/topics/events/subscriptions/audit`,
      filter_type: 'CorrelationFilter',
      correlation_filter: [{ label: 'red', content_type: '', properties: { a: 'b' } }],
      action: "SET x = 'y'",
    }),
    resource('queue_authorization_rule', 'k', {
      name: 'worker',
      queue_id: `${ID}/queues/in~box`,
      listen: true,
      send: false,
      manage: false,
    }),
    resource('namespace', 'n', { name: 'ns' }),
    { ...resource('queue', 'd', { name: 'seen' }), mode: 'data' },
  ];
  const { queues, topics, notes } = read({ values: { root_module: { resources } } });
  expect(queues).toMatchObject([
    {
      name: 'in/box',
      lockDurationMs: 30_000,
      defaultMessageTimeToLiveMs: 86_400_000,
      enablePartitioning: true,
      enableBatchedOperations: false,
      maxMessageSizeInKilobytes: undefined,
      forwardTo: undefined,
      authorizationRules: [{ keyName: 'worker', rights: ['Listen'] }],
    },
  ]);
  expect(topics).toMatchObject([
    {
      description: { name: 'events', supportOrdering: true },
      subscriptions: [
        {
          description: {
            name: 'audit',
            deadLetteringOnFilterEvaluationExceptions: false,
            forwardTo: 'in/box',
            maxDeliveryCount: 4,
          },
          rules: [
            {
              name: 'red',
              filter: { kind: 'correlation', subject: 'red', properties: { a: 'b' } },
              action: { kind: 'sql', expression: "SET x = 'y'" },
            },
          ],
        },
      ],
    },
  ]);
  expect(notes).toEqual([
    'left out, because they are no queues, topics, subscriptions or rules: 1 azurerm_servicebus_namespace',
  ]);
});

test('where Terraform sends false for what is not given, false is meant, and elsewhere the default of Azure', () => {
  const resources = [
    resource('queue', 'q', { name: 'q' }),
    resource('topic', 't', { name: 't' }),
    resource('subscription', 's', { name: 's', topic_id: `${ID}/topics/t` }),
  ];
  const { queues, topics } = read({ values: { root_module: { resources } } });
  expect(queues).toMatchObject([{ enableBatchedOperations: true }]);
  expect(topics).toMatchObject([
    {
      description: { enableBatchedOperations: false, supportOrdering: false },
      subscriptions: [
        { description: { enableBatchedOperations: false, deadLetteringOnFilterEvaluationExceptions: true } },
      ],
    },
  ]);
});

test('names of earlier versions of the provider are read', () => {
  const resources = [
    resource('topic', 't', { name: 'a/t', enable_partitioning: true, namespace_name: 'ns' }),
    resource('subscription', 's', { name: 's', topic_name: 'a/t', enable_batched_operations: true }),
    resource('subscription_rule', 'r', {
      name: 'r',
      topic_name: 'a/t',
      subscription_name: 's',
      filter_type: 'SqlFilter',
      sql_filter: 'a = 1',
    }),
  ];
  expect(read({ values: { root_module: { resources } } }).topics).toMatchObject([
    {
      description: { name: 'a/t', enablePartitioning: true },
      subscriptions: [
        {
          description: { enableBatchedOperations: true },
          rules: [{ name: 'r', filter: { expression: 'a = 1' } }],
        },
      ],
    },
  ]);
});

function configured(type: string, name: string, attribute: string, reference: string) {
  return {
    type: `azurerm_servicebus_${type}`,
    name,
    expressions: { [attribute]: { references: [`${reference}.id`, reference] } },
  };
}

test('a plan has no ids, but its configuration says which parent is meant: by label, by key, in modules', () => {
  const module = {
    resources: [
      resource('topic', 't', { name: 'events' }, { index: 'a' }),
      resource('topic', 't', { name: 'news' }, { index: 'b' }),
      resource('subscription', 's', { name: 'one' }, { index: 'a' }),
      resource('subscription', 's', { name: 'two' }, { index: 'b' }),
      resource('subscription', 'fixed', { name: 'three' }),
      resource('subscription_rule', 'r', { name: 'red', filter_type: 'SqlFilter', sql_filter: 'a = 1' }),
    ],
    address: 'module.bus["x"]',
  };
  const configuration = {
    root_module: {
      module_calls: {
        bus: {
          module: {
            resources: [
              configured('subscription', 's', 'topic_id', 'azurerm_servicebus_topic.t'),
              configured('subscription', 'fixed', 'topic_id', 'azurerm_servicebus_topic.t["b"]'),
              configured(
                'subscription_rule',
                'r',
                'subscription_id',
                'azurerm_servicebus_subscription.fixed',
              ),
            ],
          },
        },
      },
    },
  };
  const { topics } = read({ planned_values: { root_module: { child_modules: [module] } }, configuration });
  expect(
    topics.map(({ description, subscriptions }) => [
      description.name,
      subscriptions.map((one) => one.description.name),
    ]),
  ).toEqual([
    ['events', ['one']],
    ['news', ['two', 'three']],
  ]);
  expect(topics[1]?.subscriptions[1]?.rules).toMatchObject([{ name: 'red' }]);
});

test('problems have their places', () => {
  const resources = [
    resource('queue', 'q', { name: 'q', lock_duration: 'PT9M' }),
    resource('subscription', 's', { name: 's' }),
  ];
  const place = 'planned_values.root_module.resources';
  expect(problemsOf({ planned_values: { root_module: { resources: resources.slice(0, 1) } } })).toEqual([
    `${place}[0].values.lock_duration must be at most PT5M, not "PT9M"`,
  ]);
  expect(problemsOf({ planned_values: { root_module: { resources } } })).toEqual([
    `${place}[1].values belongs to a resource that only Terraform knows before it is applied: read the state, not the plan`,
  ]);
  expect(problemsOf({ terraform_version: '1.9.0' })).toEqual(['the file has no values: the state is empty']);
  const kept = { version: 4, terraform_version: '1.9.0', lineage: 'x', resources: [] };
  expect(problemsOf(kept)).toEqual([
    'the file is the state as Terraform keeps it: give what terraform show -json prints of it',
  ]);
});

test('a configuration in JSON is read as far as it is plain; what Terraform has to evaluate is refused', () => {
  const queue = {
    name: interpolated('var.name'),
    namespace_id: interpolated('azurerm_servicebus_namespace.n.id'),
    lock_duration: 'PT30S',
  };
  const variable = { name: { default: 'orders' } };
  const forwarding = { name: 'b', forward_to: interpolated('azurerm_servicebus_queue.q.name') };
  const text = (block: object) => ({
    variable,
    resource: { azurerm_servicebus_queue: { q: queue, x: block } },
  });
  expect(read(text(forwarding)).queues).toMatchObject([
    { name: 'orders', lockDurationMs: 30_000 },
    { name: 'b', forwardTo: 'orders' },
  ]);
  const advice = 'Terraform itself evaluates this: read what terraform show -json prints';
  expect(problemsOf(text({ name: interpolated('lower("B")') }))).toEqual([
    `resource.azurerm_servicebus_queue.x.name is "\${lower(\\"B\\")}". ${advice}`,
  ]);
  expect(problemsOf(text({ name: 'b', for_each: interpolated('local.all') }))).toEqual([
    `resource.azurerm_servicebus_queue.x.for_each ${advice}`,
  ]);
});
