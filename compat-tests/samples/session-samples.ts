// The needs and results of the samples on sessions.

import { exactly, NONE, SCIENTISTS } from './expectation.js';
import type { OfficialSample } from './official-samples.js';

/** Two more than sessionRoundRobin takes at a time. */
const SESSION_COUNT = 10;
const MESSAGES_PER_SESSION = 3;

export const SESSION_SAMPLES: readonly OfficialSample[] = [
  {
    kind: 'runs',
    name: 'session',
    newerVersion: { has: /\.listSessions\(/, waitsFor: 'a published SDK whose client has listSessions' },
    shows: {
      says: [
        {
          pattern: /^Received: (session-\d) - (.+) $/gm,
          lines: SCIENTISTS.map((name, index) => `${index < 5 ? 'session-1' : 'session-2'} ${name}`),
        },
      ],
      prints: [{ pattern: /^>>>>> Error/gm, times: NONE }],
    },
  },
  {
    kind: 'runs',
    name: 'advanced/sessionState',
    shows: {
      says: [
        {
          pattern: /^(?:Received message: Customer|Items in cart for) (.+)$/gm,
          lines: [
            ...["'alice': 'Add Item Milk'", "'alice': 'Add Item Bread'"],
            'alice: ["Milk","Bread"]',
            ...["'alice': 'Add Item Eggs'", "'alice': 'Checkout Success'"],
            ...["'bob': 'Add Item Pencil'", "'bob': 'Add Item Paper'", "'bob': 'Add Item Stapler'"],
            'alice: []',
            'bob: ["Pencil","Paper","Stapler"]',
          ],
        },
      ],
      prints: [{ pattern: /^No events were received|^No Items were added/gm, times: NONE }],
    },
  },
  {
    kind: 'runs',
    name: 'advanced/sessionRoundRobin',
    finds: { sessionCount: SESSION_COUNT, messageCount: MESSAGES_PER_SESSION },
    shows: {
      runsUntil: { pattern: /^\[.+\] was closed because of idle_timeout/gm, times: SESSION_COUNT },
      says: Array.from({ length: SESSION_COUNT }, (_, index) => ({
        pattern: new RegExp(`^\\[session ${index + 1}\\] received message with body (.+)$`, 'gm'),
        lines: Array.from({ length: MESSAGES_PER_SESSION }, (_, message) => `message ${message + 1}`),
      })),
      prints: [
        { pattern: /^\[.+\] will start processing/gm, times: exactly(SESSION_COUNT) },
        { pattern: /^Error when|was closed because of error/gm, times: NONE },
      ],
    },
  },
];
