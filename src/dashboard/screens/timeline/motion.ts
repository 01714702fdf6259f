// The motion of a live timeline. The browser moves the drawing by itself from one scene to the next, so that this costs the page nothing.

import { heldEnd, isStanding, windowNow } from './live.js';
import type { Scene } from './timeline-scene.js';

/** A motion is begun anew when the place changes from which is counted; it never lasts this long. */
const LONGEST_MS = 1_800_000;
export const wantsNoMotion = matchMedia('(prefers-reduced-motion: reduce)');

type Motion = { readonly key: string; readonly animation: Animation | undefined };
const motions = new WeakMap<Element, Motion>();

/** Moves the parts of a frame that have `data-move`, or has them stand still where the view is. */
export function moveParts(frame: HTMLElement, scene: Scene): void {
  const { window, width, origin } = scene;
  const scale = width / (window.to - window.from);
  const isMoving = !wantsNoMotion.matches && heldEnd.peek() === undefined && !isStanding();
  const from = wantsNoMotion.matches ? window.from : windowNow().from;
  const x = (origin - from) * scale;
  const key = isMoving ? `${origin} ${scale}` : `${x}`;
  for (const part of frame.querySelectorAll<SVGElement>('[data-move]')) {
    const motion = motions.get(part);
    if (motion?.key === key) continue;
    motion?.animation?.cancel();
    part.style.transform = `translateX(${x}px)`;
    const animation = isMoving ? begin(part, x, scale) : undefined;
    motions.set(part, { key, animation });
  }
}

function begin(part: SVGElement, x: number, scale: number): Animation {
  const end = x - LONGEST_MS * scale;
  return part.animate(
    [{ transform: `translateX(${x}px)` }, { transform: `translateX(${end}px)` }],
    LONGEST_MS,
  );
}
