// The needs and results of the samples on queues without sessions.

import {
  ELEVEN_BODIES,
  ELEVEN_MESSAGES,
  ELEVENTH_MESSAGE,
  NONE,
  ONE,
  QUEUE,
  SCIENTISTS,
  TEN_MESSAGES,
} from './expectation.js';
import type { OfficialSample } from './official-samples.js';

const MAX_DELIVERY_COUNT = 10;
const RECIPE = {
  body: { name: 'Creamy Chicken Pasta', type: 'Dinner' },
  subject: 'Recipe',
  contentType: 'application/json',
  deadLetterReason: 'Incorrect Recipe type',
  deadLetterErrorDescription: 'Recipe type does not match preferences.',
};
const RECIPE_STEPS = ['Shop', 'Unpack', 'Prepare', 'Cook', 'Eat'];

export const QUEUE_SAMPLES: readonly OfficialSample[] = [
  {
    kind: 'runs',
    name: 'sendMessages',
    shows: {
      prints: [{ pattern: /^Done sending/gm, times: ONE }],
      leaves: { queue: ELEVEN_MESSAGES },
    },
  },
  {
    kind: 'runs',
    name: 'receiveMessagesLoop',
    after: ['sendMessages'],
    shows: {
      says: [{ pattern: /^ +Message: '(.+)'/gm, lines: SCIENTISTS }],
      leaves: { queue: [ELEVENTH_MESSAGE] },
    },
  },
  {
    kind: 'runs',
    name: 'receiveMessagesStreaming',
    after: ['sendMessages'],
    shows: {
      says: [{ pattern: /^Received message: (.+)/gm, lines: ELEVEN_BODIES }],
      prints: [{ pattern: /^Error from source/gm, times: NONE }],
    },
  },
  {
    kind: 'runs',
    name: 'exceedMaxDeliveryCount',
    after: ['sendMessages'],
    shows: {
      says: [
        {
          pattern: /^Picked up message; DeliveryCount (\d+)/gm,
          lines: ELEVEN_BODIES.flatMap(() => Array.from({ length: MAX_DELIVERY_COUNT }, (_, dc) => `${dc}`)),
        },
        { pattern: /^Deadletter message: (.+)/gm, lines: ELEVEN_BODIES },
      ],
      // It takes them out of there itself, two seconds after the last one came in.
      holdsMeanwhile: [
        {
          place: { queue: QUEUE, isDeadLetterQueue: true },
          contents: ELEVEN_MESSAGES.map((message) => ({
            ...message,
            deadLetterReason: 'MaxDeliveryCountExceeded',
            deadLetterErrorDescription: `Message could not be consumed after ${MAX_DELIVERY_COUNT} delivery attempts.`,
            deliveryCount: MAX_DELIVERY_COUNT,
          })),
        },
      ],
    },
  },
  {
    kind: 'runs',
    name: 'advanced/movingMessagesToDLQ',
    shows: {
      says: [
        {
          pattern: /^>>>>> Deadletter the one message .+ name: '(.+)', type: '(.+)'/gm,
          lines: ['Creamy Chicken Pasta Dinner'],
        },
      ],
      leaves: { deadLetters: [RECIPE] },
    },
  },
  {
    kind: 'runs',
    name: 'advanced/processMessageFromDLQ',
    after: ['advanced/movingMessagesToDLQ'],
    shows: {
      says: [
        {
          pattern: /^>>>>> (?:Received|Cloning) the message .+ name: '(.+)', type: '(.+)'/gm,
          lines: ['Creamy Chicken Pasta Dinner', 'Creamy Chicken Pasta Dinner'],
        },
      ],
      // The clone has all application properties of the message, and the reason is two of them.
      leaves: { queue: [RECIPE] },
    },
  },
  {
    kind: 'runs',
    name: 'browseMessages',
    after: ['sendMessages'],
    shows: {
      prints: [{ pattern: /^Got 10 messages\./gm, times: ONE }],
      says: [
        {
          pattern: /^Peeked message #(\d): (.+)/gm,
          lines: SCIENTISTS.map((name, index) => `${index} ${name}`),
        },
      ],
      leaves: { queue: ELEVEN_MESSAGES },
    },
  },
  {
    kind: 'runs',
    name: 'experimental/peekOmittingBody',
    after: ['sendMessages'],
    sdks: ['preview'],
    shows: {
      prints: [{ pattern: /^Got 10 messages\./gm, times: ONE }],
      leaves: { queue: ELEVEN_MESSAGES },
    },
  },
  {
    kind: 'runs',
    name: 'scheduledMessages',
    shows: {
      says: [
        // Nothing in the first five seconds, everything in the last.
        { pattern: /^Received (\d+) messages\./gm, lines: ['0', '10'] },
        {
          pattern: /^Received message: (.+) - (Scientist)$/gm,
          lines: SCIENTISTS.map((name) => `${name} Scientist`),
          inAnyOrder: true,
        },
      ],
      prints: [{ pattern: /^Error from error source/gm, times: NONE }],
    },
  },
  {
    kind: 'runs',
    name: 'advanced/deferral',
    shows: {
      says: [
        {
          pattern: /^Process (?:received|deferred) message: \{ step: (\d), title: '(\w+)' \}/gm,
          lines: RECIPE_STEPS.map((title, index) => `${index + 1} ${title}`),
        },
      ],
      prints: [
        { pattern: /^Total number of deferred messages: [0-4]$/gm, times: ONE },
        {
          pattern: /^No message found for step|^Unknown message|^>>>>> Error|^Error while sending/gm,
          times: NONE,
        },
      ],
    },
  },
  {
    kind: 'runs',
    name: 'deleteMessages',
    sdks: ['preview'],
    newerVersion: {
      has: /purgeResult\.deletedCount/,
      waitsFor:
        'a published SDK whose deleteMessages takes a number and whose purgeMessages tells deletedCount',
    },
    shows: whatDeleteMessagesShows({ deletedByTimeCount: 10 }),
    // On a quick machine its time mark falls into the millisecond of the messages before it.
    orShows: whatDeleteMessagesShows({ deletedByTimeCount: 0 }),
  },
  {
    kind: 'runs',
    name: 'purgeMessagesAdvanced',
    after: ['sendMessages'],
    sdks: ['preview'],
    shows: {
      // It knows a later SDK: 7.10.0-beta.2 purges as it is told, and gives back the number itself, without a name.
      prints: [{ pattern: /^Purged (?:11|undefined) messages enqueued before /gm, times: ONE }],
    },
  },
  {
    kind: 'waits',
    name: 'batchDeleteMessages',
    waitsFor: 'a published SDK that has batchDeleteMessages; 7.10.0-beta.2 calls it deleteMessages',
  },
  {
    kind: 'waits',
    name: 'omitBody',
    waitsFor: 'a published SDK that has peekMessages beside its receivers; see experimental/peekOmittingBody',
  },
  {
    kind: 'runs',
    name: 'useProxy',
    usesProxy: true,
    shows: {
      prints: [{ pattern: /^Sending message using proxy server http/gm, times: ONE }],
      leaves: { queue: [{ body: 'sample message' }] },
    },
  },
];

function whatDeleteMessagesShows({ deletedByTimeCount }: { deletedByTimeCount: 0 | 10 }) {
  return {
    says: [
      {
        pattern:
          /^(Number of messages in the queue|Number of messages in the queue after clearing): (\d+)$/gm,
        lines: ['Number of messages in the queue 0', 'Number of messages in the queue after clearing 0'],
      },
      { pattern: /^Peeked messages \((\d)\): (\d+)\./gm, lines: ['1 10', '2 20'] },
      {
        pattern: /^Number of messages deleted(?: this time)?: (\d+)\./gm,
        lines: ['10', `${deletedByTimeCount}`],
      },
    ],
    leaves: { queue: [...TEN_MESSAGES, ...TEN_MESSAGES].slice(deletedByTimeCount) },
  };
}
