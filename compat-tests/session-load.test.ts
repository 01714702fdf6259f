// Sessions under load: whatever eight unruly receivers do to many sessions, each is worked off in order, by one at a time.
// The same with more: `npm run measure -- sessions`.

import { expect, test } from 'vitest';
import { countFor } from '../test/support/thorough.js';
import { Jitney } from './support/jitney.js';
import { connect, takeAll } from './support/service-bus.js';
import { SessionLedger } from './support/session-ledger.js';
import { newTally, runSessionLoad } from './support/session-load.js';

const QUEUE = 'sessions';
const SESSION_COUNT = countFor(20, 50);
/** In each session. */
const MESSAGE_COUNT = 20;
/** Nothing of what the receivers do may end in the dead-letter queue. */
const QUEUE_SPEC = `${QUEUE}?requiresSession=true&lockDuration=PT2S&maxDeliveryCount=1000`;

test('sessions in the hands of 8 unruly receivers are each processed in order, by one at a time [SES-04, SES-05, SES-13, SES-14, X5, X7, X11, X12]', async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  const ledger = new SessionLedger();
  const tally = newTally();
  await using jitney = await Jitney.start({ queues: [QUEUE_SPEC] });
  const size = {
    sessionCount: SESSION_COUNT,
    messageCount: MESSAGE_COUNT,
    receiverCount: 8,
    sleepyPart: 0.03,
  };
  const { connectionString } = jitney;
  await runSessionLoad({ connectionString, queue: QUEUE, ledger, seed, ...size }, tally);
  ledger.finish();

  expect(ledger.problems.slice(0, 10), `repeat with SEED=${seed}`).toEqual([]);
  expect(ledger.completedCount).toBe(SESSION_COUNT * MESSAGE_COUNT);
  for (const met of ['abandoned', 'left', 'renewed', 'lost'] as const) {
    expect(tally[met], `the load was a load: ${met}`).toBeGreaterThan(0);
  }
  await using client = connect(connectionString);
  expect(await takeAll(client, QUEUE, 'deadLetter')).toEqual([]);
});
