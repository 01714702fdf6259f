// What the engine does before the first command: rows become the broker's memory, orphaned contents go.

import { expect, test } from 'vitest';
import type { StoredEvent } from '../../src/broker/event.js';
import { Engine } from '../../src/engine/engine.js';
import { VirtualClock } from '../../src/engine/virtual-clock.js';
import { ScriptedBroker } from '../support/engine-broker.js';
import { JournalByHand } from '../support/engine-journal.js';
import { startEngine } from '../support/engine-under-test.js';

test('what the journal kept is restored', async () => {
  const journal = new JournalByHand();
  const rows: StoredEvent[] = [{ kind: 'sequence-put', storeId: 1, partitionId: 0, nextSequenceNumber: 9 }];
  journal.recovered = rows;
  const { broker } = await startEngine({}, { journal });
  expect(broker.restored).toEqual(rows);
});

test('contents no message names are swept', async () => {
  const { broker, journal } = await startEngine();
  broker.neededContents = new Set([1, 3]);
  const [isNeeded] = journal.sweptWith;
  expect([1, 2, 3].map((contentId) => isNeeded?.(contentId))).toEqual([true, false, true]);
});

test('a journal that cannot be recovered stops the start, and is closed unchanged', async () => {
  const journal = new JournalByHand();
  journal.recover = () => Promise.reject(new Error('damaged'));
  const engine = new Engine(new ScriptedBroker(), journal, new VirtualClock());
  await expect(engine.start()).rejects.toThrow('damaged');
  await engine.stop();
  expect(journal.batches).toEqual([]);
  expect(journal.isClosed).toBe(true);
});
