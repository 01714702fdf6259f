// Reads the messages of a store that a filter allows, piece by piece, and answers after a bounded time with what it has found.

import { type FilteredMessage, type MessageFilter, matches } from '../content/message-filter.js';
import { MessageOnDemand } from '../content/message-on-demand.js';
import type { Engine } from '../engine/engine.js';
import { type FoundMessages, type InspectMessages, readMessages } from './read-messages.js';

/** The most messages that one call looks at, and the time after which it looks at no further one. */
const MAX_SCANNED = 20_000;
const MAX_WORK_MS = 50;
/** Messages of one turn. */
const PIECE = 250;
/** The most content bytes of one answer; the first message is shown at any size. */
const MAX_BYTES = 4 * 1024 * 1024;

export type FilteredMessages = FoundMessages & {
  readonly scannedCount: number;
};

type FilterOptions = {
  readonly filter: MessageFilter;
  /** The time for ages, in milliseconds since 1970. */
  readonly now: number;
  /** Waits for memory for so many bytes before they are read. */
  readonly room: (bytes: number) => Promise<void> | undefined;
  /** Gives back the memory of messages that the filter excludes. */
  readonly giveBack: (bytes: number) => void;
  /** Milliseconds at a steady pace. Default: the machine's. */
  readonly elapsed?: () => number;
  readonly signal: AbortSignal;
};

/** `next` is there as long as messages were not looked at, even if none is found. Rejects with a ServiceBusError. */
export async function filterMessages(
  engine: Pick<Engine, 'submit' | 'readMessage'>,
  command: InspectMessages,
  { filter, now, room, giveBack, elapsed = () => performance.now(), signal }: FilterOptions,
): Promise<FilteredMessages> {
  const found: FoundMessages['found'][number][] = [];
  const endAt = elapsed() + MAX_WORK_MS;
  let [foundBytes, scannedCount] = [0, 0];
  let fromSequenceNumber = command.fromSequenceNumber;
  for (;;) {
    const piece = { ...command, fromSequenceNumber, maxCount: PIECE };
    const page = await readMessages(engine, piece, { room });
    const { totalCount } = page;
    for (const each of page.found) {
      const { sequenceNumber } = each.message.properties;
      const isFull = found.length >= command.maxCount || foundBytes >= MAX_BYTES;
      if (isFull || scannedCount >= MAX_SCANNED || (scannedCount > 0 && elapsed() >= endAt)) {
        return { found, next: sequenceNumber, scannedCount, totalCount };
      }
      scannedCount += 1;
      const message: FilteredMessage = new MessageOnDemand(each.message, each.content);
      if (matches(filter, message, now)) {
        found.push(each);
        foundBytes += each.message.sizeBytes;
      } else giveBack(each.message.sizeBytes);
    }
    const isEnough = found.length >= command.maxCount || scannedCount >= MAX_SCANNED || elapsed() >= endAt;
    if (page.next === undefined || isEnough || signal.aborted) {
      return { found, next: page.next, scannedCount, totalCount };
    }
    fromSequenceNumber = page.next;
    // A journal in memory answers within the same turn of the event loop, so that no socket would be read in between.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
