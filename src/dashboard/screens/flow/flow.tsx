// The flow graph.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { iconShape } from '../../parts/icon.js';
import { numberText, rateText } from '../../state/format.js';
import { traffic } from '../../state/lately.js';
import { listed, now, rates } from '../../state/model.js';
import { hrefOf } from '../../state/route.js';
import { type Flow, type FlowEdge, type FlowNode, layOutFlow, NODE_HEIGHT } from './flow-layout.js';

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
