// Messages in and out of an entity in each second of the last five minutes.

import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { Panel } from '../../parts/panel.js';
import { rateText } from '../../state/format.js';
import { isPaused, now, rates } from '../../state/model.js';
import { SECONDS } from '../../state/rates.js';

const HEIGHT = 320;

export function RatesTab({ path }: { readonly path: string }) {
  const box = useRef<HTMLDivElement>(null);
  const { incoming, outgoing } = rates.of(path);
  // Drawn anew each second.
  const at = now.value;
  useChart(box, path);
  const series = rates.seriesOf(path);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return (
    <Panel title="Messages a second" sub="the last five minutes, counted from the events">
      <div
        class="chart"
        ref={box}
        role="img"
        aria-label={`${rateText(incoming)} in, ${rateText(outgoing)} out a second`}
      />
      <dl class="row chartkey">
        <dt>
          <span class="acc">━</span> in
        </dt>
        <dd>
          <b>{rateText(incoming)}</b> a second, {sum(series.incoming)} in five minutes
        </dd>
        <dt>
          <span class="t2">╌</span> out
        </dt>
        <dd>
          <b>{rateText(outgoing)}</b> a second, {sum(series.outgoing)} in five minutes
        </dd>
        <dd class="t3">until {new Date(at).toLocaleTimeString('en-GB')}</dd>
      </dl>
    </Panel>
  );
}

function useChart(box: { readonly current: HTMLDivElement | null }, path: string): void {
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const widthOf = () => Math.max(200, element.clientWidth);
    let chart = new uPlot(optionsOf(widthOf()), dataOf(path), element);
    const stopDrawing = now.subscribe(() => {
      if (!isPaused.peek()) chart.setData(dataOf(path));
    });
    const resizing = new ResizeObserver(() => chart.setSize({ width: widthOf(), height: HEIGHT }));
    resizing.observe(element);
    // The canvas has the colours of the theme that it was made with.
    const redo = () => {
      chart.destroy();
      chart = new uPlot(optionsOf(widthOf()), dataOf(path), element);
    };
    const themed = new MutationObserver(redo);
    themed.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', redo);
    return () => {
      stopDrawing();
      resizing.disconnect();
      themed.disconnect();
      dark.removeEventListener('change', redo);
      chart.destroy();
    };
  }, [path]);
}

function dataOf(path: string): uPlot.AlignedData {
  const { incoming, outgoing } = rates.seriesOf(path);
  const last = Math.floor(now.peek() / 1000);
  // The second that goes on is left out: its count is not whole.
  const times = Array.from({ length: SECONDS - 1 }, (_, index) => last - SECONDS + 1 + index);
  return [times, incoming.slice(0, -1), outgoing.slice(0, -1)];
}

function optionsOf(width: number): uPlot.Options {
  const probe = document.createElement('span');
  document.body.append(probe);
  const colour = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const [text, line, accent, soft] = ['text-3', 'line', 'accent', 'accent-soft'].map(colour);
  const grey = colour('text-2');
  probe.remove();
  const axis = {
    stroke: text ?? '',
    font: '11px system-ui, sans-serif',
    grid: { stroke: line ?? '', width: 1 },
    ticks: { show: false },
  };
  return {
    ...{ width, height: HEIGHT },
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    scales: { y: { range: (_chart, _least, most) => [0, Math.max(1, Math.ceil(most * 1.1))] } },
    axes: [
      {
        ...axis,
        values: (_chart, times) => times.map((time) => new Date(time * 1000).toLocaleTimeString('en-GB')),
        space: 96,
      },
      { ...axis, size: 48, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000] },
    ],
    series: [
      {},
      { label: 'in', stroke: accent ?? '', fill: soft ?? '', width: 1.5, points: { show: false } },
      { label: 'out', stroke: grey, width: 1.5, dash: [4, 3], points: { show: false } },
    ],
  };
}
