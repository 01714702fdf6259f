import { expect, it } from 'vitest';
import { EVENTS_START, PageEvents, WORKER } from '../../testing/page-events.js';
import { TimelineMessages } from './timeline-messages.js';
import { barText, glyphOf, lifeText, rowName, spanTitle } from './timeline-words.js';

const events = new PageEvents();
const record = new TimelineMessages();
record.add(
  [
    events.at(0, 'enqueued', { path: 'events/Subscriptions/eu', sequenceNumber: 1234 }),
    events.at(2, 'locked', { path: 'events/Subscriptions/eu', sequenceNumber: 1234, client: WORKER }),
    events.at(42, 'abandoned', { path: 'events/Subscriptions/eu', sequenceNumber: 1234 }),
    events.at(42, 'dead-lettered', {
      path: 'events/Subscriptions/eu',
      sequenceNumber: 1234,
      reason: 'Bad\u202e',
    }),
  ],
  () => false,
);
const [message] = record.messages;
if (message === undefined) throw new Error('there is a message');
const [, locked, dead] = message.spans;
if (locked === undefined || dead === undefined) throw new Error('there are three spans');

it('a row says the whole life in one sentence, and what came from senders is shown', () => {
  expect(rowName(message)).toBe('events/eu (dead-letter) #1,234');
  expect(lifeText(message, EVENTS_START + 1542)).toBe(
    'waiting 2 ms, locked by worker, abandoned 40 ms, dead-lettered: Bad\\u202e 1.5 s until now',
  );
});

it('a bar says as much as it has room for, and never nothing but a colour where there is room for a glyph', () => {
  expect([300, 140, 100, 30].map((width) => barText(locked, width))).toEqual([
    'locked by worker, abandoned',
    'locked, abandoned',
    'abandoned',
    '',
  ]);
  expect([200, 120, 30].map((width) => barText(dead, width))).toEqual([
    'dead-lettered: Bad\\u202e',
    'dead-lettered',
    '',
  ]);
  expect([locked, dead].map(glyphOf)).toEqual(['undo', 'dead']);
});

it('the title of a bar says how long, from when, and whether it goes on', () => {
  expect(spanTitle(locked, 0)).toMatch(/^Locked by worker, abandoned for 40 ms, from \d\d:\d\d:00\.002$/);
  expect(spanTitle(dead, EVENTS_START + 142)).toMatch(/ for 100 ms until now, from /);
});
