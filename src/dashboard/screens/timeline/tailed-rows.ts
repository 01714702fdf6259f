// The rows in view of a long list that grows at its end: it follows the end until the reader scrolls away from it.

import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows above and below the view that are drawn as well. */
const AHEAD = 4;

export type TailedRows = {
  /** For the element that scrolls. */
  readonly ref: (element: HTMLElement | null) => void;
  readonly first: number;
  /** Behind the last row to draw. */
  readonly end: number;
  /** The rows that are seen, without those drawn ahead. */
  readonly seen: { readonly first: number; readonly end: number };
  /** The pixels across, without the scroll bar. */
  readonly width: number;
  readonly isAtEnd: boolean;
  readonly followEnd: () => void;
  readonly show: (index: number) => void;
};

/** `droppedCount`: the rows that have been taken away from the beginning, which must not move what is read. */
export function useTailedRows(count: number, rowPx: number, droppedCount = 0): TailedRows {
  const { element, ref, view, setAtEnd, keptTop } = useView(rowPx);
  const dropped = useRef(droppedCount);
  const { isAtEnd } = view;
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const taken = droppedCount - dropped.current;
    dropped.current = droppedCount;
    const isScrolledUp = current.scrollTop < keptTop.current - 1 && !isNearEnd(current, rowPx);
    if (isAtEnd && !isScrolledUp) current.scrollTop = current.scrollHeight;
    else if (taken > 0) current.scrollTop -= taken * rowPx;
    keptTop.current = current.scrollTop;
  });
  const inView = Math.ceil(view.height / rowPx);
  const wanted = isAtEnd ? count : Math.floor(view.top / rowPx);
  const firstSeen = Math.max(0, Math.min(count - inView, wanted));
  const endSeen = Math.min(count, firstSeen + inView + 1);
  return {
    ref,
    first: Math.max(0, firstSeen - AHEAD),
    end: Math.min(count, endSeen + AHEAD),
    seen: { first: firstSeen, end: endSeen },
    width: view.width,
    isAtEnd,
    followEnd: () => setAtEnd(true),
    show: (index) => {
      const { current } = element;
      if (current === null) return;
      if (index < count - 1 && current.scrollHeight > current.clientHeight) setAtEnd(false);
      const top = index * rowPx;
      const last = top + rowPx - current.clientHeight;
      current.scrollTop = Math.min(top, Math.max(last, current.scrollTop));
    },
  };
}

/** The part of the element that is seen, measured when it is scrolled or changes its size. */
function useView(rowPx: number) {
  const element = useRef<HTMLElement | null>(null);
  const keptTop = useRef(0);
  const [view, setView] = useState({ top: 0, height: 600, width: innerWidth, isAtEnd: true });
  const measure = useCallback(() => {
    const { current } = element;
    if (current === null) return;
    const { scrollTop, clientHeight: height, clientWidth: width } = current;
    keptTop.current = scrollTop;
    const isAtEnd = isNearEnd(current, rowPx);
    setView((known) => {
      // At the end, the place follows from the number of rows: nothing is drawn anew because of it.
      const top = isAtEnd ? known.top : scrollTop;
      const isSame = known.top === top && known.height === height && known.width === width;
      return isSame && known.isAtEnd === isAtEnd ? known : { top, height, width, isAtEnd };
    });
  }, [rowPx]);
  const [observer] = useState(
    () => new ResizeObserver(() => element.current?.dispatchEvent(new Event('scroll'))),
  );
  const ref = useCallback(
    (next: HTMLElement | null) => {
      element.current?.removeEventListener('scroll', measure);
      observer.disconnect();
      element.current = next;
      next?.addEventListener('scroll', measure, { passive: true });
      if (next !== null) observer.observe(next);
    },
    [measure, observer],
  );
  const setAtEnd = (isAtEnd: boolean) => setView((known) => ({ ...known, isAtEnd }));
  return { element, ref, view, setAtEnd, keptTop };
}

function isNearEnd({ scrollTop, clientHeight, scrollHeight }: HTMLElement, rowPx: number): boolean {
  return scrollTop + clientHeight >= scrollHeight - rowPx;
}
