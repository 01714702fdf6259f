// Traffic as it happens: a lane for each client, entity and consumer, and the messages that move between them.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from '../../parts/icon.js';
import { numberText } from '../../state/format.js';
import { useKeys } from '../../state/keys.js';
import { go } from '../../state/route.js';
import { Head } from './head.js';
import { follow, following, goLive, heldEnd, moveBy, readAlong, zoom } from './live.js';
import { Axis, Lanes } from './plot.js';
import { pointAt } from './pointer.js';
import { Records } from './records.js';
import { Nothing, Strips } from './strips.js';
import { filterFor, placeOf } from './timeline-labels.js';
import type { Scene } from './timeline-scene.js';
import { useScene } from './use-scene.js';

const LABEL_PX = 148;
/** The part of the view by which the arrows move it. */
const MOVE = 0.25;

export function TimelineScreen({ filter }: { readonly filter: string }) {
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const stop = readAlong();
    return () => {
      stop();
      pointAt(undefined);
    };
  }, []);
  useLayoutEffect(() => {
    pointAt(undefined);
    follow(filter);
  }, [filter]);
  const { scene, list } = useScene(frame, LABEL_PX);
  const cursor = useCursor(list, filter);
  return (
    <section class="whole" aria-label="Timeline">
      <Head scene={scene} filter={filter} />
      <div class="cols tlcols">
        <div class="panel tlpanel">
          <Strips scene={scene} />
          {scene === undefined || scene.rows.length === 0 ? null : (
            <Axis scene={scene} labelWidth={LABEL_PX} />
          )}
          <div class="rows tlbody" ref={frame}>
            {scene === undefined ? null : scene.rows.length === 0 ? (
              <Nothing filter={filter} />
            ) : (
              <Lanes scene={scene} labelWidth={LABEL_PX} />
            )}
          </div>
          {scene === undefined || scene.leftOut === 0 ? null : (
            <p class="tlmore t2">
              {numberText(scene.leftOut)} more lanes with fewer steps: follow something, or filter.
            </p>
          )}
          <Legend scene={scene} />
        </div>
        {list === undefined ? null : <Records scene={list} cursor={cursor} />}
      </div>
    </section>
  );
}

/** The step under the cursor of the list, and the keys of the screen. */
function useCursor(scene: Scene | undefined, filter: string): number | undefined {
  const [cursor, setCursor] = useState<number>();
  useEffect(() => setCursor(undefined), [filter]);
  const marks = scene?.marks ?? [];
  const at = cursor === undefined ? -1 : marks.findIndex(({ id }) => id === cursor);
  const step = (down: 1 | -1) => {
    const direction = following.value.marks.length > 0 ? down : -down;
    const next = marks[at < 0 ? (direction === 1 ? 0 : marks.length - 1) : at + direction];
    if (next === undefined) return;
    setCursor(next.id);
    pointAt({ stay: next.stay, tip: undefined, x: 0, y: 0, isAbove: false });
  };
  const open = () => {
    const stay = marks[at]?.stay;
    if (stay !== undefined) go(placeOf(stay));
  };
  useKeys({
    ...{ j: () => step(1), k: () => step(-1), o: open },
    ...{ ArrowLeft: () => moveBy(-MOVE), ArrowRight: () => moveBy(MOVE) },
    ...{ '+': () => zoom(1), '=': () => zoom(1), '-': () => zoom(-1) },
    '/': () => document.querySelector<HTMLInputElement>('[data-filter]')?.focus(),
    f: () => {
      const stay = marks[at]?.stay;
      if (stay !== undefined) go({ screen: 'timeline', filter: filterFor(stay) });
    },
    Escape: () => {
      if (cursor !== undefined) setCursor(undefined);
      else if (heldEnd.peek() !== undefined && filter === '') goLive();
      else go(filter === '' ? { screen: 'overview' } : { screen: 'timeline', filter: '' });
    },
  });
  return cursor;
}

function Legend({ scene }: { readonly scene: Scene | undefined }) {
  const ends = new Set(scene?.drawing.endings.map(({ mark }) => mark.event.kind));
  return (
    <div class="row legend tllegend">
      <Entry text="message">
        <rect class="tok" x="3" y="3" width="8" height="8" rx="2" />
      </Entry>
      {scene?.isFollowing === true ? (
        <Entry text="followed">
          <rect class="tok hot" x="1" y="1" width="12" height="12" rx="2" />
        </Entry>
      ) : null}
      <Entry text="waits" width={20}>
        <line class="wait" x1="0" x2="20" y1="7" y2="7" />
      </Entry>
      <Entry text="held by a consumer" width={20}>
        <rect class="held" x="1" y="2" width="18" height="10" rx="2" />
      </Entry>
      <Entry text="forwarded" width={20}>
        <path class="hop fwd" d="M0 7h20" />
      </Entry>
      <Sign icon="check" text="completed" />
      <Sign icon="undo" text="abandoned" />
      {ends.has('lock-expired') ? <Sign icon="warning" text="lock ended" /> : null}
      {ends.has('dead-lettered') ? <Sign icon="dead" text="dead" /> : null}
      <span class="push nw">
        <Key name="Back in time" text="←" act={() => moveBy(-MOVE)} />
        <Key name="Forward in time" text="→" act={() => moveBy(MOVE)} />
        <Key name="Zoom in" text="+" act={() => zoom(1)} />
        <Key name="Zoom out" text="−" act={() => zoom(-1)} />
      </span>
    </div>
  );
}

function Entry({
  text,
  width = 14,
  children,
}: {
  readonly text: string;
  readonly width?: number;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <span class="st t2">
      <svg class="fig" width={width} height="14" aria-hidden="true">
        {children}
      </svg>
      {text}
    </span>
  );
}

function Sign({ icon, text }: { readonly icon: IconName; readonly text: string }) {
  return (
    <span class="st t2">
      <Icon name={icon} />
      {text}
    </span>
  );
}

function Key({
  name,
  text,
  act,
}: {
  readonly name: string;
  readonly text: string;
  readonly act: () => void;
}) {
  return (
    <button type="button" class="key" aria-label={name} onClick={act}>
      <kbd>{text}</kbd>
    </button>
  );
}
