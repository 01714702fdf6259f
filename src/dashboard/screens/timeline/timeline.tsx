// The timeline: a message is a row, its life a bar of spans over one time axis; beside it the steps of the chosen message, or of all.

import { useLayoutEffect, useState } from 'preact/hooks';
import { useKeys } from '../../state/keys.js';
import { go, type MessageRoute } from '../../state/route.js';
import { Head } from './head.js';
import { Lives } from './lives.js';
import { Notes, Nothing } from './notes.js';
import { Steps } from './steps.js';
import { type TailedRows, useTailedRows } from './tailed-rows.js';
import { movedStretch } from './time-axis.js';
import { followingFilter, placeOf } from './timeline-filter.js';
import type { TimelineMessage } from './timeline-messages.js';
import { useTimeline } from './use-timeline.js';
import { useZoom, type Zoom } from './use-zoom.js';

/** The part of the stretch by which the arrows move it. */
const MOVE = 0.2;
const ROW_PX = 28;
/** On a narrow page, the name of a message stands above its bar. */
const TALL_ROW_PX = 48;
const NARROW_PX = 640;
const NAME_PX = 264;

type TimelineProps = { readonly filter: string; readonly of: MessageRoute | undefined };

export function TimelineScreen({ filter, of }: TimelineProps) {
  const timeline = useTimeline(filter);
  const { messages, steps, droppedCount } = timeline;
  const isNarrow = innerWidth <= NARROW_PX;
  const rowPx = isNarrow ? TALL_ROW_PX : ROW_PX;
  const rows = useTailedRows(messages.length, rowPx, droppedCount);
  const [chosen, setChosen] = useState<TimelineMessage>();
  // With the drawing: a moment later it would take back what a key has chosen since.
  useLayoutEffect(() => setChosen(undefined), [filter]);
  const width = Math.max(120, rows.width - (isNarrow ? 0 : NAME_PX));
  const zoom = useZoom(timeline, { ...rows.seen, width, filter });
  const followChosen = () => {
    if (chosen !== undefined) go({ screen: 'timeline', filter: followingFilter(chosen) });
  };
  useTimelineKeys({ filter, messages, rows, zoom, chosen, setChosen, followChosen });
  return (
    <section class="whole timeline" aria-label="Timeline">
      <Head timeline={timeline} text={filter} zoom={zoom} />
      <Notes {...{ timeline, of }} />
      <div class="tlcols">
        <div class="panel">
          {messages.length === 0 ? (
            <Nothing timeline={timeline} text={filter} />
          ) : (
            <Lives
              {...{ messages, rows, rowPx, chosen }}
              scale={zoom.scale}
              change={zoom.change}
              onChoose={(message) => setChosen(message === chosen ? undefined : message)}
            />
          )}
        </div>
        <Steps steps={steps} chosen={chosen} onFollow={followChosen} onClose={() => setChosen(undefined)} />
      </div>
    </section>
  );
}

type KeysOwner = {
  readonly filter: string;
  readonly messages: readonly TimelineMessage[];
  readonly rows: TailedRows;
  readonly zoom: Zoom;
  readonly chosen: TimelineMessage | undefined;
  readonly setChosen: (message: TimelineMessage | undefined) => void;
  readonly followChosen: () => void;
};

function useTimelineKeys({ filter, messages, rows, zoom, chosen, setChosen, followChosen }: KeysOwner): void {
  const at = chosen === undefined ? -1 : messages.indexOf(chosen);
  const choose = (wanted: number) => {
    const index = Math.min(Math.max(0, wanted), messages.length - 1);
    setChosen(messages[index]);
    rows.show(index);
  };
  useKeys({
    j: () => choose(at < 0 ? rows.seen.first : at + 1),
    k: () => choose(at < 0 ? rows.seen.end - 1 : at - 1),
    o: () => chosen !== undefined && go(placeOf(chosen)),
    f: followChosen,
    ArrowLeft: () => zoom.change((stretch) => movedStretch(stretch, -MOVE)),
    ArrowRight: () => zoom.change((stretch) => movedStretch(stretch, MOVE)),
    '+': zoom.zoomIn,
    '=': zoom.zoomIn,
    '-': zoom.zoomOut,
    '0': zoom.showAll,
    '/': () => document.querySelector<HTMLInputElement>('[data-filter]')?.focus(),
    Escape: () => {
      if (chosen !== undefined) setChosen(undefined);
      else if (!zoom.isFitted) zoom.showAll();
      else go(filter === '' ? { screen: 'overview' } : { screen: 'timeline', filter: '' });
    },
  });
}
