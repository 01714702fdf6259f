import { describe, expect, it } from 'vitest';
import { PageEvents, WEB, WORKER } from '../../testing/page-events.js';
import {
  followingFilter,
  matchesFilter,
  matchesStep,
  parseTimelineFilter,
  placeOf,
} from './timeline-filter.js';
import { TimelineMessages } from './timeline-messages.js';

const events = new PageEvents();
const record = new TimelineMessages();
record.add(
  [
    events.at(0, 'enqueued', { client: WEB, messageId: 'm-1', correlationId: 'c 1', sessionId: 's:1' }),
    events.at(1, 'forwarded', { destination: 'emails' }),
    events.at(2, 'enqueued', { path: 'emails', sequenceNumber: 4, messageId: 'm-1' }),
    events.at(3, 'locked', { path: 'emails', sequenceNumber: 4, client: WORKER }),
    events.at(4, 'dead-lettered', { path: 'emails', sequenceNumber: 4, reason: 'bad' }),
    events.at(5, 'enqueued', { path: 'events/Subscriptions/audit', sequenceNumber: 1, messageId: 'm-2' }),
    events.at(6, 'session-lost', { sequenceNumber: undefined, sessionId: 's:1' } as object),
  ],
  () => false,
);

function shown(text: string): readonly string[] {
  const filter = parseTimelineFilter(text);
  return record.messages
    .filter((message) => matchesFilter(filter, message))
    .map(({ entity, sequenceNumber }) => `${entity}#${sequenceNumber}`);
}

describe('the filter of the timeline', () => {
  it.each([
    ['', ['orders#1', 'emails#4', 'events/Subscriptions/audit#1']],
    ['correlation:c 1', ['orders#1']],
    ['correlation:"c 1"', ['orders#1']],
    ['session:s:1', ['orders#1']],
    ['message:m-1', ['orders#1', 'emails#4']],
    ['id:m-2', ['events/Subscriptions/audit#1']],
    ['entity:MAIL', ['emails#4']],
    ['entity:events/audit', ['events/Subscriptions/audit#1']],
    ['client:work', ['emails#4']],
    ['orders#1', ['orders#1', 'emails#4']],
    ['emails/$DeadLetterQueue#4', ['emails#4']],
    ['emails#4', ['emails#4']],
    ['m-2', ['events/Subscriptions/audit#1']],
    ['web', ['orders#1']],
    ['correlation:nothing', []],
    ['correlation:', []],
  ])('%s shows %j', (text, expected) => {
    expect(shown(text)).toEqual(expected);
  });

  it('says what is missing', () => {
    expect(parseTimelineFilter('session: ').problem).toBe('session: needs a value, as in session:C-0412.');
  });

  it('shows the steps of a session, which name no message', () => {
    const kinds = (text: string) =>
      record.steps
        .filter((step) => matchesStep(parseTimelineFilter(text), step))
        .map(({ event }) => event.kind);
    expect(kinds('session:s:1')).toEqual(['enqueued', 'forwarded', 'session-lost']);
    expect(kinds('message:m-2')).toEqual(['enqueued']);
  });

  it('follows by correlation, else by message id, else by number, and leads to where the message is', () => {
    const [order, email] = record.messages;
    if (order === undefined || email === undefined) throw new Error('there are two messages');
    expect(followingFilter(order)).toBe('correlation:c 1');
    expect(followingFilter(email)).toBe('message:m-1');
    expect(followingFilter({ ...email, messageId: undefined })).toBe('emails/$DeadLetterQueue#4');
    expect(placeOf(order)).toEqual({ screen: 'message', path: 'orders', tab: 'active', sequenceNumber: 1 });
    expect(placeOf(email)).toEqual({ screen: 'message', path: 'emails', tab: 'dead', sequenceNumber: 4 });
  });
});
