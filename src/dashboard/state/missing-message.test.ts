// A message that is not in its queue: it has been there only if the page or an event says so.

import { expect, test } from 'vitest';
import { missingMessage } from './missing-message.js';

const ANSWER = "'orders' has no message 4200.";
const UNKNOWN = { store: 'orders', sequenceNumber: 4200, answer: ANSWER, wasShown: false, hasEvents: false };

test.each([true, false])('a message with events is not there any more (shown before: %s)', (wasShown) => {
  expect(missingMessage({ ...UNKNOWN, wasShown, hasEvents: true })).toEqual({
    title: '#4,200 is not in orders any more.',
    text: `${ANSWER} Its history says what became of it.`,
  });
});

test('a message that was shown before a restart has no history', () => {
  expect(missingMessage({ ...UNKNOWN, wasShown: true })).toEqual({
    title: '#4,200 is not in orders any more.',
    text: ANSWER,
  });
});

test('a number that nothing is known of may never have been given out', () => {
  expect(missingMessage(UNKNOWN)).toEqual({
    title: '#4,200 is not in orders.',
    text: `${ANSWER} No event is about it: it has never been there, or left before the first event that is kept.`,
  });
});
