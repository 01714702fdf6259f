// Draws the timeline at most once in a frame, and moves what is drawn in between.

import { useSignal } from '@preact/signals';
import { type RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { listed } from '../../state/model.js';
import { TimelineLetters } from '../../state/timeline-letters.js';
import { type Scene, sceneOf } from '../../state/timeline-scene.js';
import { changeCount, following, heldEnd, pausedAt, record, windowNow } from './live.js';

/** New scenes come this often at most; slow ones less often, so that the page has most of the time for other things. */
const LEAST_MS = 90;
const REST_FACTOR = 5;
/** Without motion, the view jumps once a second. */
const STILL_MS = 1000;
const isStill = matchMedia('(prefers-reduced-motion: reduce)');

type Size = { readonly width: number; readonly height: number };

/** The scene, drawn for the size of the element; parts with `data-move` go along with the time. */
export function useScene(frame: RefObject<HTMLElement>, labelWidth: number): Scene | undefined {
  const size = useSize(frame, labelWidth);
  const scene = useSignal<Scene | undefined>(undefined);
  const letters = useRef(new TimelineLetters());
  useLayoutEffect(() => {
    if (scene.value !== undefined && frame.current !== null) move(frame.current, scene.value);
  });
  useEffect(() => {
    let frameId = 0;
    let drawn = { at: 0, cost: 0, changes: -1, edge: 0 };
    const draw = () => {
      frameId = requestAnimationFrame(draw);
      const begun = performance.now();
      const window = windowNow();
      const isLive = heldEnd.peek() === undefined && pausedAt.peek() === undefined;
      const isChanged = drawn.changes !== changeCount.peek() || scene.peek()?.width !== size.width;
      const rest = Math.max(isStill.matches && !isChanged ? STILL_MS : LEAST_MS, drawn.cost * REST_FACTOR);
      const isMoved = window.to !== drawn.edge;
      if ((isChanged || isMoved) && begun - drawn.at >= rest) {
        drawn = { at: begun, cost: 0, changes: changeCount.peek(), edge: window.to };
        const order = new Map(listed.peek().map(({ path }, index) => [path.toLowerCase(), index]));
        const query = { record, following: following.peek(), letters: letters.current, window, ...size, isLive, order };
        scene.value = sceneOf(query);
        // The drawing of the page itself is in the next task.
        setTimeout(() => {
          drawn.cost = performance.now() - begun;
        });
      } else if (isMoved && !isStill.matches && frame.current !== null && scene.peek() !== undefined) {
        move(frame.current, scene.peek());
      }
    };
    frameId = requestAnimationFrame(draw);
    return () => cancelAnimationFrame(frameId);
  }, [size]);
  return scene.value;
}

function move(frame: HTMLElement, scene: Scene | undefined): void {
  if (scene === undefined) return;
  const { window, width } = scene;
  const pixels = ((window.to - windowNow().to) * width) / (window.to - window.from);
  for (const part of frame.querySelectorAll<SVGElement>('[data-move]')) {
    part.style.transform = isStill.matches ? '' : `translateX(${pixels.toFixed(2)}px)`;
  }
}

function useSize(frame: RefObject<HTMLElement>, labelWidth: number): Size {
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
