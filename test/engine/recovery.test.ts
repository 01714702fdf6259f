// What the engine does before the first command: rows become the broker's memory, orphaned contents go.

import { expect, test } from 'vitest';
import type { StoredEvent } from '../../src/broker/contract/event.js';
import { Engine } from '../../src/engine/engine.js';
import { contentOf, ScriptedBroker } from '../support/engine-broker.js';
import { JournalByHand } from '../support/engine-journal.js';
import { startEngine } from '../support/engine-under-test.js';
import { VirtualClock } from '../support/virtual-clock.js';

test('what the journal kept is restored', async () => {
  const journal = new JournalByHand();
  const rows: StoredEvent[] = [{ kind: 'sequence-put', storeId: 1, partitionId: 0, nextSequenceNumber: 9 }];
  journal.recovered = rows;
  const { broker } = await startEngine({}, { journal });
  expect(broker.restored).toEqual(rows);
});

test('the broker can read contents from its first turn on, and while it is restored', async () => {
  const journal = new JournalByHand();
  journal.contents.set(7, contentOf(7));
  journal.recovered = [{ kind: 'sequence-put', storeId: 1, partitionId: 0, nextSequenceNumber: 9 }];
  const broker = new ScriptedBroker();
  const read: Uint8Array[] = [];
  let reader: ((contentId: number) => Uint8Array) | undefined;
  broker.readContentsFrom = (given) => {
    reader = given;
  };
  broker.restore = () => {
    if (reader !== undefined) read.push(reader(7));
  };
  await new Engine(broker, journal, new VirtualClock()).start();
  expect(read).toEqual([contentOf(7)]);
});

test('no content gets the id of one of which the journal still has anything', async () => {
  const journal = new JournalByHand();
  journal.nextContentId = 77;
  const { broker } = await startEngine({}, { journal });
  expect(broker.nextContentId).toBe(77);
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
