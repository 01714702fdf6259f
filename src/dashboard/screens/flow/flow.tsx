// The flow of messages: senders, topics, rules, subscriptions, queues and receivers, of what flows; a list on a narrow page.

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ConnectionsAnswer, RatesAnswer } from '../../../http/control/control-schemas.js';
import { Cut } from '../../parts/cut.js';
import { Icon, type IconName } from '../../parts/icon.js';
import { Empty } from '../../parts/panel.js';
import { useWidth } from '../../parts/use-width.js';
import { numberText, plural, rateText, spokenPath } from '../../state/format.js';
import { rateOfNow } from '../../state/rate-series.js';
import { hrefOf } from '../../state/route.js';
import { usePolled } from '../../state/use-polled.js';
import { useStore } from '../../state/use-store.js';
import { FlowClients } from './flow-clients.js';
import { type FlowGraph, type FlowKind, type FlowNode, type FlowSource, flowGraphOf } from './flow-graph.js';
import { layOutFlow, type PlacedNode } from './flow-layout.js';

/** Below this width a graph could not be read. */
const NARROW_PX = 640;
/** The width of a node with room for both rates beside its counts. */
const BOTH_RATES_PX = 200;
const EVERY_MS = 2000;

const ICONS: Readonly<Record<FlowKind, IconName>> = {
  sender: 'plug',
  topic: 'topic',
  rule: 'rule',
  subscription: 'subscription',
  queue: 'queue',
  receiver: 'plug',
};

export function FlowScreen() {
  const graph = flowGraphOf(useFlowSource());
  const { ref, width } = useWidth();
  const { quietCount, leftOutCount } = graph;
  return (
    <section aria-label="Flow">
      <div class="head">
        <h1>Flow</h1>
        <span class="facts el">
          {quietCount === 0 ? null : `${plural(quietCount, 'entity', 'entities')} without traffic or links`}
          {leftOutCount === 0 ? null : ` · ${numberText(leftOutCount)} with less traffic not drawn`}
        </span>
      </div>
      <div class="panel flowpanel">
        <div ref={ref}>
          {graph.nodes.length === 0 ? (
            <Empty title="Nothing flows.">
              An entity appears here while a client is attached to it, and for five minutes after its last
              message.
            </Empty>
          ) : width === 0 ? null : width < NARROW_PX ? (
            <FlowList graph={graph} />
          ) : (
            <Graph graph={graph} width={width} />
          )}
        </div>
      </div>
      {width < NARROW_PX ? null : (
        <p class="t3">
          A thicker line is more messages a second, a dashed line forwards. Shown are the last five minutes.
        </p>
      )}
    </section>
  );
}

