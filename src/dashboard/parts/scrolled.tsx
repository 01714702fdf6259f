// A part of a panel that scrolls, also by the keys of the arrows.

import type { ComponentChildren } from 'preact';

type ScrolledProps = {
  readonly label: string;
  /** Takes no more room than a few lines. */
  readonly isShort?: boolean;
  readonly children: ComponentChildren;
};

export function Scrolled({ label, isShort = false, children }: ScrolledProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus no key scrolls it
    <section class={isShort ? 'rows short' : 'rows'} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
