// The needs and results of the samples that administer a namespace; each runs on both generations of the SDK.

import { ONE, QUEUE, QUEUE_WITH_SESSIONS } from './expectation.js';
import type { OfficialSample } from './official-samples.js';
import type { Sdk } from './sdk.js';

/** With a connection string the one administers over https and the other over http. */
const BOTH: readonly Sdk[] = ['stable', 'preview'];

const COLOURED = ['Red', 'Blue', 'Green'].flatMap((subject) => {
  const body = `test-${subject.toLowerCase()}`;
  return [
    { body: `${body}1`, subject },
    { body: `${body}2`, subject, correlationId: 'notimportant' },
    { body: `${body}3`, subject, correlationId: 'important' },
  ];
});

export const ADMINISTRATION_SAMPLES: readonly OfficialSample[] = [
  {
    kind: 'runs',
    name: 'topicSubscriptionWithRuleOperationsSample',
    sdks: BOTH,
    shows: {
      says: [{ pattern: /^Received message: (.+)$/gm, lines: ['test-red3'] }],
      // The SDK waits for a second before it hands out the message; after that its subscriptions are deleted.
      holdsMeanwhile: [
        { place: subscription('NoFilterSubscription'), contents: COLOURED },
        // No message has the property that their filters ask for.
        { place: subscription('RedSqlFilterSubscription'), contents: [] },
        { place: subscription('BlueSqlFilterWithActionSubscription'), contents: [] },
        {
          place: subscription('ImportantCorrelationFilterSubscription'),
          contents: COLOURED.filter(({ body }) => body === 'test-red3'),
        },
      ],
      // It forgets the topic.
      leavesTopics: [/^topicsubscriptionwithruleoperationssample\d+$/i],
    },
  },
  {
    kind: 'runs',
    name: 'advanced/administrationClient',
    sdks: BOTH,
    makesQueue: true,
    shows: {
      says: [
        { pattern: /^Created queue with name - {2}(.+)$/gm, lines: [QUEUE] },
        {
          pattern: /^\((Current|Updated)\)max delivery count = {2}(\d+)$/gm,
          lines: ['Current 10', 'Updated 12'],
        },
        { pattern: /^Number of messages in the queue = {2}(\d+)$/gm, lines: ['0'] },
        { pattern: /^Name of the namespace - {2}(.+)$/gm, lines: ['localhost'] },
      ],
      prints: [{ pattern: new RegExp(`^Queue ${QUEUE} has been deleted$`, 'gm'), times: ONE }],
    },
  },
  {
    kind: 'runs',
    name: 'advanced/listingEntities',
    sdks: BOTH,
    shows: {
      // In seven ways, whole and by page, the queues that were there and its own.
      says: [
        {
          pattern: /^Queue (\d+): (.+)$/gm,
          lines: Array.from({ length: 7 }, () =>
            [
              ...Array.from({ length: 7 }, (_, index) => `random-queue_${index}`),
              QUEUE,
              QUEUE_WITH_SESSIONS,
            ].map((name, index) => `${index + 1} ${name}`),
          ).flat(),
        },
      ],
    },
  },
  {
    kind: 'runs',
    name: 'advanced/ruleManager',
    sdks: BOTH,
    shows: {
      says: [
        // Listed with their filters twice, and by name when only the first is left.
        {
          pattern: /^(?:\{ name: |\{\n {2}name: )?'?(\$Default|correlationRule|sqlRule)'?(?=,|$)/gm,
          lines: ['$Default', '$Default', 'correlationRule', 'sqlRule', '$Default'],
        },
        { pattern: /sqlExpression: '(.+)'/gm, lines: ['1=1', '1=1', 'price > 10'] },
        {
          pattern: /^ {4}((?!contentType)\w+): '?([^']+?)'?,?$/gm,
          lines: [
            ...['correlationId correlationId', 'messageId messageId', 'to to', 'replyTo replyTo'],
            ...['subject label', 'sessionId sessionId', 'replyToSessionId replyToSessionId'],
            'applicationProperties {',
          ],
        },
        {
          pattern: /^ {6}(key\d): (.+?),?$/gm,
          lines: ["key1 'value1'", 'key2 2', 'key3 true', 'key4 2000-01-01T00:00:00.000Z'],
        },
        {
          pattern: /^ {2}page {2}(\d)\n +\[ (.+) \]$/gm,
          lines: ["1 '$Default', 'correlationRule'", "2 'sqlRule'"],
        },
      ],
    },
  },
];

function subscription(name: string) {
  return { topic: /^topicsubscriptionwithruleoperationssample\d+$/i, subscription: name };
}