/** Entities and counts of the page, rates and connections asked for anew, and the clients of the last events. */
function useFlowSource(): FlowSource {
  const store = useStore();
  const rates = usePolled<RatesAnswer>('rates?stepMs=10000', { every: EVERY_MS }).value;
  const connections = usePolled<ConnectionsAnswer>('connections', { every: EVERY_MS }).value;
  const clients = useMemo(() => new FlowClients(), []);
  const [, draw] = useState(false);
  useEffect(() => {
    for (const event of store.recentEvents()) clients.add(event);
    const stops = [
      store.onEvents((events) => {
        for (const event of events) clients.add(event);
        draw(true); // once: later ones are drawn with the next second
      }),
      store.onRestart(() => clients.clear()),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, [store, clients]);
  if (connections !== undefined) clients.attach(connections);
  const byPath = new Map(rates?.entities.map((each) => [each.path.toLowerCase(), each]));
  const now = store.brokerNow.value;
  return {
    entities: store.listed.value,
    clientsOf: (side, path) => clients.of(side, path, now),
    trafficOf: (path) => {
      const found = byPath.get(path.toLowerCase());
      if (found === undefined || rates === undefined) return undefined;
      return {
        incoming: rateOfNow(found.in, rates.stepMs) ?? 0,
        outgoing: rateOfNow(found.out, rates.stepMs) ?? 0,
        isActive: [...found.in, ...found.out].some((count) => (count ?? 0) > 0),
      };
    },
  };
}

function Graph({ graph, width }: { readonly graph: FlowGraph; readonly width: number }) {
  const { nodes, edges, height } = layOutFlow(graph, width);
  return (
    <div class="flowgraph" style={{ height: `${height}px` }}>
      <svg width={width} height={height} aria-hidden="true">
        {edges.map(({ from, to, d, rate, isForwarding }) => (
          <path
            key={`${from}>${to}`}
            class={isForwarding ? 'forwarding' : undefined}
            d={d}
            style={{ strokeWidth: rate === 0 ? 1 : Math.min(6, 1 + Math.log2(1 + rate) / 2) }}
          >
            <title>{`${rateText(rate)} messages a second`}</title>
          </path>
        ))}
      </svg>
      {nodes.map((node) => (
        <GraphNode key={node.id} node={node} />
      ))}
    </div>
  );
}

function GraphNode({ node }: { readonly node: PlacedNode }) {
  const { kind, x, y, width, height } = node;
  const style = { left: `${x}px`, top: `${y - height / 2}px`, width: `${width}px`, height: `${height}px` };
  const inside = (
    <>
      <Icon name={ICONS[kind]} />
      <Cut text={node.text} />
      <Counts node={node} />
      <span class="rate el" title={trafficText(node)}>
        {trafficText(node, width < BOTH_RATES_PX)}
      </span>
    </>
  );
  const href = placeOf(node);
  return href === undefined ? (
    <span class={`flownode ${kind}`} style={style}>
      {inside}
    </span>
  ) : (
    <a class={`flownode ${kind}`} style={style} href={href}>
      {inside}
    </a>
  );
}

function Counts({ node: { kind, active, deadLetter } }: { readonly node: FlowNode }) {
  if (kind !== 'queue' && kind !== 'subscription') return null;
  return (
    <span class="n">
      {active === 0 ? null : (
        <span title="active">
          {numberText(active)}
          <span class="vh"> active</span>
        </span>
      )}
      {deadLetter === 0 ? null : (
        <b class="red" title="dead-lettered">
          <Icon name="dead" /> {numberText(deadLetter)}
          <span class="vh"> dead-lettered</span>
        </b>
      )}
    </span>
  );
}

/** Both rates where there is room for them. */
function trafficText({ traffic, kind }: FlowNode, isShort = false): string {
  if (traffic === undefined) return '';
  const incoming = `${rateText(traffic.incoming)} in/s`;
  return isShort || kind === 'topic' ? incoming : `${incoming} · ${rateText(traffic.outgoing)} out/s`;
}

function placeOf({ kind, path }: FlowNode): string | undefined {
  if (path === undefined) return undefined;
  if (kind === 'rule') return hrefOf({ screen: 'rules', topic: path });
  return hrefOf({ screen: 'entity', path, tab: kind === 'topic' ? 'subscriptions' : 'active', filter: '' });
}

/** Each entity with what leads to it and where it leads. */
function FlowList({ graph: { nodes, edges } }: { readonly graph: FlowGraph }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const neighbours = (ids: readonly string[]) => ids.flatMap((id) => byId.get(id) ?? []);
  const entities = nodes.filter(
    ({ kind }) => kind === 'topic' || kind === 'queue' || kind === 'subscription',
  );
  return (
    <ul class="flowlist" aria-label="Flow of messages">
      {entities.map((node) => (
        <li key={node.id}>
          <a href={placeOf(node) ?? '#/flow'}>
            <Icon name={ICONS[node.kind]} />
            <Cut text={node.kind === 'subscription' ? spokenPath(node.path ?? '') : node.text} />
            <Counts node={node} />
          </a>
          <p class="t2">{trafficText(node)}</p>
          <Ways
            text="from"
            nodes={neighbours(edges.filter(({ to }) => to === node.id).map(({ from }) => from))}
          />
          <Ways
            text="to"
            nodes={neighbours(edges.filter(({ from }) => from === node.id).map(({ to }) => to))}
          />
        </li>
      ))}
    </ul>
  );
}

function Ways({ text, nodes }: { readonly text: string; readonly nodes: readonly FlowNode[] }) {
  if (nodes.length === 0) return null;
  return (
    <p>
      <span class="t3">{text}</span>
      {nodes.map((node) => (
        <span key={node.id}>
          <Icon name={ICONS[node.kind]} /> <Cut text={node.text} />
        </span>
      ))}
    </p>
  );
}
