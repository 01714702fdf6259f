import { describe, expect, it } from 'vitest';
import { rawMessage } from '../../testing/raw-message.js';
import { deathOf, type History, stepsOf } from './history-panel.js';

const AT = '2026-05-01T12:00:00.000Z';
const DEAD_AT = '2026-05-01T12:10:00.000Z';
const message = rawMessage(
  { body: { kind: 'empty', section: 'none', sizeBytes: 0 } },
  { enqueuedTime: AT, deadLetteredTime: DEAD_AT, lastHolder: 'billing', deadLetterReason: 'Bad' },
);
const event = (id: number, kind: string, text: string) => ({ id, kind, text, time: AT });
const texts = (history: History) => stepsOf(history, message).map(({ text }) => text);

describe('the history of a message', () => {
  it('is its events alone where it is complete', () => {
    const events = [event(1, 'accepted', 'Accepted'), event(2, 'dead-lettered', 'Dead-lettered: Bad')];
    expect(texts({ events, isComplete: true })).toEqual(['Accepted', 'Dead-lettered: Bad']);
  });

  it('is filled in with what is stored with the message, also without any event', () => {
    expect(stepsOf({ events: [], isComplete: false, since: AT }, message)).toMatchObject([
      { text: 'Enqueued', time: AT },
      { text: 'Dead-lettered by billing: Bad', time: DEAD_AT },
    ]);
    const events = [event(7, 'dead-lettered', 'Dead-lettered: Bad')];
    expect(texts({ events, isComplete: false })).toEqual(['Enqueued', 'Dead-lettered: Bad']);
  });

  it('names the death of the last life, and none once it was resubmitted', () => {
    const events = [
      event(1, 'dead-lettered', 'Dead-lettered: Bad'),
      event(2, 'resubmitted', 'Resubmitted'),
      event(3, 'enqueued', 'Enqueued'),
    ];
    const again = event(4, 'dead-lettered', 'Dead-lettered: Worse');
    const death = (all: History['events']) => deathOf(stepsOf({ events: all, isComplete: true }, undefined));
    expect(death(events)).toBeUndefined();
    expect(death([...events, again])?.text).toBe('Dead-lettered: Worse');
  });

  it('says how many deliveries are left out behind the first ten', () => {
    const events = Array.from({ length: 20 }, (_, index) => event(index, 'locked', `Locked ${index + 1}`));
    const steps = texts({ events, isComplete: true, omittedDeliveries: 5 });
    expect(steps.slice(9, 12)).toEqual(['Locked 10', '5 deliveries between are not kept', 'Locked 11']);
    expect(steps.length).toBe(21);
  });
});
