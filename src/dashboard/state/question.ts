// The question that must be answered before the page goes on, for acts whose screen draws none of its own.

import { signal } from '@preact/signals';

export type Question = {
  readonly title: string;
  /** Says what will be gone. */
  readonly text: string;
  /** The word of the button that means yes. */
  readonly act: string;
  readonly onConfirm: () => void;
};

/** The question that is open. */
export const question = signal<Question | undefined>(undefined);
