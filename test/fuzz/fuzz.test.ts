// Seeded garbage against the endpoint and the whole server. A failure tells the input; `npm run measure -- fuzz` sends it again, or new ones for ever.

import { describe, expect, test } from 'vitest';
import { frameOf } from '../support/frame-client.js';
import { map, str, sym, TRUE, uint } from '../support/frame-encoder.js';
import { composite } from '../support/frame-lists.js';
import { countFor, IS_THOROUGH } from '../support/thorough.js';
import { fuzz, fuzzOnce } from './fuzz.js';

const SEED = 20_261_121;
/** Four rounds, the last two of which are held against the memory before; `npm run measure -- fuzz` sends as many more as one likes. */
const INPUTS = countFor(1600, 25_000);

/** What has to happen to some input, or the fuzzer does not reach what it is to test. Each is seen 19 times or more in a short run. */
const MUST_HAPPEN = [
  'attach',
  'begin',
  'close',
  'close: amqp:connection:framing-error',
  'close: amqp:decode-error',
  'close: amqp:invalid-field',
  'close: amqp:not-allowed',
  'detach',
  'detach: amqp:not-found',
  'disposition: accepted',
  'disposition: rejected',
  'disposition: released',
  'end',
  'end: amqp:session:handle-in-use',
  'end: amqp:session:unattached-handle',
  'flow',
  'open',
  'sasl-mechanisms',
  'sasl-outcome: 0',
  'sasl-outcome: 2',
  'transfer',
];
/** What a short run sees once to six times: which of them depends on how the server's turns fall. */
const MUST_HAPPEN_TO_MANY = [
  'detach: amqp:decode-error',
  'detach: amqp:invalid-field',
  'detach: amqp:not-implemented',
  'disposition: modified',
  'end: amqp:invalid-field',
  'end: amqp:not-allowed',
  'sasl-outcome: 1',
];

/** Inputs that have found bugs, as an honest client would have to spoil its frames. */
const FOUND = {
  'a response link whose target is a number': [
    composite('begin', { nextOutgoingId: uint(0), incomingWindow: uint(9), outgoingWindow: uint(9) }),
    composite('attach', {
      name: str('responses'),
      handle: uint(0),
      role: TRUE,
      source: composite('source', { address: str('q/$management') }),
      target: uint(2),
    }),
  ],
  'a drain behind a message that waits for the window': [
    composite('begin', { nextOutgoingId: uint(0), incomingWindow: uint(0), outgoingWindow: uint(9) }),
    composite('attach', {
      name: str('receiver'),
      handle: uint(0),
      role: TRUE,
      source: composite('source', { address: str('q') }),
    }),
    composite('flow', {
      incomingWindow: uint(0),
      nextOutgoingId: uint(0),
      outgoingWindow: uint(9),
      handle: uint(0),
      linkCredit: uint(0xffff_ffff),
      drain: TRUE,
    }),
    composite('close'),
  ],
  'annotations of a settlement that are no texts': [
    composite('begin', { nextOutgoingId: uint(0), incomingWindow: uint(9), outgoingWindow: uint(9) }),
    composite('disposition', {
      role: TRUE,
      first: uint(0),
      last: uint(0x7fff_ffff),
      state: composite('modified', { messageAnnotations: map([[uint(1), sym('x')]]) }),
    }),
  ],
} as const;

describe('hostile bytes', () => {
  test('the inputs of a seed harm neither server nor endpoint, nor each other, and leave no memory behind', async () => {
    const tally = await fuzz({ seed: SEED, inputs: INPUTS });
    expect(tally.seen()).toEqual(
      expect.arrayContaining(IS_THOROUGH ? [...MUST_HAPPEN, ...MUST_HAPPEN_TO_MANY] : MUST_HAPPEN),
    );
  }, 300_000);

  test.each(Object.entries(FOUND))(
    'such as %s are let through or refused, and that is all',
    async (_, bodies) => {
      const pieces = [composite('open', { containerId: str('a client') }), ...bodies].map((body) =>
        frameOf(body),
      );
      const tally = await fuzzOnce(Buffer.concat([Buffer.from('414d515000010000', 'hex'), ...pieces]));
      expect(tally.seen()).toContain('begin');
    },
  );
});
