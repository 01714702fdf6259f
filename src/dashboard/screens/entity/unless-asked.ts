// Keys that mean nothing while a dialog asks something, but to press its buttons and to leave it.

import type { Keys } from '../../state/keys.js';

export function unlessAsked(keys: Keys): Keys {
  const guarded = Object.entries(keys).map(([key, act]): [string, Keys[string]] => [
    key,
    (event) => {
      const dialog = document.querySelector<HTMLDialogElement>('dialog[open]');
      if (dialog === null) act(event);
      else if (key === 'Escape') dialog.close();
      else if (key === 'Enter' || key === ' ') pressed(event)?.click();
    },
  ]);
  return Object.fromEntries(guarded);
}

/** The button or link that has the focus: these keys press it, as everywhere. */
export function pressed({ target }: KeyboardEvent): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('button, a') : null;
}
