// The rows of a long list that are in view, so that a million of them cost as much as a screenful.

import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows above and below the view that are drawn as well. */
const AHEAD = 4;
/** Browsers draw nothing below this many pixels. */
const MAX_HEIGHT = 8_000_000;

export type VirtualRows = {
  /** For the element that scrolls. */
  readonly ref: (element: HTMLElement | null) => void;
  readonly first: number;
  /** Behind the last row to draw. */
  readonly end: number;
  /** The pixels above the first and below the last row. */
  readonly above: number;
  readonly below: number;
  /** Brings a row into view. */
  readonly show: (index: number) => void;
};

/** `rowHeight` is in pixels. With more rows than a browser can scroll through, a pixel stands for several. */
export function useVirtualRows(count: number, rowHeight: number): VirtualRows {
  const element = useRef<HTMLElement | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const [view, setView] = useState({ top: 0, height: 800 });
  const height = Math.min(MAX_HEIGHT, count * rowHeight);
  const scale = count === 0 ? 1 : (count * rowHeight) / Math.max(1, height);
  const measure = useCallback(() => {
    const { current } = element;
    if (current !== null) setView({ top: current.scrollTop, height: current.clientHeight });
  }, []);
  const scrolled = useCallback(() => {
    // Rows are drawn in a task of their own: with the layout of the frame, and the painting, one would be long.
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      measure();
    });
  }, [measure]);
  const ref = useCallback(
    (next: HTMLElement | null) => {
      element.current?.removeEventListener('scroll', scrolled);
      element.current = next;
      next?.addEventListener('scroll', scrolled, { passive: true });
    },
    [scrolled],
  );
  useLayoutEffect(() => {
    measure();
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, [measure]);
  const firstInView = Math.floor((view.top * scale) / rowHeight);
  const inView = Math.ceil(view.height / rowHeight);
  const first = Math.max(0, Math.min(count - inView, firstInView) - AHEAD);
  const end = Math.min(count, first + inView + 2 * AHEAD);
  const above = Math.max(0, view.top - (firstInView - first) * rowHeight);
  return {
    ref,
    first,
    end,
    above: scale === 1 ? first * rowHeight : above,
    below: Math.max(0, height - (scale === 1 ? end * rowHeight : above + (end - first) * rowHeight)),
    show: (index) => {
      const { current } = element;
      if (current === null) return;
      const top = (index * rowHeight) / scale;
      if (top < current.scrollTop) current.scrollTop = top;
      else if (top + rowHeight > current.scrollTop + current.clientHeight) {
        current.scrollTop = top + rowHeight - current.clientHeight;
      }
    },
  };
}
