import { describe, expect, it } from 'vitest';
import { actOf, actsFor, elsewhereText } from './acts.js';
import { NOTHING, outcomeText, questionText, selectedText, sum } from './manage.js';

const PLACE = { path: 'orders', tab: 'dead' } as const;
const DONE = { count: 0, sequenceNumbers: [], skippedCount: 0, skipped: [] };
const some = (...numbers: readonly number[]) => ({ kind: 'some', numbers }) as const;
const notFound = (sequenceNumber: number) => ({
  ...{ sequenceNumber, code: 'message-not-found' },
  message: `'orders' has no message ${sequenceNumber}.`,
});

describe('the outcome of an act', () => {
  it('says how many are done, and why some stayed', () => {
    const outcome = sum(sum(NOTHING, { ...DONE, count: 250 }), {
      ...{ ...DONE, count: 1, skippedCount: 2 },
      skipped: [notFound(7), notFound(8)],
    });
    const all = { place: PLACE, selected: { kind: 'all', filter: '' }, to: 'other' } as const;
    expect(outcomeText(actOf('move'), outcome, all)).toBe(
      "Moved 251 of 253 messages to other. 2 stayed: 'orders' has no message 7.",
    );
  });

  it('names the one message that it was about', () => {
    const one = { place: PLACE, selected: some(7), to: undefined };
    const done = sum(NOTHING, { ...DONE, count: 1, newSequenceNumbers: [21] });
    expect(done.newNumber).toBe(21);
    expect(outcomeText(actOf('resubmit'), done, one)).toBe('Resubmitted #7 of orders (dead-letter).');
    const none = sum(NOTHING, { ...DONE, skippedCount: 1, skipped: [notFound(7)] });
    expect(outcomeText(actOf('delete'), none, one)).toBe("'orders' has no message 7.");
  });
});

describe('the question before an act', () => {
  it.each([
    [some(7), undefined, 'Delete #7 of orders (dead-letter)?'],
    [some(7, 8), undefined, 'Delete 2 messages?'],
    [{ kind: 'all', filter: '' } as const, 1200, 'Delete all 1,200 dead letters?'],
    [{ kind: 'all', filter: 'x' } as const, undefined, 'Delete all dead letters that match?'],
  ])('has the number: %o', (selected, count, text) => {
    expect(questionText(actOf('delete'), selectedText(PLACE, selected, count))).toBe(text);
  });
});

describe('the acts for messages', () => {
  it.each([
    ['active', 'resend move dead-letter copy export delete'],
    ['dead', 'resubmit resend move copy export delete'],
    ['scheduled', 'activate resend move copy export delete'],
    ['locked', 'end-lock resend move dead-letter copy export delete'],
  ] as const)('in the tab %s are %s', (tab, names) => {
    expect(
      actsFor(tab, false)
        .map(({ name }) => name)
        .join(' '),
    ).toBe(names);
    expect(
      actsFor(tab, true)
        .map(({ name }) => name)
        .join(' '),
    ).toBe('copy export');
  });

  it('say what they are for where they are not', () => {
    expect(elsewhereText(actOf('resubmit'))).toBe('Resubmit is for dead letters.');
    expect(elsewhereText(actOf('activate'))).toBe('Activate now is for scheduled and deferred messages.');
  });
});
