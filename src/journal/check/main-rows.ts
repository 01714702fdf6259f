// Collects the rows of a journal of which there are few: entities, rules, counters and the time. A counter that is lost, or behind the
// messages, is set behind them.

import type { StoredEvent } from '../../broker/event.js';
import type { JournalRow } from './journal-account.js';
import { StoreNames } from './store-names.js';

/** The count of sequence numbers in a partition (SEQ-06). */
const PARTITION_SIZE = 2 ** 48;

type MainRow = Exclude<
  JournalRow,
  { kind: 'message-put' | 'message-id-noted' | 'session-state-put' | 'rows-discarded' }
>;

type CounterPut = Extract<StoredEvent, { kind: 'sequence-put' }>;

export type MainRows = {
  /** In an order in which each comes behind those that it refers to. */
  readonly rows: readonly MainRow[];
  readonly names: StoreNames;
};

export async function mainRows(source: AsyncIterable<readonly JournalRow[]>): Promise<MainRows> {
  const names = new StoreNames();
  const entities: MainRow[] = [];
  const others: MainRow[] = [];
  const counters = new Map<string, CounterPut>();
  for await (const rows of source) {
    for (const row of rows) {
      if (row.kind !== 'time-put') names.note(row);
      if (row.kind === 'sequence-put') counters.set(nameOf(row), row);
      else if (row.kind === 'message-put') raise(counters, names, row.storeId, row.message.sequenceNumber);
      else if (row.kind === 'message-id-noted') raise(counters, names, row.storeId, row.noted.sequenceNumber);
      else if (row.kind === 'store-emptied' || row.kind === 'time-put') others.push(row);
      else if (row.kind !== 'rows-discarded' && row.kind !== 'session-state-put') entities.push(row);
    }
  }
  return { rows: [...entities, ...counters.values(), ...others], names };
}

/** The next number is above all numbers that were given. */
function raise(
  counters: Map<string, CounterPut>,
  names: StoreNames,
  rowsId: number,
  sequenceNumber: number,
): void {
  const store = names.find(rowsId);
  if (store === undefined) return;
  const partitionId = store.isPartitioned ? Math.floor(sequenceNumber / PARTITION_SIZE) : 0;
  const counter = {
    kind: 'sequence-put' as const,
    storeId: store.mainStoreId,
    partitionId,
    nextSequenceNumber: sequenceNumber + 1,
  };
  const name = nameOf(counter);
  if ((counters.get(name)?.nextSequenceNumber ?? 0) <= sequenceNumber) counters.set(name, counter);
}

function nameOf({ storeId, partitionId }: CounterPut): string {
  return `${storeId}/${partitionId}`;
}
