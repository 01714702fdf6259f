// The words for a message that is not in its queue. It has been there if the page has shown it, or if an event is about it.

import { numberText, spokenPath } from './format.js';

type Known = {
  readonly store: string;
  readonly sequenceNumber: number;
  /** The error of the interface. */
  readonly answer: string;
  readonly wasShown: boolean;
  readonly hasEvents: boolean;
};

export function missingMessage({ store, sequenceNumber, answer, wasShown, hasEvents }: Known): {
  readonly title: string;
  readonly text: string;
} {
  const title = `#${numberText(sequenceNumber)} is not in ${spokenPath(store)}`;
  if (hasEvents)
    return { title: `${title} any more.`, text: `${answer} Its history says what became of it.` };
  if (wasShown) return { title: `${title} any more.`, text: answer };
  const text = `${answer} No event is about it: it has never been there, or left before the first event that is kept.`;
  return { title: `${title}.`, text };
}
