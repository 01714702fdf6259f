import { describe, expect, it } from 'vitest';
import { bucketWidth, spanFor, ticksOf, zoomed } from './timeline-axis.js';
import { namesLane, parseTimelineFilter } from './timeline-filter.js';
import { TimelineLetters } from './timeline-letters.js';
import { spread } from './timeline-spread.js';
import { STEP, TimelineSteps } from './timeline-steps.js';
import { deliveryText, peerName, wordsOf } from './timeline-words.js';

describe('the filter of the timeline', () => {
  it('takes all behind the colon as the value, with blanks and further colons', () => {
    expect(parseTimelineFilter(' correlation:a b:c ')).toMatchObject({ key: 'correlation', value: 'a b:c' });
    expect(parseTimelineFilter('Session:"C 1"')).toMatchObject({ key: 'session', value: 'C 1' });
    expect(parseTimelineFilter('id:7')).toMatchObject({ key: 'message', value: '7' });
  });

  it('takes a path with a number as one message, and any other text as a word that may mean each of them', () => {
    expect(parseTimelineFilter('events/Subscriptions/mail#12').key).toBe('number');
    expect(parseTimelineFilter('urn:order:7')).toMatchObject({ key: 'any', value: 'urn:order:7' });
    expect(parseTimelineFilter('  ').key).toBe('none');
  });

  it('says what a key without a value needs', () => {
    expect(parseTimelineFilter('session:').problem).toBe('session: needs a value, as in session:C-0412.');
  });

  it('names lanes by parts of paths as people say them, and of clients', () => {
    const path = 'events/Subscriptions/mail';
    expect(namesLane(parseTimelineFilter('entity:events/mail'), { path })).toBe(true);
    expect(namesLane(parseTimelineFilter('client:ful'), { path, client: 'Fulfilment-1' })).toBe(true);
    expect(namesLane(parseTimelineFilter('client:mail'), { path, client: 'Fulfilment-1' })).toBe(false);
    expect(namesLane(parseTimelineFilter('correlation:mail'), { path })).toBe(false);
  });
});

describe('the time axis', () => {
  const at = new Date(2026, 4, 1, 12, 0, 0).getTime();

  it('marks whole seconds by the time of day, and between them what is added', () => {
    const texts = ticksOf({ from: at, to: at + 1000 }, 400).map(({ text }) => text);
    expect(texts).toEqual(['12:00:00', '+0.2 s', '+0.4 s', '+0.6 s', '+0.8 s', '12:00:01']);
  });

  it('names the time in full at one mark where no whole second is in view', () => {
    const texts = ticksOf({ from: at + 100, to: at + 500 }, 500).map(({ text }) => text);
    expect(texts.filter((text) => text.startsWith('12:'))).toEqual(['12:00:00.200']);
  });

  it('has spans that are zoomed one by one, and the narrowest one for a time', () => {
    expect([zoomed(2000, 1), zoomed(2000, -1), zoomed(500, 1), zoomed(300_000, -1)]).toEqual([
      500, 10_000, 500, 300_000,
    ]);
    expect([spanFor(10), spanFor(490), spanFor(1580), spanFor(9e9)]).toEqual([500, 2000, 2000, 300_000]);
  });

  it('lets a token that stands for many be at least 48 pixels wide', () => {
    for (const span of [500, 2000, 10_000, 60_000, 300_000]) {
      expect((bucketWidth(span, 700) * 700) / span).toBeGreaterThanOrEqual(48);
    }
  });
});

describe('the parts of a drawing', () => {
  it('spreads events of one time, keeps all in order, and none further away than it may be', () => {
    const placed = spread(
      [
        { id: 1, at: 0, x: 0 },
        { id: 2, at: 0, x: 0 },
        { id: 3, at: 0, x: 0 },
        { id: 4, at: 1, x: 5 },
        { id: 5, at: 90, x: 90 },
      ],
      64,
    );
    expect([...placed.values()]).toEqual([0, 8, 16, 16, 90]);
    const many = Array.from({ length: 50 }, (_, id) => ({ id, at: 0, x: 0 }));
    expect(Math.max(...spread(many, 64).values())).toBeLessThanOrEqual(64);
  });

  it('keeps letter and colour of a group while it is in view, and gives them again when they run out', () => {
    const letters = new TimelineLetters();
    expect(letters.assign(['x', 'y']).get('y')).toEqual({ letter: 'B', hue: 1 });
    expect(letters.assign(['y']).get('y')?.letter).toBe('B');
    for (let index = 0; index < 300; index++) {
      const shown = letters.assign(['y', `g${index}`]);
      expect(shown.get('y')).toEqual({ letter: 'B', hue: 1 });
      expect(shown.get(`g${index}`)).not.toEqual(shown.get('y'));
    }
    const all = letters.assign(Array.from({ length: 200 }, (_, index) => `h${index}`));
    expect(new Set([...all.values()].map(({ letter, hue }) => `${letter}${hue}`)).size).toBe(24 * 6);
  });

  it('counts steps by lane and stretch of time, as far back as the ring reaches', () => {
    const steps = new TimelineSteps(8);
    for (let at = 0; at < 10; at++) steps.add(at * 10, at % 2, at === 9 ? STEP.bad : STEP.in);
    expect([steps.oldest, steps.isCut]).toEqual([20, true]);
    expect(steps.countByLane(40, 80)).toEqual(
      new Map([
        [0, 2],
        [1, 2],
      ]),
    );
    expect(steps.buckets(0, 100, 50).get(1)).toEqual([
      { at: 0, in: 1, held: 0, done: 0, bad: 0 },
      { at: 50, in: 2, held: 0, done: 0, bad: 1 },
    ]);
  });
});

describe('the words of a step', () => {
  const time = '2026-05-01T12:00:00.000Z';

  it('say where, what, and which message, and who did it', () => {
    const client = { connectionId: 3, name: 'fulfilment-1' };
    const event = { id: 1, time, path: 'orders', sequenceNumber: 4799, client };
    expect(wordsOf({ ...event, kind: 'enqueued' })).toMatchObject({
      before: 'orders',
      verb: 'accepted',
      after: '#4,799',
    });
    expect(wordsOf({ ...event, kind: 'abandoned', deliveryCount: 1, maxDeliveryCount: 3 })).toMatchObject({
      before: '',
      verb: 'abandoned',
      after: '#4,799 by fulfilment-1, 1 of 3',
      isBad: true,
    });
    expect(wordsOf({ id: 1, time, kind: 'session-lost', path: 'orders', sessionId: 'C-1' })).toMatchObject({
      before: 'orders',
      verb: 'session lost',
      after: 'C-1',
      isBad: true,
    });
  });

  it('tell connections of one SDK from each other, which have made-up names', () => {
    const product = 'azsdk-js-azureservicebus/7.9.5';
    expect(peerName({ connectionId: 4, name: 'f66b7a53-4315-d843-9ffa-50cce8c18552', product })).toBe(
      'JavaScript · 4',
    );
    expect(peerName({ connectionId: 4, name: 'mailer-1', product })).toBe('mailer-1');
  });

  it('count deliveries', () => {
    expect([1, 2, 3, 4, 11, 22].map(deliveryText)).toEqual([
      ...['1st delivery', '2nd delivery', '3rd delivery', '4th delivery', '11th delivery', '22nd delivery'],
    ]);
  });
});
