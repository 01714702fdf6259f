// The due times of stores: a turn takes a part of those that are due, the longest due first.

import { expect, test } from 'vitest';
import { AZURE_BEHAVIOUR } from '../../../src/broker/contract/behaviour-options.js';
import { STORE_LOGS } from '../../../src/broker/execution/store-logs.js';
import { StoreDeadlines } from '../../../src/broker/namespace/store-deadlines.js';
import { ContentReferences } from '../../../src/broker/store/content-references.js';
import { Queue } from '../../../src/broker/store/queue.js';
import { TurnInProgress } from '../../../src/broker/turn/turn-in-progress.js';
import { queueRecord } from '../../support/journal-rows.js';
import { JsonReader } from '../../support/json-reader.js';

test('a turn takes 500 stores, and the next one the rest', () => {
  const deadlines = new StoreDeadlines();
  const turn = new TurnInProgress(0, AZURE_BEHAVIOUR, new ContentReferences(), undefined, new JsonReader());
  for (let number = 600; number >= 1; number--) {
    const queue = new Queue(queueRecord({ storeId: number }), STORE_LOGS);
    queue.idleAt = number;
    deadlines.refresh(queue.main, turn, true);
  }
  const take = () => deadlines.takeDue(1000).map(({ id }) => id);
  expect(take()).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
  expect(take()).toEqual(Array.from({ length: 100 }, (_, index) => index + 501));
  expect(take()).toEqual([]);
});
