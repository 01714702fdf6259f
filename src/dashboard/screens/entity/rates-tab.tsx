// Messages in and out of an entity, and dead letters, in each second of the last five minutes, as the emulator has counted them.

import { useState } from 'preact/hooks';
import type { RatesAnswer } from '../../../http/control/control-schemas.js';
import { Empty, Panel } from '../../parts/panel.js';
import { useWidth } from '../../parts/use-width.js';
import { pathOf } from '../../state/api.js';
import { numberText, rateText, timeText } from '../../state/format.js';
import { type EntityRates, gapsOf, linePath, type Points, rateOfNow } from '../../state/rate-series.js';
import { usePolled } from '../../state/use-polled.js';
import { marksOf } from '../timeline/time-axis.js';

const EVERY_MS = 1000;
const STEP_MS = 1000;
const HEIGHT = 280;
const SERIES = [
  ['in', 'in'],
  ['out', 'out'],
  ['deadLettered', 'dead-lettered'],
] as const satisfies readonly (readonly [keyof EntityRates, string])[];
/** A gap that is wider says what it is. */
const WORD_PX = 88;

export function RatesTab({ path }: { readonly path: string }) {
  const address = pathOf('rates', { entity: path, stepMs: STEP_MS });
  const { value: rates } = usePolled<RatesAnswer>(address, { every: EVERY_MS });
  if (rates === undefined) return null;
  const own = rates.entities.find((each) => each.path.toLowerCase() === path.toLowerCase());
  return (
    <Panel title="Messages a second" sub="in the last five minutes; now is the last 5 s">
      {own === undefined ? (
        <Empty title="No message in the last five minutes.">
          A line appears with the next one that is sent or received.
        </Empty>
      ) : (
        <>
          <Chart rates={own} from={Date.parse(rates.from)} />
          <Legend rates={own} />
        </>
      )}
    </Panel>
  );
}

function Legend({ rates }: { readonly rates: EntityRates }) {
  return (
    <ul class="ratekey">
      {SERIES.map(([name, text]) => {
        const now = rateOfNow(rates[name], STEP_MS);
        return (
          <li key={name}>
            <i class={name} aria-hidden="true" /> {text} <b>{now === undefined ? '–' : rateText(now)}</b> a
            second now, {numberText(sumOf(rates[name]))} in these five minutes
          </li>
        );
      })}
    </ul>
  );
}

function sumOf(points: Points): number {
  return points.reduce((sum: number, count) => sum + (count ?? 0), 0);
}

function Chart({ rates, from }: { readonly rates: EntityRates; readonly from: number }) {
  const { ref, width } = useWidth();
  /** The second at the pointer. */
  const [at, setAt] = useState<number>();
  const { length } = rates.in;
  const peak = Math.max(0, ...SERIES.flatMap(([name]) => rates[name].map((count) => count ?? 0)));
  const most = roundedUp(peak);
  const stepPx = width / Math.max(1, length - 1);
  const point = (event: PointerEvent) =>
    setAt(Math.min(length - 1, Math.max(0, Math.round(event.offsetX / stepPx))));
  return (
    <div class="ratechart" ref={ref} onPointerMove={point} onPointerLeave={() => setAt(undefined)}>
      <svg
        width={width}
        height={HEIGHT}
        role="img"
        aria-label={`At most ${numberText(peak)} messages in a second`}
      >
        {gapsOf(rates.in).map((gap) => (
          <Gap
            key={gap.from}
            x={gap.from * stepPx}
            width={Math.min(width, gap.to * stepPx) - gap.from * stepPx}
          />
        ))}
        {[0.5, 1].map((part) => (
          <line key={part} x2={width} y1={HEIGHT * (1 - part) + 1} y2={HEIGHT * (1 - part) + 1} />
        ))}
        {SERIES.map(([name]) => (
          <path key={name} class={name} d={linePath(rates[name], { width, height: HEIGHT, most })} />
        ))}
        {at === undefined ? null : <line class="at" x1={at * stepPx} x2={at * stepPx} y2={HEIGHT} />}
      </svg>
      <span class="most">{numberText(most)}</span>
      <span class="half">{rateText(most / 2)}</span>
      <p>
        {marksOf({ from, to: from + length * STEP_MS }, width).map(({ x, text }) => (
          <span key={text} style={{ left: `${x}px` }}>
            {text}
          </span>
        ))}
      </p>
      {at === undefined ? null : (
        <output
          style={
            at * stepPx > width / 2
              ? { right: `${width - at * stepPx + 8}px` }
              : { left: `${at * stepPx + 8}px` }
          }
        >
          <b>{timeText(from + at * STEP_MS, { withMs: false })}</b>
          <Counts rates={rates} at={at} />
        </output>
      )}
    </div>
  );
}

function Counts({ rates, at }: { readonly rates: EntityRates; readonly at: number }) {
  if (rates.in[at] === null) return <span>not counted</span>;
  return (
    <>
      {SERIES.map(([name, text]) => (
        <span key={name}>
          {numberText(rates[name][at] ?? 0)} {text}
        </span>
      ))}
    </>
  );
}

function Gap({ x, width }: { readonly x: number; readonly width: number }) {
  return (
    <g>
      <rect class="gap" x={x} width={width} height={HEIGHT}>
        <title>Nobody counted then: the emulator was not running, or the machine slept.</title>
      </rect>
      {width < WORD_PX ? null : (
        <text x={x + width / 2} y={HEIGHT / 2}>
          not counted
        </text>
      )}
    </g>
  );
}

/** The next of 2, 4, 10, 20, 40, 100, …, whose half is a whole number. */
function roundedUp(value: number): number {
  for (let ten = 1; ; ten *= 10) {
    const found = [2, 4, 10].find((each) => each * ten >= value);
    if (found !== undefined) return found * ten;
  }
}
