// The lanes of the timeline, with their names at the left and the time above.

import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Icon, type IconName } from '../../parts/icon.js';
import { shownText } from '../../state/format.js';
import { entityAt } from '../../state/model.js';
import { hrefOf } from '../../state/route.js';
import { moveBy, record } from './live.js';
import { pointAt, pointed } from './pointer.js';
import { BoxShape, CountShape, EndingShape, HopShape, TokenShape, WaitShape } from './shapes.js';
import { countTip, laneName, type Tip, tipOf } from './timeline-labels.js';
import type { LaneRow } from './timeline-lanes.js';
import type { Stay } from './timeline-message.js';
import type { Scene } from './timeline-scene.js';

type PlotProps = { readonly scene: Scene; readonly labelWidth: number };

export function Axis({ scene, labelWidth }: PlotProps) {
  const { width, ticks } = scene;
  return (
    <div class="tlaxis" aria-hidden="true">
      <span style={{ width: `${labelWidth}px` }} />
      <div class="tlclip" style={{ width: `${width}px` }}>
        <svg class="fig tl" width={width} height="32" data-move role="presentation">
          {ticks.map(({ at, text }) => (
            <text key={at} class="s c" x={placeAt(scene, at)} y="20">
              {text}
            </text>
          ))}
        </svg>
      </div>
    </div>
  );
}

function placeAt({ window, width, origin }: Scene, at: number): number {
  return Math.round(((at - origin) * width * 10) / (window.to - window.from)) / 10;
}

export function Lanes({ scene, labelWidth }: PlotProps) {
  const frame = useRef<HTMLDivElement>(null);
  const { rows, laneHeight, width, nowX } = scene;
  const height = rows.length * laneHeight;
  const look = (event: Event) => lookAt(event, scene, frame.current);
  return (
    <div class="tllanes" ref={frame}>
      <ul class="tlnames" style={{ width: `${labelWidth}px` }} aria-label="Lanes">
        {rows.map((row) => (
          <Name key={row.key} row={row} height={laneHeight} />
        ))}
      </ul>
      <fieldset
        class="tlplot"
        style={{ width: `${width}px`, height: `${height}px` }}
        aria-label={`${rows.length} lanes; the list beside has the same steps`}
        onPointerMove={(event) => {
          // A token that runs below a pointer at rest is not looked at.
          if (event.movementX !== 0 || event.movementY !== 0) look(event);
        }}
        onPointerLeave={() => pointAt(undefined)}
        onFocusIn={look}
        onFocusOut={() => pointAt(undefined)}
        onWheel={(event) => {
          const sideways = event.shiftKey ? event.deltaY : event.deltaX;
          if (Math.abs(sideways) < 1) return;
          event.preventDefault();
          moveBy(sideways / width);
        }}
      >
        <Ground scene={scene} height={height} />
        <Layer width={width} scene={scene}>
          <Grid scene={scene} height={height} />
        </Layer>
        <Layer width={nowX ?? width} scene={scene}>
          <Past scene={scene} />
        </Layer>
        <Layer width={width} scene={scene}>
          <Messages scene={scene} />
        </Layer>
        {nowX === undefined ? null : <i class="tlnow" style={{ left: `${nowX}px` }} />}
      </fieldset>
      <TipBox />
    </div>
  );
}

type LayerProps = { readonly width: number; readonly scene: Scene; readonly children: ComponentChildren };

/** A drawing that moves as a whole, which costs no new layout, behind a window of this width. */
function Layer({ width, scene, children }: LayerProps) {
  const height = scene.rows.length * scene.laneHeight;
  return (
    <div class="tlclip" style={{ width: `${width}px`, height: `${height}px` }}>
      <svg class="fig tl" width={scene.width} height={height} data-move role="presentation">
        {children}
      </svg>
    </div>
  );
}

const ICONS: Readonly<Record<string, IconName>> = {
  queue: 'queue',
  topic: 'topic',
  subscription: 'subscription',
};

function Name({ row, height }: { readonly row: LaneRow; readonly height: number }) {
  const { kind, path } = row;
  const name = shownText(laneName(row), 60);
  if (kind !== 'entity') {
    return (
      <li class={kind === 'consumer' ? 'consumer' : 'sender'} style={{ height: `${height}px` }} title={name}>
        {kind === 'consumer' ? <i /> : <Icon name="plug" />}
        <span class="el">
          <bdi>{name}</bdi>
        </span>
      </li>
    );
  }
  const isSubQueue = path.includes('/$');
  const known = entityAt(path);
  const owner = path.replace(/\/\$.*$/, '');
  const href = hrefOf({
    screen: 'entity',
    path: owner,
    tab: isSubQueue ? 'dead' : known?.kind === 'topic' ? 'scheduled' : 'active',
    filter: '',
  });
  return (
    <li style={{ height: `${height}px` }} title={path}>
      <Icon name={isSubQueue ? 'dead' : (ICONS[known?.kind ?? ''] ?? 'queue')} />
      <a class="el" href={href}>
        <bdi>{name}</bdi>
      </a>
    </li>
  );
}

