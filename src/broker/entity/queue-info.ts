// What is known about a queue besides its messages: its description, its counters and its times (CNT-01 to CNT-03).

import type { MessageCounts, QueueInfo } from '../result.js';
import type { Queue } from './queue.js';

type TransferCounts = Pick<MessageCounts, 'transfer' | 'transferDeadLetter'>;

const NO_TRANSFERS: TransferCounts = { transfer: 0, transferDeadLetter: 0 };

/** TXN-12. */
export function transferCounts({ transfers, transferDeadLetters }: Queue): TransferCounts {
  if (transfers === undefined) return NO_TRANSFERS;
  return { transfer: transfers.log.count, transferDeadLetter: transferDeadLetters.log.count };
}

export function queueInfo(queue: Queue): QueueInfo {
  const { main, deadLetters } = queue;
  return {
    description: queue.description,
    counts: {
      active: main.log.count - main.scheduled.count, // CNT-01: locked and deferred ones too
      scheduled: main.scheduled.count,
      deadLetter: deadLetters.log.count,
      ...transferCounts(queue),
    },
    sizeBytes: queue.sizeBytes, // CNT-02
    createdTime: queue.createdTime,
    updatedTime: queue.updatedTime,
    accessedTime: queue.isUsed ? queue.accessedTime : undefined,
  };
}
