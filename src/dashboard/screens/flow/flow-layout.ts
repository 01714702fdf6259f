// The places of the flow graph for a width in pixels: a column for each kind, from left to right.

import type { FlowEdge, FlowGraph, FlowKind, FlowNode } from './flow-graph.js';

/** `y` is the middle of the node. */
export type PlacedNode = FlowNode & {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};
type PlacedEdge = FlowEdge & { readonly d: string };
type FlowLayout = {
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
  readonly height: number;
};

const COLUMNS: readonly FlowKind[] = ['sender', 'topic', 'rule', 'subscription', 'queue', 'receiver'];
const HEIGHTS: Readonly<Record<FlowKind, number>> = {
  sender: 28,
  topic: 44,
  rule: 24,
  subscription: 44,
  queue: 44,
  receiver: 28,
};
/** Between the nodes of a column, and the most width of a node. */
const GAP = 12;
const TOP = 16;
const MOST_WIDTH = 240;
/** A character of a name, at 12 pixels; the glyph and the padding beside the name; and the characters that each column has room for. */
const CHARACTER_PX = 7;
const FRAME_PX = 44;
const LEAST_NAME = 10;
/** The share of a column that is left for the edges behind it. */
const EDGE_SHARE = 0.24;
/** The place of a node without a neighbour. */
const LAST = Number.MAX_VALUE;

/** A node stands as near as it can to the middle of what leads to it; `edge.d` leads around the nodes of the columns between. */
export function layOutFlow({ nodes, edges }: FlowGraph, width: number): FlowLayout {
  const columns = COLUMNS.filter((kind) => nodes.some((node) => node.kind === kind));
  const share = width / Math.max(1, columns.length - EDGE_SHARE);
  const widths = widthsOf(columns, nodes, columns.length * share * (1 - EDGE_SHARE));
  const gap = (width - sumOf(widths)) / Math.max(1, columns.length - 1);
  const placed = new Map<string, PlacedNode>();
  let belowSubscriptions = TOP;
  // Stores of messages are placed first, in their order; clients and rules beside them.
  for (const kind of ['subscription', 'queue', 'rule', 'topic', 'sender', 'receiver'] as const) {
    const column = nodes
      .filter((node) => node.kind === kind)
      .map((node) => ({ node, wanted: wantedY(node, edges, placed) }));
    let free = TOP;
    // A queue that nothing is forwarded to stands below the subscriptions, so that what is sent to it passes none of them.
    const below = kind === 'queue' ? belowSubscriptions + HEIGHTS.queue / 2 : 0;
    for (const { node, wanted } of column.sort((a, b) => a.wanted - b.wanted)) {
      const height = HEIGHTS[kind];
      const y = Math.max(free + height / 2, wanted === LAST ? below : wanted);
      const column = columns.indexOf(kind);
      const x = columns.length === 1 ? 0 : sumOf(widths.slice(0, column)) + column * gap;
      placed.set(node.id, { ...node, x, y, width: widths[column] ?? 0, height });
      free = y + height / 2 + (kind === 'subscription' ? spaceBelow(node, edges) : GAP);
    }
    if (kind === 'subscription') belowSubscriptions = free;
  }
  const all = nodes.flatMap(({ id }) => placed.get(id) ?? []);
  return {
    nodes: all,
    edges: edges.map((edge) => ({ ...edge, d: pathOf(placed.get(edge.from), placed.get(edge.to), all) })),
    height: bottomOf(all) + TOP,
  };
}

/** Divides the room of the nodes among the columns by their longest names. */
function widthsOf(columns: readonly FlowKind[], nodes: readonly FlowNode[], room: number): readonly number[] {
  const wanted = columns.map((kind) => {
    const lengths = nodes.filter((node) => node.kind === kind).map(({ text }) => text.length);
    return Math.min(MOST_WIDTH, Math.max(LEAST_NAME, ...lengths) * CHARACTER_PX + FRAME_PX);
  });
  return wanted.map((each) => Math.min(MOST_WIDTH, (each / sumOf(wanted)) * room));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

function bottomOf(nodes: Iterable<PlacedNode>): number {
  return Math.max(0, ...[...nodes].map(({ y, height }) => y + height / 2));
}

/** The middle of the neighbours that are placed: those on the right of topics, senders and rules, those on the left of others. */
function wantedY(
  { id, kind }: FlowNode,
  edges: readonly FlowEdge[],
  placed: ReadonlyMap<string, PlacedNode>,
): number {
  const isByRight = kind === 'topic' || kind === 'sender' || kind === 'rule';
  const neighbours = edges.flatMap(({ from, to, isForwarding }) => {
    if ((isByRight ? from : to) !== id || (isForwarding && kind !== 'queue')) return [];
    return placed.get(isByRight ? to : from)?.y ?? [];
  });
  if (neighbours.length === 0) return LAST;
  return (Math.min(...neighbours) + Math.max(...neighbours)) / 2;
}

/** Room for the rules and receivers beside a subscription. */
function spaceBelow({ id }: FlowNode, edges: readonly FlowEdge[]): number {
  const rules = edges.filter(({ to }) => to === id).length * (HEIGHTS.rule + GAP);
  const receivers =
    edges.filter(({ from, isForwarding }) => from === id && !isForwarding).length * (HEIGHTS.receiver + GAP);
  return Math.max(GAP, rules - HEIGHTS.subscription, receivers - HEIGHTS.subscription);
}

type Point = { readonly x: number; readonly y: number };

function pathOf(
  from: PlacedNode | undefined,
  to: PlacedNode | undefined,
  nodes: readonly PlacedNode[],
): string {
  if (from === undefined || to === undefined) return '';
  const isBack = to.x <= from.x;
  const start: Point = { x: isBack && to.x < from.x ? from.x : from.x + from.width, y: from.y };
  const end: Point = { x: isBack ? to.x + to.width : to.x, y: to.y };
  const [left, right] = [Math.min(start.x, end.x), Math.max(start.x, end.x)];
  const between = nodes.filter((one) => one.x >= left && one.x + one.width <= right);
  const move = `M${start.x} ${start.y}`;
  if (between.length === 0) return `${move}${curve(start, end, isBack)}`;
  const sides = [
    Math.min(...between.map(({ x }) => x)),
    Math.max(...between.map((one) => one.x + one.width)),
  ];
  const [near = 0, far = 0] = isBack ? sides.toReversed() : sides;
  const y = freeHeight(end.y, between);
  return `${move}${curve(start, { x: near, y }, isBack)}H${far}${curve({ x: far, y }, end, isBack)}`;
}

/** The height that is nearest to the wanted one and meets no node. */
function freeHeight(wanted: number, nodes: readonly PlacedNode[]): number {
  const isFree = (y: number) => nodes.every((one) => Math.abs(one.y - y) > one.height / 2 + 2);
  for (let step = 0; step < 400; step++) {
    for (const y of [wanted + step * 4, wanted - step * 4]) if (y > 4 && isFree(y)) return y;
  }
  return wanted;
}

function curve({ x: x1, y: y1 }: Point, { x: x2, y: y2 }: Point, isBack: boolean): string {
  const width = Math.max(16, Math.abs(x2 - x1) / 2);
  // A line between nodes of one column goes around on their right.
  const [first, last] = x1 === x2 ? [width, width] : isBack ? [-width, width] : [width, -width];
  return `C${x1 + first} ${y1} ${x2 + last} ${y2} ${x2} ${y2}`;
}
