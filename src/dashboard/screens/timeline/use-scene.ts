// Draws the timeline a few times a second, and only when something has changed or moved.

import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { changeCount, following, heldEnd, isStanding, present, record, windowNow } from './live.js';
import { moveParts, wantsNoMotion } from './motion.js';
import type { Window } from './timeline-axis.js';
import { TimelineLetters } from './timeline-letters.js';
import { ListPace } from './timeline-list-pace.js';
import { type Scene, sceneOf } from './timeline-scene.js';

/** New scenes come this often at most; slow ones less often, so that the page has most of the time for other things. */
const LEAST_MS = 100;
const REST_FACTOR = 4;
/** Without motion, the view jumps once a second. */
const STILL_MS = 1000;
/** Spans between the window and the place from which is counted. */
const MOST_AWAY = 4;

type Size = { readonly width: number; readonly height: number };
type Scenes = { readonly scene: Scene | undefined; readonly list: Scene | undefined };

/** The scene, drawn for the size of the element; parts with `data-move` go along with the time. */
export function useScene(frame: RefObject<HTMLElement | null>, labelWidth: number): Scenes {
  const size = useSize(frame, labelWidth);
  const scene = useSignal<Scene | undefined>(undefined);
  const { list, note } = useList();
  const letters = useRef(new TimelineLetters());
  useLayoutEffect(() => {
    if (scene.value !== undefined && frame.current?.parentElement)
      moveParts(frame.current.parentElement, scene.value);
  });
  useEffect(() => {
    if (size.width === 0) return;
    return drawAgainAndAgain(() => {
      const window = windowNow();
      const origin = originOf(scene.peek(), window, size.width);
      const query = {
        record,
        following: following.peek(),
        letters: letters.current,
        wasDense: scene.peek()?.counts !== undefined,
      };
      scene.value = sceneOf({ ...query, ...size, origin, window, present: present() });
      note(scene.value);
    });
  }, [size]);
  return { scene: scene.value, list: list.value };
}

/** Calls `draw` when there is something new to draw. Returns a function that ends it. */
function drawAgainAndAgain(draw: () => void): () => void {
  let [timer, frameId, drawnAt, cost]: [ReturnType<typeof setTimeout> | undefined, number, number, number] = [
    undefined,
    0,
    0,
    0,
  ];
  let drawn = '';
  const look = () => {
    timer = setTimeout(() => {
      frameId = requestAnimationFrame(look);
    }, LEAST_MS);
    const edge = Math.min(
      windowNow().to,
      heldEnd.peek() === undefined ? Number.POSITIVE_INFINITY : present(),
    );
    const state = `${changeCount.peek()} ${isStanding()}`;
    const isChanged = !drawn.startsWith(`${state} `);
    if (drawn === `${state} ${edge}`) return;
    const begun = performance.now();
    if (begun - drawnAt < Math.max(wantsNoMotion.matches && !isChanged ? STILL_MS : 0, cost * REST_FACTOR))
      return;
    drawn = `${state} ${edge}`;
    drawnAt = begun;
    draw();
    // The page itself is drawn in the next task.
    setTimeout(() => {
      cost = performance.now() - begun;
    });
  };
  frameId = requestAnimationFrame(look);
  return () => {
    clearTimeout(timer);
    cancelAnimationFrame(frameId);
  };
}

/** The scene of the list, which follows those that are noted. */
function useList(): { readonly list: ReadonlySignal<Scene | undefined>; note(scene: Scene): void } {
  const list = useSignal<Scene | undefined>(undefined);
  const pace = useRef<ListPace<Scene> | undefined>(undefined);
  pace.current ??= new ListPace((scene) => {
    list.value = scene;
  });
  const { current } = pace;
  return { list, note: (scene) => current.note(scene) };
}

/** Places are counted from here until the view is elsewhere. */
function originOf(scene: Scene | undefined, window: Window, width: number): number {
  const length = window.to - window.from;
  if (scene === undefined || scene.width !== width) return window.from;
  const isSame = Math.abs(scene.window.to - scene.window.from - length) < 0.5;
  return isSame && Math.abs(window.from - scene.origin) < length * MOST_AWAY ? scene.origin : window.from;
}

function useSize(frame: RefObject<HTMLElement | null>, labelWidth: number): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const look = () => {
      const next = { width: Math.max(240, current.clientWidth - labelWidth), height: current.clientHeight };
      setSize((known) => (known.width === next.width && known.height === next.height ? known : next));
    };
    const observer = new ResizeObserver(look);
    observer.observe(current);
    look();
    return () => observer.disconnect();
  }, [frame, labelWidth]);
  return size;
}
