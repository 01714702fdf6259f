// The text of a filter field: it is used when no key was pressed for a moment, and gives way to a filter that comes from elsewhere.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';

type TypedFilter = {
  readonly typed: string;
  /** Takes what is typed, and uses it after a pause. */
  readonly change: (text: string) => void;
  /** Uses a text at once. */
  readonly use: (text: string) => void;
};

type Owner = {
  /** The filter that is in use. */
  readonly text: string;
  readonly onUse: (text: string) => void;
  /** The time after the last key until the filter is used. */
  readonly pauseMs: number;
};

export function useTypedFilter({ text, onUse, pauseMs }: Owner): TypedFilter {
  const [typed, setTyped] = useState(text);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** The filter that came from this field, or came to it last. */
  const known = useRef(text);
  useLayoutEffect(() => {
    // The field's own filter comes back without the blank just typed, and perhaps behind the next letter.
    if (text === known.current) return;
    known.current = text;
    clearTimeout(timer.current);
    setTyped(text);
  }, [text]);
  // With the drawing: a filter that is used later would lead back to where its reader has gone from.
  useLayoutEffect(() => () => clearTimeout(timer.current), []);
  const useNow = (next: string) => {
    clearTimeout(timer.current);
    known.current = next.trim();
    onUse(next.trim());
  };
  const change = (next: string) => {
    setTyped(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => useNow(next), pauseMs);
  };
  const use = (next: string) => {
    setTyped(next.trim());
    useNow(next);
  };
  return { typed, change, use };
}
