// The keys of the page. A screen adds its own while it is shown; all are off while someone types, and while a dialog waits for an answer.

import { useLayoutEffect, useState } from 'preact/hooks';

export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** The keys that go on while they are held. Any other acts once: what it changes may have put something else in its place. */
const HELD: ReadonlySet<string> = new Set([
  ...['j', 'k', 'J', 'K', '[', ']', '+', '=', '-', 'ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'],
]);

/** The last that has a key comes first: a screen before the page around it, what was opened later before the screen. */
const stack: { keys: Keys }[] = [];
let prefix: string | undefined;

/** Has these keys mean something while the component is shown. A sequence is written with a blank: `g o`. */
export function useKeys(keys: Keys): void {
  // Its place is that of the first drawing, in which a component comes before what is in it: drawing it anew changes no order.
  const [own] = useState(() => {
    const entered = { keys };
    stack.push(entered);
    return entered;
  });
  useLayoutEffect(() => {
    own.keys = keys;
  });
  useLayoutEffect(() => () => void stack.splice(stack.indexOf(own), 1), [own]);
}

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || isDialogOpen()) return;
  if (event.repeat && !HELD.has(event.key)) return;
  const name = prefix === undefined ? event.key : `${prefix} ${event.key}`;
  prefix = undefined;
  const keys = stack.findLast((each) => Object.hasOwn(each.keys, name))?.keys;
  if (keys !== undefined) {
    event.preventDefault();
    keys[name]?.(event);
  } else if (stack.some((each) => Object.keys(each.keys).some((key) => key.startsWith(`${event.key} `)))) {
    prefix = event.key;
  }
});

/** A dialog has the keys of the browser: Escape leaves it, Enter presses its button. */
function isDialogOpen(): boolean {
  return document.querySelector('dialog[open]') !== null;
}

/** A key in a field is text; Escape leaves it. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(input|textarea|select)$/i.test(target.tagName);
}
