// The stretch of time that the timeline shows: it fits the rows in view until the reader moves or zooms it.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { fittingStretch, type Scale, type Stretch, zoomedStretch } from './time-axis.js';
import type { Timeline } from './use-timeline.js';

/** The factor of one step. */
const ZOOM = 1.6;

type Seen = { readonly first: number; readonly end: number; readonly width: number; readonly filter: string };

export type Zoom = {
  readonly scale: Scale;
  /** Whether the stretch fits the rows in view. */
  readonly isFitted: boolean;
  readonly change: (next: (stretch: Stretch) => Stretch) => void;
  readonly zoomIn: () => void;
  readonly zoomOut: () => void;
  readonly showAll: () => void;
};

export function useZoom({ messages, now }: Timeline, { first, end, width, filter }: Seen): Zoom {
  const [held, setHeld] = useState<Stretch>();
  const fitted = useRef<{ readonly stretch: Stretch; readonly width: number; readonly filter: string }>(
    undefined,
  );
  useLayoutEffect(() => setHeld(undefined), [filter]);
  const known = fitted.current;
  const previous = known?.width === width && known.filter === filter ? known.stretch : undefined;
  const stretch = held ?? fittingStretch(messages.slice(first, end), { width, now, previous });
  if (held === undefined) fitted.current = { stretch, width, filter };
  const change: Zoom['change'] = (next) => setHeld((last) => next(last ?? stretch));
  return {
    scale: { stretch, width, now },
    isFitted: held === undefined,
    change,
    zoomIn: () => change((last) => zoomedStretch(last, 1 / ZOOM)),
    zoomOut: () => change((last) => zoomedStretch(last, ZOOM)),
    showAll: () => {
      fitted.current = undefined;
      setHeld(undefined);
    },
  };
}
