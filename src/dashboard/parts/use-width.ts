// The width of an element, for drawings that are laid out for the room that there is.

import { useEffect, useState } from 'preact/hooks';

/** The width is 0 until the element has been measured. */
export function useWidth(): { readonly ref: (element: HTMLElement | null) => void; readonly width: number } {
  const [element, ref] = useState<HTMLElement | null>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    return () => observer.disconnect();
  }, [element]);
  return { ref, width };
}
