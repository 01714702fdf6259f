import { describe, expect, it } from 'vitest';
import { EVENTS_START, PageEvents } from '../../testing/page-events.js';
import { barsOf, fittingStretch, marksOf, movedStretch, type Stretch, zoomedStretch } from './time-axis.js';
import { TimelineMessages } from './timeline-messages.js';

const WIDTH = 800;

/** Messages that come at 0, are locked after 20 ms and, if they end, completed at so many milliseconds. */
function messagesEnding(...ends: readonly (number | undefined)[]) {
  const events = new PageEvents();
  const record = new TimelineMessages();
  for (const [index, ms] of ends.entries()) {
    const sequenceNumber = index + 1;
    const steps = [events.at(0, 'enqueued', { sequenceNumber }), events.at(20, 'locked', { sequenceNumber })];
    if (ms !== undefined) steps.push(events.at(ms, 'completed', { sequenceNumber }));
    record.add(steps, () => false);
  }
  return record.messages;
}

function drawn(messages: ReturnType<typeof messagesEnding>, stretch: Stretch, now = EVENTS_START + 1000) {
  const [message] = messages;
  if (message === undefined) throw new Error('there is no message');
  return barsOf(message, { stretch, width: WIDTH, now });
}

describe('the stretch of time', () => {
  it('fits the messages from the first begin to the last step, with room for the word of the end', () => {
    const messages = messagesEnding(85, 60);
    const stretch = fittingStretch(messages, { width: WIDTH, now: EVENTS_START + 60_000 });
    const { bars, endLeft } = drawn(messages, stretch);
    expect(bars[0]?.left).toBeCloseTo(8, 0);
    expect(endLeft).toBeGreaterThan(WIDTH * 0.75);
    expect(endLeft).toBeLessThan(WIDTH - 100);
  });

  it('reaches to the present while most of them go on, and not for a single one', () => {
    const now = EVENTS_START + 10_000;
    expect(fittingStretch(messagesEnding(undefined), { width: WIDTH, now }).to).toBeGreaterThan(now);
    expect(fittingStretch(messagesEnding(85, 60, undefined), { width: WIDTH, now }).to).toBeLessThan(now);
  });

  it('stays as it was while they fill at least half of it', () => {
    const options = { width: WIDTH, now: EVENTS_START };
    const previous = fittingStretch(messagesEnding(100), options);
    expect(fittingStretch(messagesEnding(60), { ...options, previous })).toBe(previous);
    expect(fittingStretch(messagesEnding(30), { ...options, previous })).not.toEqual(previous);
    expect(fittingStretch(messagesEnding(130), { ...options, previous }).to).toBeGreaterThan(previous.to);
  });

  it('is zoomed around a place, not below ten milliseconds, and moved by a part', () => {
    const stretch = { from: 1000, to: 2000 };
    expect(zoomedStretch(stretch, 0.5)).toEqual({ from: 1250, to: 1750 });
    expect(zoomedStretch(stretch, 2, 0)).toEqual({ from: 1000, to: 3000 });
    expect(zoomedStretch(stretch, 0.001, 1)).toEqual({ from: 1990, to: 2000 });
    expect(movedStretch(stretch, -0.25)).toEqual({ from: 750, to: 1750 });
  });
});

describe('the bars of a message', () => {
  const second = { from: EVENTS_START, to: EVENTS_START + 1000 };

  it('stand one behind the other, as wide as they lasted', () => {
    const { bars, endLeft } = drawn(messagesEnding(420), second);
    expect(bars.map(({ left, width }) => [Math.round(left), Math.round(width)])).toEqual([
      [0, 16],
      [16, 320],
    ]);
    expect(endLeft).toBeCloseTo(342);
  });

  it('are seen even if they took no time', () => {
    const { bars } = drawn(messagesEnding(20), { from: EVENTS_START - 1000, to: EVENTS_START + 100_000 });
    expect(bars.map(({ width }) => width)).toEqual([3, 3]);
    expect(bars[1]?.left).toBe((bars[0]?.left ?? 0) + 3);
  });

  it('go on to the present', () => {
    const { bars } = drawn(messagesEnding(undefined), second, EVENTS_START + 500);
    expect(bars[1]).toMatchObject({ left: 16, width: 384 });
  });

  it('are cut at the edges, and the message is before or after the stretch', () => {
    const messages = messagesEnding(420);
    const at = (from: number) =>
      drawn(messages, { from: EVENTS_START + from, to: EVENTS_START + from + 100 });
    expect(at(200)).toMatchObject({ outside: undefined, bars: [{ left: -1, width: WIDTH + 2 }] });
    expect(at(500).outside).toBe('before');
    expect(at(-200).outside).toBe('after');
  });
});

describe('the marks of the axis', () => {
  it('are round times of the day, with milliseconds where there are several in a second', () => {
    const base = new Date(2026, 4, 1, 9, 50, 12, 280).getTime();
    expect(marksOf({ from: base, to: base + 500 }, WIDTH).map(({ text }) => text)).toEqual([
      '09:50:12.300',
      '09:50:12.400',
      '09:50:12.500',
      '09:50:12.600',
      '09:50:12.700',
    ]);
    expect(marksOf({ from: base, to: base + 60_000 }, WIDTH).map(({ text }) => text)).toEqual([
      ...['09:50:20', '09:50:30', '09:50:40', '09:50:50', '09:51:00'],
    ]);
  });

  it('have room between each other and before the right edge', () => {
    for (let length = 10; length < 1e9; length *= 1.7) {
      const marks = marksOf({ from: EVENTS_START, to: EVENTS_START + length }, WIDTH);
      for (const [index, { x, text }] of marks.entries()) {
        expect((marks[index + 1]?.x ?? WIDTH) - x, text).toBeGreaterThanOrEqual(text.length * 6.5);
      }
    }
  });
});
