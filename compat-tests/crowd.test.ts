// A few rows of `npm run measure -- crowd`, each small and with one seed: what is counted is counted right, and nothing is held when the client has gone.

import { beforeAll, expect, test } from 'vitest';
import { countFor, IS_THOROUGH } from '../test/support/thorough.js';
import { ATTACKS } from '../tools/crowd/attacks.js';
import { measure } from '../tools/crowd/measure.js';
import { leftBehind, type Row } from '../tools/crowd/row.js';
import { buildProbe } from '../tools/crowd/server.js';

const RUN = { seed: 1, scale: countFor(0.01, 0.02) };
const HELD_MB = 100;

beforeAll(buildProbe);

async function rowOf(name: string): Promise<Row> {
  const attack = ATTACKS[name];
  if (attack === undefined) throw new Error(`there is no attack ${name}`);
  return measure(name, attack, RUN);
}

/** The first ones in `npm test`. */
const HOLDING = [
  ...['unread-in-transaction', 'selectors', 'temporary-queues'],
  ...['jms-subscriptions', 'half-bodies'],
].slice(0, countFor(3, 5));

test.skipIf(process.platform !== 'linux').each(HOLDING)(
  '%s: others are served meanwhile, and what was held is given back when the client has gone',
  async (name) => {
    const row = await rowOf(name);
    expect(row.problems).toEqual([]);
    expect(row.waits).toMatchObject({ failures: [], count: expect.toSatisfy((count: number) => count > 0) });
    expect(row.held.aliveMb - row.before.aliveMb).toBeLessThan(HELD_MB);
    expect(leftBehind(row.before, row.after)).toEqual([]);
  },
);

test.runIf(IS_THOROUGH && process.platform === 'linux')(
  'fan-out: all copies are made, and others are served meanwhile',
  async () => {
    const { problems, waits, before, held } = await rowOf('fan-out');
    expect(problems).toEqual([]);
    expect(waits.failures).toEqual([]);
    expect(held.messageCount - before.messageCount).toBe(20 * 500);
  },
);
