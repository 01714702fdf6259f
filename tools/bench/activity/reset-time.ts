// How long a reset holds up the broker, with few messages in it and with a million.

import { AZURE_BEHAVIOUR } from '../../../src/broker/behaviour-options.js';
import { Broker } from '../../../src/broker/broker.js';
import { describeQueue } from '../../../src/broker/entities/queue-description.js';
import { LIMITS_OF_TIER, withoutSizes } from '../../../src/broker/limits.js';
import { countingGuids, messageOf } from '../../../test/support/broker-builders.js';
import { JsonReader } from '../../../test/support/json-reader.js';

export type ResetTime = {
  readonly messageCount: number;
  /** The turn of the reset itself. */
  readonly resetMs: number;
  /** The turns in which the rows are then removed, one a millisecond. */
  readonly pieceCount: number;
  readonly longestPieceMs: number;
};

const QUEUE = 'orders';
const BATCH = 1000;
const LOCKED_SHARE = 0.1;

export function measureReset(messageCount: number): ResetTime {
  const broker = new Broker({
    limits: withoutSizes(LIMITS_OF_TIER.premium),
    behaviour: AZURE_BEHAVIOUR,
    nextGuid: countingGuids(),
    messageReader: new JsonReader(),
  });
  let now = Date.UTC(2030, 0, 1);
  broker.execute({ kind: 'put-entity', type: 'queue', description: describeQueue(QUEUE, {}) }, now);
  const messages = Array.from({ length: BATCH }, () => messageOf('x'));
  for (let count = 0; count < messageCount; count += BATCH) {
    broker.execute({ kind: 'send', entityPath: QUEUE, messages }, now);
  }
  broker.execute({ kind: 'attach-receiver', linkId: 1, entityPath: QUEUE, receiveMode: 'peek-lock' }, now);
  const deliveryLimit = messageCount * LOCKED_SHARE;
  broker.execute({ kind: 'set-credit', linkId: 1, deliveryLimit, drain: false }, now);
  const resetMs = timed(() => broker.execute({ kind: 'reset' }, now));
  let pieceCount = 0;
  let longestPieceMs = 0;
  while (broker.nextDeadline() < Number.POSITIVE_INFINITY) {
    now += 1;
    longestPieceMs = Math.max(
      longestPieceMs,
      timed(() => broker.execute({ kind: 'tick' }, now)),
    );
    pieceCount += 1;
  }
  return { messageCount, resetMs, pieceCount, longestPieceMs };
}

function timed(work: () => void): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}
