// The messages that are made by copying: each must be what it would be if it had been made by itself.

import rhea from 'rhea';
import { expect, test } from 'vitest';
import { BATCH_COUNT, idOfMessage, idOfSession, MessageSeries } from './message-series.js';

function messagesOf(batch: Buffer): ReturnType<typeof rhea.message.decode>[] {
  const { body } = rhea.message.decode(batch);
  const contents: Buffer[] = body.multiple ? body.content : [body.content];
  return contents.map((content) => rhea.message.decode(content));
}

test('the messages of a batch are numbered in a row, and so are their sessions', () => {
  const messages = messagesOf(new MessageSeries({ hasSessions: true }).batch(4 * BATCH_COUNT));
  const indices = Array.from({ length: BATCH_COUNT }, (_, index) => 4 * BATCH_COUNT + index);
  expect(messages.map(({ message_id }) => message_id)).toEqual(indices.map(idOfMessage));
  expect(messages.map(({ group_id }) => group_id)).toEqual(indices.map(idOfSession));
});

test('without sessions none is named', () => {
  const messages = messagesOf(new MessageSeries({ hasSessions: false }).batch(0));
  expect(messages.map(({ message_id }) => message_id).slice(0, 2)).toEqual([idOfMessage(0), idOfMessage(1)]);
  expect(messages.every(({ group_id }) => group_id === undefined || group_id === null)).toBe(true);
});
