// The last thing that the page has done, or could not do, in one sentence: the toast shows it.

import { signal } from '@preact/signals';
import { ApiError } from './api.js';

/** A link to a place of the page, or a button. */
export type NoticeAct =
  | { readonly text: string; readonly href: string }
  | { readonly text: string; readonly run: () => void };

type Notice = {
  readonly text: string;
  readonly isError: boolean;
  readonly act?: NoticeAct | undefined;
};

/** An error stays until it is dismissed or another notice comes. */
const SHOWN_MS = 8000;

export class Notices {
  readonly current = signal<Notice | undefined>(undefined);
  #timer: ReturnType<typeof setTimeout> | undefined;

  show(text: string, act?: NoticeAct): void {
    this.#set({ text, isError: false, act });
    this.#timer = setTimeout(() => this.dismiss(), SHOWN_MS);
  }

  /** Says what was wrong and what to do. */
  showError(error: unknown): void {
    this.#set({ text: errorText(error), isError: true });
  }

  /** Shows an error of what the page reads by itself, unless the screen that asked has gone, or nobody answers: the banner says that. */
  showReadError(error: unknown): void {
    if (!isAbort(error) && !(error instanceof ApiError && error.status === 0)) this.showError(error);
  }

  /** Runs an act of the page, and shows its error. Resolves with whether it succeeded. */
  async attempt(act: () => Promise<void>): Promise<boolean> {
    try {
      await act();
      return true;
    } catch (error) {
      // The screen that asked has gone.
      if (!isAbort(error)) this.showError(error);
      return false;
    }
  }

  dismiss(): void {
    this.#set(undefined);
  }

  #set(next: Notice | undefined): void {
    clearTimeout(this.#timer);
    this.current.value = next;
  }
}

/** Says what was wrong, and the remedy if there is one. */
export function errorText(error: unknown): string {
  const hint = error instanceof ApiError && error.hint !== undefined ? ` ${error.hint}` : '';
  return `${error instanceof Error ? error.message : String(error)}${hint}`;
}

/** Whether a request was given up by the page itself. */
function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
