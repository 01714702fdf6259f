// The shapes of the timeline as SVG.

import { type IconName, iconShape } from '../../parts/icon.js';
import { numberText, shownText } from '../../state/format.js';
import { hrefOf } from '../../state/route.js';
import { pointed } from './pointer.js';
import type { Box, Ending, Hop, Token, Wait } from './timeline-drawing.js';
import { boxText, placeOf, shortTip } from './timeline-labels.js';
import type { Badge } from './timeline-letters.js';
import type { CountToken, Scene } from './timeline-scene.js';

const ENDINGS: Readonly<Record<string, readonly [icon: IconName, tone: string]>> = {
  completed: ['check', 'hot'],
  consumed: ['check', 'hot'],
  abandoned: ['undo', 'warned'],
  'lock-expired': ['warning', 'warned'],
  'dead-lettered': ['dead', 'red'],
  expired: ['scheduled', 'red'],
  unmatched: ['rule', 'warned'],
  deferred: ['deferred', ''],
  released: ['undo', ''],
  deleted: ['close', ''],
  cancelled: ['close', ''],
  purged: ['close', ''],
};

type Tinted = { readonly badge: Badge | undefined; readonly isHot: boolean };

/** Followed, of a group, or neither. */
function tone({ badge, isHot }: Tinted): string {
  const hue = badge === undefined ? '' : ` hue-${badge.hue}`;
  return `${isHot ? ' hot' : ''}${hue}`;
}

export function WaitShape({ wait }: { readonly wait: Wait }) {
  const { x1, x2, y } = wait;
  return <line class={`wait${tone(wait)}`} x1={x1} x2={x2} y1={y} y2={y} />;
}

/** Its text stands within the window, whose left edge is `left`. */
export function BoxShape({ box, left }: { readonly box: Box; readonly left: number }) {
  const { stay, hold, x, width, y, height, badge } = box;
  const isOn = pointed.value?.stay === stay;
  const text = boxText(stay, hold, badge?.letter ?? '', width - Math.max(0, left - x));
  return (
    <a
      href={hrefOf(placeOf(stay))}
      tabIndex={-1}
      data-key={box.key}
      aria-label={shortTip(stay)}
      class={isOn ? 'on' : undefined}
    >
      <rect class={`held${tone(box)}`} x={x} y={y - height / 2} width={width} height={height} rx="3" />
      {text === '' ? null : (
        <text class="heldtext" x={Math.max(x, left) + 6} y={y + 4}>
          {text}
        </text>
      )}
    </a>
  );
}

export function TokenShape({ token, tabIndex }: { readonly token: Token; readonly tabIndex: number }) {
  const { stay, x, y, badge, isHot, rule } = token;
  const isOn = pointed.value?.stay === stay;
  const size = badge !== undefined ? 14 : isHot ? 12 : 8;
  return (
    <a
      href={hrefOf(placeOf(stay))}
      tabIndex={tabIndex}
      data-key={token.key}
      aria-label={shortTip(stay)}
      class={isOn ? 'on' : undefined}
    >
      <rect class="reach" x={x - 9} y={y - 12} width="18" height="24" />
      <rect class={`tok${tone(token)}`} x={x - size / 2} y={y - size / 2} width={size} height={size} rx="2" />
      {badge === undefined ? null : (
        <text class={`letter${tone(token)}`} x={x} y={y + 4}>
          {badge.letter}
        </text>
      )}
      {rule === undefined ? null : (
        <text class="s2 e" x={x - 10} y={y + 4}>
          {shownText(rule, 24)}
        </text>
      )}
    </a>
  );
}

export function HopShape({ hop }: { readonly hop: Hop }) {
  const { kind, x, y1, y2 } = hop;
  const style = kind === 'forwarded' || kind === 'moved' ? ' fwd' : kind === 'dead' ? ' red' : '';
  return <path class={`hop${style}${tone(hop)}`} d={`M${x.toFixed(1)} ${y1}V${y2}`} />;
}

export function EndingShape({ ending }: { readonly ending: Ending }) {
  const { mark, x, y, isHot, badge } = ending;
  const [icon, color] = ENDINGS[mark.event.kind] ?? [];
  if (icon === undefined) return null;
  const isMuted = color === 'hot' && !isHot && badge === undefined;
  return (
    <svg
      class={`gl ${isMuted ? '' : color}`}
      x={x - 6}
      y={y - 6}
      width="12"
      height="12"
      viewBox="0 0 16 16"
      aria-hidden="true"
    >
      {iconShape(icon)}
    </svg>
  );
}

type CountProps = { readonly token: CountToken; readonly scene: Scene; readonly most: number };

/** A token that stands for many, filled by how many they are. */
export function CountShape({ token, scene, most }: CountProps) {
  const { lane, x, width, bucket } = token;
  const row = scene.rows[lane];
  if (row === undefined) return null;
  // A store that messages only leave shows how many have left: deleted, purged or forwarded.
  const isLeft = row.kind === 'entity' && bucket.in === 0;
  const count = row.kind === 'consumer' ? Math.max(bucket.held, bucket.done) : bucket.in || bucket.done;
  const y = (lane + 0.5) * scene.laneHeight;
  const level = Math.min(4, Math.ceil((4 * count) / most));
  return (
    <g data-key={`n${row.index} ${bucket.at}`}>
      {count === 0 ? null : (
        <>
          <rect class={`many level-${level}`} x={x} y={y - 9} width={width} height="18" rx="3" />
          <text class="s2 c" x={x + width / 2} y={y + 4}>
            {isLeft ? '−' : ''}
            {numberText(count)}
          </text>
        </>
      )}
      {bucket.bad === 0 ? null : (
        <text class={row.kind === 'consumer' ? 's c amb' : 's c red'} x={x + width / 2} y={y + 19}>
          {row.kind === 'consumer' ? '↩' : '×'} {numberText(bucket.bad)}
        </text>
      )}
    </g>
  );
}
