// The last thing that the page has done, said in one line, with a way back where there is one.

import { signal } from '@preact/signals';
import { ApiError } from './api.js';

export type Said = {
  readonly text: string;
  readonly isError: boolean;
  /** Undoes it; undefined if that is not possible. */
  readonly undo: (() => Promise<void>) | undefined;
};

const SHOWN_MS = 8000;

export const said = signal<Said | undefined>(undefined);
let timer: ReturnType<typeof setTimeout> | undefined;

export function say(text: string, undo?: () => Promise<void>): void {
  show({ text, isError: false, undo });
}

/** Says what was wrong and what to do. */
export function sayError(error: unknown): void {
  show({ text: textOf(error), isError: true, undo: undefined });
}

/**
 * Undoes what was said last. Until that has ended the note has no way back, so that it is gone once; after a failure it can be tried
 * again.
 */
export async function undo(): Promise<void> {
  const last = said.peek();
  if (last?.undo === undefined) return;
  said.value = { ...last, undo: undefined };
  try {
    await last.undo();
  } catch (error) {
    show({ text: `The undo failed: ${textOf(error)}`, isError: true, undo: last.undo });
  }
}

/** Runs an act of the page, and says its error. */
export async function attempt(act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    // The screen that looked has gone.
    if (error instanceof DOMException && error.name === 'AbortError') return;
    sayError(error);
  }
}

function textOf(error: unknown): string {
  const hint = error instanceof ApiError && error.hint !== undefined ? ` ${error.hint}` : '';
  return `${error instanceof Error ? error.message : String(error)}${hint}`;
}

function show(next: Said): void {
  clearTimeout(timer);
  said.value = next;
  if (!next.isError) timer = setTimeout(() => dismiss(), SHOWN_MS);
}

export function dismiss(): void {
  said.value = undefined;
}
