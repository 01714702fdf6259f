// Notices of the page, for the acts that are not handed its store yet. New code takes `notices` from `useStore`.

import { page } from './model.js';

export function say(text: string, undo?: () => Promise<void>): void {
  const { notices } = page;
  notices.show(
    text,
    undo === undefined ? undefined : { text: 'Undo', run: () => void notices.attempt(undo) },
  );
}

export function sayError(error: unknown): void {
  page.notices.showError(error);
}

export async function attempt(act: () => Promise<void>): Promise<void> {
  await page.notices.attempt(act);
}
