// The messages that are made by copying: each must be what it would be if it had been made by itself.

import rhea from 'rhea';
import { expect, test } from 'vitest';
import { BATCH_COUNT, idOfMessage, MessageSeries } from './message-series.js';

test('the messages of a batch are numbered in a row', () => {
  const { body } = rhea.message.decode(new MessageSeries().batch(4 * BATCH_COUNT));
  const ids = (body.content as Buffer[]).map((content) => rhea.message.decode(content).message_id);
  expect(ids).toEqual(
    Array.from({ length: BATCH_COUNT }, (_, index) => idOfMessage(4 * BATCH_COUNT + index)),
  );
});
