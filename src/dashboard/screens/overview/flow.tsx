// The flow graph, with a pulse on an edge for each message that passes, as far as these can be told apart.

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { iconShape } from '../../parts/icon.js';
import { numberText, rateText } from '../../state/format.js';
import { traffic } from '../../state/lately.js';
import { isPaused, listed, now, onEvents, rates } from '../../state/model.js';
import type { PageEvent } from '../../state/page-event.js';
import { hrefOf } from '../../state/route.js';
import { delayIn } from '../timeline/pulse-delay.js';
import { type Flow, type FlowEdge, type FlowNode, layOutFlow, NODE_HEIGHT } from './flow-layout.js';

const PULSE_MS = 900;
/** Pulses on the way at a time; further messages get none, and the width of the edge says how many there are. */
const MOST_PULSES = 48;
const isStill = matchMedia('(prefers-reduced-motion: reduce)');

export function FlowGraph() {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(800);
  useLayoutEffect(() => {
    const { current } = frame;
    if (current === null) return;
    const observer = new ResizeObserver(() => setWidth(Math.max(480, current.clientWidth)));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  const at = now.value;
  const flow = layOutFlow(
    {
      entities: listed.value,
      sendersTo: (path) => traffic.sendersTo(path, at),
      receiversOf: (path) => traffic.receiversOf(path, at),
      rateOf: (path) => rates.of(path),
    },
    width,
  );
  return (
    <div class="flow" ref={frame}>
      <Drawing flow={flow} />
      {flow.leftOutCount === 0 ? null : (
        <p class="t3">{numberText(flow.leftOutCount)} more entities with less traffic are not drawn.</p>
      )}
    </div>
  );
}

function Drawing({ flow }: { readonly flow: Flow }) {
  const { width, height, nodes, edges } = flow;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot hold a drawing
    <svg
      class="fig"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="group"
      aria-label="Flow of messages"
    >
      {edges.map((edge) => (
        <Edge key={edge.id} edge={edge} />
      ))}
      <Pulses flow={flow} />
      {nodes.map((node) => (
        <Node key={node.id} node={node} />
      ))}
    </svg>
  );
}

function Edge({ edge: { id, d, rate, isForwarding } }: { readonly edge: FlowEdge }) {
  const width = rate === 0 ? 1 : Math.min(6, 1 + Math.log2(1 + rate) / 2);
  return (
    <path class={isForwarding ? 'edge fwd' : 'edge'} d={d} data-edge={id} style={{ strokeWidth: width }}>
      <title>{`${rateText(rate)} messages a second`}</title>
    </path>
  );
}

function Node({ node }: { readonly node: FlowNode }) {
  const { kind, text, icon, path, x, y, width, active, deadLetter } = node;
  const isRule = kind === 'rule';
  const shape = (
    <g transform={`translate(${x} ${y})`}>
      <rect
        class={isRule ? 'rule' : kind === 'client' ? 'node client' : 'node'}
        width={width}
        height={NODE_HEIGHT}
        rx={isRule ? NODE_HEIGHT / 2 : 4}
      />
      {icon === undefined ? null : (
        <svg class="gl" x="8" y="7" width="14" height="14" viewBox="0 0 16 16" aria-hidden="true">
          {iconShape(icon)}
        </svg>
      )}
      <text x={icon === undefined ? 10 : 28} y="18" class={isRule || kind === 'client' ? 's2' : 'w'}>
        {cut(text, width - (icon === undefined ? 16 : 36) - (active === undefined ? 0 : 36))}
      </text>
      {active === undefined ? null : (
        <text x={width - 8} y="18" class="s e">
          {numberText(active)}
        </text>
      )}
      {deadLetter === 0 ? null : (
        <g transform={`translate(${width - 34} -9)`}>
          <rect class="deadbox" width="40" height="16" rx="3" />
          <svg class="gl red" x="4" y="3" width="10" height="10" viewBox="0 0 16 16" aria-hidden="true">
            {iconShape('dead')}
          </svg>
          <text x="36" y="12" class="s e dead w">
            {numberText(deadLetter)}
          </text>
        </g>
      )}
    </g>
  );
  if (path === undefined) return shape;
  const href = isRule
    ? hrefOf({ screen: 'rules', topic: path })
    : hrefOf({ screen: 'entity', path, tab: 'active', filter: '' });
  return <a href={href}>{shape}</a>;
}

/** The letters that fit, at about six pixels each. */
function cut(text: string, width: number): string {
  const most = Math.max(3, Math.floor(width / 6.2));
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

type Pulse = { readonly edge: string; readonly startedAt: number };

/** Moves the pulses without drawing the graph anew. */
function Pulses({ flow }: { readonly flow: Flow }) {
  const group = useRef<SVGGElement>(null);
  const current = useRef(flow);
  current.current = flow;
  useEffect(() => {
    const pulses: Pulse[] = [];
    let frame: number | undefined;
    const draw = () => {
      frame = undefined;
      const at = performance.now();
      while (pulses[0] !== undefined && at - pulses[0].startedAt > PULSE_MS) pulses.shift();
      if (group.current !== null) place(group.current, pulses, at);
      if (pulses.length > 0) frame = requestAnimationFrame(draw);
    };
    const end = onEvents((events) => {
      if (isStill.matches || isPaused.peek() || document.visibilityState !== 'visible') return;
      const receivedAt = performance.now();
      for (const event of events) {
        const startedAt = receivedAt + delayIn(events, event);
        for (const edge of edgesOf(event, current.current)) {
          if (pulses.length < MOST_PULSES) pulses.push({ edge, startedAt });
        }
      }
      frame ??= requestAnimationFrame(draw);
    });
    return () => {
      end();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, []);
  return <g ref={group} />;
}

const SVG = 'http://www.w3.org/2000/svg';
const SIZE = 6;

function place(group: SVGGElement, pulses: readonly Pulse[], at: number): void {
  while (group.childElementCount < pulses.length) {
    const square = document.createElementNS(SVG, 'rect');
    square.setAttribute('class', 'pulse');
    square.setAttribute('width', String(SIZE));
    square.setAttribute('height', String(SIZE));
    square.setAttribute('rx', '1');
    group.append(square);
  }
  while (group.childElementCount > pulses.length) group.lastElementChild?.remove();
  for (const [index, { edge, startedAt }] of pulses.entries()) {
    const path = group.ownerSVGElement?.querySelector<SVGPathElement>(`[data-edge="${CSS.escape(edge)}"]`);
    const square = group.children[index];
    if (path === null || path === undefined || square === undefined) continue;
    const { x, y } = path.getPointAtLength(path.getTotalLength() * ((at - startedAt) / PULSE_MS));
    square.setAttribute('x', String(x - SIZE / 2));
    square.setAttribute('y', String(y - SIZE / 2));
  }
}

/** The edges that a message passes with this event. */
function edgesOf({ kind, path = '', rule, destination }: PageEvent, { edges }: Flow): readonly string[] {
  const id = `e:${path}`;
  const found = edges.filter(({ from, to, isForwarding }) => {
    switch (kind) {
      case 'accepted':
      case 'enqueued':
        return to === id && from.startsWith('s:');
      case 'routed':
        return to === id || to === `r:${path}/${rule}`;
      case 'forwarded':
        return isForwarding && from === id && to === `e:${destination}`;
      case 'locked':
      case 'consumed':
        return from === id && to.startsWith('c:');
      default:
        return false;
    }
  });
  return found.slice(0, 2).map((edge) => edge.id);
}