function Ground({
  scene: { rows, laneHeight, width },
  height,
}: {
  readonly scene: Scene;
  readonly height: number;
}) {
  return (
    <svg class="fig ground" width={width} height={height} aria-hidden="true">
      {rows.map(({ key, kind }, index) => (
        <g key={key}>
          <rect
            class={kind === 'consumer' ? 'lane alt' : 'lane'}
            y={index * laneHeight}
            width={width}
            height={laneHeight}
          />
          <line class="lay" x1="0" x2={width} y1={index * laneHeight} y2={index * laneHeight} />
        </g>
      ))}
      <line class="lay" x1="0" x2={width} y1={height} y2={height} />
    </svg>
  );
}

/** The marks of the axis, the time before the record begins, and counts where messages are too many. */
function Grid({ scene, height }: { readonly scene: Scene; readonly height: number }) {
  const { width, window, ticks, counts, rows } = scene;
  const { oldest } = record.steps;
  const isBefore = record.isCut && oldest !== undefined && oldest > window.from;
  return (
    <>
      {ticks.map(({ at }) => {
        const x = placeAt(scene, at);
        return <line key={at} class="grid" x1={x} x2={x} y1="0" y2={height} />;
      })}
      {isBefore ? (
        <rect class="before" x={placeAt(scene, oldest) - width * 2} width={width * 2} height={height} />
      ) : null}
      <g class={scene.isFollowing ? 'muted' : undefined}>
        {counts?.tokens.map((token) => (
          <CountShape
            key={`${rows[token.lane]?.index} ${token.bucket.at}`}
            token={token}
            scene={scene}
            most={counts.most}
          />
        ))}
      </g>
    </>
  );
}

/** Lines and boxes that go on, which are shown as far as to the present. */
function Past({ scene }: { readonly scene: Scene }) {
  const left = placeAt(scene, scene.window.from);
  return (
    <>
      {scene.drawing.waits.map((wait) => (
        <WaitShape key={wait.key} wait={wait} />
      ))}
      {scene.drawing.boxes.map((box) => (
        <BoxShape key={box.key} box={box} left={left} />
      ))}
    </>
  );
}

function Messages({ scene }: { readonly scene: Scene }) {
  const { drawing } = scene;
  const last = drawing.tokens.at(-1);
  return (
    <>
      {drawing.hops.map((hop) => (
        <HopShape key={hop.key} hop={hop} />
      ))}
      {drawing.endings.map((ending) => (
        <EndingShape key={ending.key} ending={ending} />
      ))}
      {drawing.tokens.map((token) => (
        <TokenShape key={token.key} token={token} tabIndex={token === last ? 0 : -1} />
      ))}
    </>
  );
}

/** Room for a tip below a token. */
const TIP_PX = 260;

function lookAt({ target }: Event, scene: Scene, frame: HTMLElement | null): void {
  const element = target instanceof Element ? target.closest<SVGElement>('[data-key]') : null;
  const key = element?.dataset.key;
  const found = key === undefined ? undefined : foundAt(key, scene);
  if (element === null || frame === null || found === undefined) {
    if (pointed.peek() !== undefined) pointAt(undefined);
    return;
  }
  const [at, around] = [element.getBoundingClientRect(), frame.getBoundingClientRect()];
  const isAbove = at.bottom > innerHeight - TIP_PX;
  const y = isAbove ? around.bottom - at.top + 6 : at.bottom - around.top + 6;
  pointAt({ ...found, x: Math.max(at.left, around.left) - around.left, y, isAbove });
}

function foundAt(key: string, scene: Scene): { stay: Stay | undefined; tip: Tip } | undefined {
  const { tokens, boxes } = scene.drawing;
  const stay = [...tokens, ...boxes].find((each) => each.key === key)?.stay;
  if (stay !== undefined) return { stay, tip: tipOf(stay) };
  const count = scene.counts?.tokens.find(
    ({ lane, bucket }) => key === `n${scene.rows[lane]?.index} ${bucket.at}`,
  );
  const row = count === undefined ? undefined : scene.rows[count.lane];
  if (count === undefined || row === undefined) return undefined;
  return { stay: undefined, tip: countTip(row, count.bucket, scene.counts?.stretchMs ?? 0) };
}

function TipBox() {
  const { value } = pointed;
  if (value?.tip === undefined) return null;
  const [title = '', ...lines] = value.tip;
  const left = `min(${value.x}px, 100% - 320px)`;
  const place = value.isAbove ? { left, bottom: `${value.y}px` } : { left, top: `${value.y}px` };
  return (
    <div class="tltip" role="status" style={place}>
      <b>{title}</b>
      {lines.map((line) => (
        <p key={line}>
          <bdi dir="auto">{line}</bdi>
        </p>
      ))}
    </div>
  );
}
