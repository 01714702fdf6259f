// The icons of the page: 16 by 16, lines of 1.5.

import type { JSX } from 'preact';

/** Made anew for each use: an element that is kept would keep all that was ever drawn around it. */
const SHAPES = {
  queue: () => (
    <>
      <path d="M2 4h12v8H2zM5.5 4v8M9 4v8" />
    </>
  ),
  topic: () => (
    <>
      <circle cx="4" cy="8" r="2" />
      <path d="M6 8h3l4-4M9 8h4M9 8l4 4" />
    </>
  ),
  subscription: () => (
    <>
      <path d="M3 3v6a2 2 0 0 0 2 2h7M9.5 8.5 12 11l-2.5 2.5" />
    </>
  ),
  rule: () => (
    <>
      <path d="M2 3h12L9.5 8.5V13l-3-1.5v-3z" />
    </>
  ),
  forward: () => (
    <>
      <path d="M2 8h11M9 4l4 4-4 4" />
    </>
  ),
  active: () => (
    <>
      <circle cx="8" cy="8" r="5" fill="currentColor" stroke="none" />
    </>
  ),
  locked: () => (
    <>
      <rect x="3" y="7" width="10" height="7" rx="1" />
      <path d="M5 7V5a3 3 0 0 1 6 0v2" />
    </>
  ),
  scheduled: () => (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 4.5V8l2.5 1.5" />
    </>
  ),
  deferred: () => (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M6.3 6v4M9.7 6v4" />
    </>
  ),
  dead: () => (
    <>
      <path d="M5 2h6l3 3v6l-3 3H5l-3-3V5zM6 6l4 4M10 6l-4 4" />
    </>
  ),
  warning: () => (
    <>
      <path d="M8 2 15 14H1zM8 6.5v3.2M8 12v.1" />
    </>
  ),
  check: () => (
    <>
      <path d="m3 8.5 3.5 3.5L13 4.5" />
    </>
  ),
  close: () => (
    <>
      <path d="m4 4 8 8M12 4l-8 8" />
    </>
  ),
  unknown: () => (
    <>
      <path d="M5.5 6a2.5 2.5 0 1 1 3.6 2.2C8.3 8.7 8 9.2 8 10M8 12.8v.1" />
    </>
  ),
  copy: () => (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1" />
      <path d="M10.5 5.5v-3h-8v8h3" />
    </>
  ),
  search: () => (
    <>
      <circle cx="7" cy="7" r="4.5" />
      <path d="m10.5 10.5 3.5 3.5" />
    </>
  ),
  pause: () => (
    <>
      <path d="M5.5 3.5v9M10.5 3.5v9" />
    </>
  ),
  play: () => (
    <>
      <path d="M5 3v10l8-5z" />
    </>
  ),
  theme: () => (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 2v12a6 6 0 0 0 0-12z" fill="currentColor" />
    </>
  ),
  undo: () => (
    <>
      <path d="M6 3 2.5 6.5 6 10M2.5 6.5H10a3.5 3.5 0 0 1 0 7H7" />
    </>
  ),
  menu: () => (
    <>
      <path d="M2 4h12M2 8h12M2 12h12" />
    </>
  ),
  more: () => (
    <>
      <path d="M3 8h.1M8 8h.1M13 8h.1" strokeWidth="2.4" />
    </>
  ),
  down: () => (
    <>
      <path d="m4 6 4 4 4-4" />
    </>
  ),
  right: () => (
    <>
      <path d="m6 4 4 4-4 4" />
    </>
  ),
  session: () => (
    <>
      <circle cx="8" cy="5.5" r="2.5" />
      <path d="M3 13.5c.5-3 2.5-4 5-4s4.5 1 5 4" />
    </>
  ),
  plug: () => (
    <>
      <path d="M6 2v3M10 2v3M4 5h8v3a4 4 0 0 1-8 0zM8 12v2.5" />
    </>
  ),
  grid: () => (
    <>
      <path d="M2.5 3h11v10h-11zM2.5 6.5h11M6.5 6.5V13" />
    </>
  ),
  lanes: () => (
    <>
      <path d="M2 4h6M5 8h8M3 12h5" />
    </>
  ),
  bolt: () => (
    <>
      <path d="M9 1.5 3.5 9H8l-1 5.5L12.5 7H8z" />
    </>
  ),
  out: () => (
    <>
      <path d="M8 10V2.5M5 5.5l3-3 3 3M3 10v3.5h10V10" />
    </>
  ),
  info: () => (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 7.5v3.5M8 5v.1" />
    </>
  ),
  jitney: () => (
    <>
      <rect x="2" y="3" width="12" height="8.5" rx="2" />
      <path d="M2 7.5h12M8 3v4.5M5 11.5V13M11 11.5V13" />
    </>
  ),
  accepted: () => (
    <>
      <path d="M8 2v8M4.5 6.5 8 10l3.5-3.5M3 13.5h10" />
    </>
  ),
  back: () => (
    <>
      <path d="M13 8H3M7 4 3 8l4 4" />
    </>
  ),
  end: () => (
    <>
      <path d="M6 3H3v10h3M8 8h6M11 5l3 3-3 3" />
    </>
  ),
  edit: () => (
    <>
      <path d="M3 13l.7-2.800L11 3l2 2-7.200 7.300z" />
    </>
  ),
} as const satisfies Readonly<Record<string, () => JSX.Element>>;

export type IconName = keyof typeof SHAPES;

/** An icon beside a word that says the same; with `label`, one that stands alone. */
export function Icon({ name, label }: { readonly name: IconName; readonly label?: string }) {
  return (
    <svg
      class="i"
      viewBox="0 0 16 16"
      role={label === undefined ? undefined : 'img'}
      aria-hidden={label === undefined}
      aria-label={label}
    >
      {SHAPES[name]()}
    </svg>
  );
}
