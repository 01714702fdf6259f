// Drains a queue by several receivers that complete what they get, and notes the longest time in which none of them got anything.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Connection, EventContext } from 'rhea';
import { closeConnection, openConnection, PEEK_LOCK } from '../connection.js';
import { DeliveryCheck } from './delivery-check.js';
import { idOfMessage } from './message-series.js';
import { Progress } from './progress.js';

export type DrainOptions = {
  readonly queue: string;
  /** All that is in the queue, numbered from 1 as a MessageSeries numbers them. */
  readonly messageCount: number;
  readonly tell: (line: string) => void;
};

export type DrainFigures = {
  readonly elapsedMs: number;
  readonly longestPauseMs: number;
  /** The longest time in which the receivers' process was busy with itself; a pause below it is not the broker's. */
  readonly ownStallMs: number;
};

export const RECEIVER_COUNT = 4;
const RECEIVER_CREDIT = 200;
const LOOP_RESOLUTION_MS = 5;
const NANOSECONDS_PER_MS = 1e6;

export async function drainQueue(port: number, options: DrainOptions): Promise<DrainFigures> {
  const { messageCount, tell } = options;
  const progress = new Progress({ goal: messageCount, tell, what: 'completed' });
  const check = new DeliveryCheck({
    messageCount,
    receiverCount: RECEIVER_COUNT,
    receiverCredit: RECEIVER_CREDIT,
  });
  const loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  loop.enable();
  const startedAt = performance.now();
  let lastAt = startedAt;
  let longestPauseMs = 0;
  const onDelivery = (receiver: number, sequenceNumber: number) => {
    const now = performance.now();
    longestPauseMs = Math.max(longestPauseMs, now - lastAt);
    lastAt = now;
    check.delivered(receiver, sequenceNumber);
  };
  const connections = Array.from({ length: RECEIVER_COUNT }, (_, receiver) =>
    receive(port, options.queue, {
      progress,
      onDelivery: (sequenceNumber) => onDelivery(receiver, sequenceNumber),
    }),
  );
  await progress.finished;
  const elapsedMs = performance.now() - startedAt;
  loop.disable();
  await Promise.all(connections.map(closeConnection));
  return { elapsedMs, longestPauseMs, ownStallMs: loop.max / NANOSECONDS_PER_MS - LOOP_RESOLUTION_MS };
}

type Receiving = {
  readonly progress: Progress;
  /** Throws when the delivery should not be. */
  readonly onDelivery: (sequenceNumber: number) => void;
};

function receive(port: number, queue: string, { progress, onDelivery }: Receiving): Connection {
  const connection = openConnection(port, (error) => progress.fail(error));
  connection.on('message', ({ message, delivery }: EventContext) => {
    try {
      const sequenceNumber = Number(message?.message_annotations?.['x-opt-sequence-number']);
      onDelivery(sequenceNumber);
      const expected = idOfMessage(sequenceNumber - 1);
      if (message?.message_id !== expected) {
        throw new Error(`number ${sequenceNumber} came as ${message?.message_id} instead of ${expected}`);
      }
      delivery?.accept();
    } catch (error) {
      progress.fail(error as Error);
    }
  });
  connection.on('settled', ({ delivery }: EventContext) => {
    const error = delivery?.remote_state?.error;
    if (error === undefined) progress.add(1);
    else progress.fail(new Error(`a completion was refused: ${error.description}`));
  });
  connection.open_receiver({ source: queue, ...PEEK_LOCK, credit_window: RECEIVER_CREDIT });
  return connection;
}
