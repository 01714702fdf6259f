// Fills a queue: batches of numbered messages on one link, as many under way as the broker gives credit for.

import { closeConnection, openConnection } from '../connection.js';
import { BATCH_COUNT, BATCH_FORMAT, MessageSeries } from './message-series.js';
import { Progress } from './progress.js';

export type FillOptions = {
  readonly queue: string;
  /** A multiple of BATCH_COUNT. */
  readonly messageCount: number;
  readonly tell: (line: string) => void;
};

/** Batches under way; more would only wait in the client. */
const OPEN_BATCHES = 20;

/** Milliseconds until the last of them was accepted. */
export async function fillQueue(port: number, { queue, messageCount, tell }: FillOptions): Promise<number> {
  const series = new MessageSeries();
  const progress = new Progress({ goal: messageCount, tell, what: 'sent' });
  const connection = openConnection(port, (error) => progress.fail(error));
  const sender = connection.open_sender({ target: queue });
  let sentCount = 0;
  let openCount = 0;
  const pump = () => {
    for (; sentCount < messageCount && openCount < OPEN_BATCHES && sender.sendable(); openCount++) {
      sender.send(series.batch(sentCount), undefined, BATCH_FORMAT);
      sentCount += BATCH_COUNT;
    }
  };
  connection.on('sendable', pump);
  connection.on('accepted', () => {
    openCount -= 1;
    progress.add(BATCH_COUNT);
    pump();
  });
  const startedAt = performance.now();
  await progress.finished;
  const elapsedMs = performance.now() - startedAt;
  await closeConnection(connection);
  return elapsedMs;
}
