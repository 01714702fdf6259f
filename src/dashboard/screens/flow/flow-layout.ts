// The flow of messages as a graph: senders, topics, rules, subscriptions, queues, receivers, from left to right.

import type { IconName } from '../../parts/icon.js';
import { shortName } from '../../state/format.js';
import type { Listed } from '../../state/model.js';
import type { ClientGroup } from './traffic.js';

export type FlowNode = {
  readonly id: string;
  readonly kind: 'client' | 'topic' | 'rule' | 'subscription' | 'queue';
  readonly text: string;
  readonly icon: IconName | undefined;
  /** The entity of the node. */
  readonly path: string | undefined;
  readonly active: number | undefined;
  readonly deadLetter: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
};

export type FlowEdge = {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly isForwarding: boolean;
  /** Messages a second. */
  readonly rate: number;
  readonly d: string;
};

export type Flow = {
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
  readonly width: number;
  readonly height: number;
  /** Entities that are left out, because there are too many. */
  readonly leftOutCount: number;
};

export type FlowSource = {
  readonly entities: readonly Listed[];
  readonly sendersTo: (path: string) => readonly ClientGroup[];
  readonly receiversOf: (path: string) => readonly ClientGroup[];
  /** Messages a second into and out of an entity. */
  readonly rateOf: (path: string) => { readonly incoming: number; readonly outgoing: number };
};

export const NODE_HEIGHT = 28;
const ROW = 40;
const RULE_ROW = 30;
const TOP = 12;
/** Queues and topics that are drawn; those with traffic come first. */
const MOST_ENTITIES = 24;
const MOST_RULES = 4;

type Draft = Omit<FlowNode, 'x' | 'width' | 'y'> & { readonly column: number; y: number };
type DraftEdge = Omit<FlowEdge, 'd'>;

/** Lays the graph out for a width in pixels. */
export function layOutFlow(source: FlowSource, width: number): Flow {
  const draft = new DraftGraph(source);
  const chosen = chooseEntities(source);
  for (const topic of chosen.topics) draft.addTopic(topic);
  for (const queue of chosen.queues) draft.addQueue(queue);
  const columns = columnsOf(
    width,
    draft.nodes.some(({ kind }) => kind === 'topic'),
  );
  const nodes = draft.nodes.map(({ column, ...node }): FlowNode => {
    const { x = 0, width: nodeWidth = 80 } = columns[column] ?? {};
    return { ...node, x, width: nodeWidth };
  });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const edges = draft.edges.map(
    (edge): FlowEdge => ({ ...edge, d: pathOf(byId.get(edge.from), byId.get(edge.to), nodes) }),
  );
  return { nodes, edges, width, height: draft.height, leftOutCount: chosen.leftOutCount };
}

type Topic = Extract<Listed, { kind: 'topic' }>;
type Subscription = Extract<Listed, { kind: 'subscription' }>;
type Queue = Extract<Listed, { kind: 'queue' }>;

function chooseEntities({ entities, rateOf }: FlowSource) {
  const roots = entities.filter((one): one is Topic | Queue => one.kind !== 'subscription');
  const weight = (one: Topic | Queue) => rateOf(one.path).incoming + rateOf(one.path).outgoing;
  const ranked =
    roots.length <= MOST_ENTITIES
      ? roots
      : roots.toSorted((a, b) => weight(b) - weight(a)).slice(0, MOST_ENTITIES);
  const chosen = roots.filter((one) => ranked.includes(one));
  return {
    topics: chosen.filter((one): one is Topic => one.kind === 'topic'),
    queues: chosen.filter((one): one is Queue => one.kind === 'queue'),
    leftOutCount: roots.length - chosen.length,
  };
}

/** Nodes by column and row, before the width is known. */
class DraftGraph {
  readonly nodes: Draft[] = [];
  readonly edges: DraftEdge[] = [];
  readonly #source: FlowSource;
  /** Where each queue stands that messages are forwarded to. */
  readonly #queues = new Map<string, Draft>();
  #y = TOP;

  constructor(source: FlowSource) {
    this.#source = source;
  }

  get height(): number {
    return Math.max(this.#y, ...this.nodes.map(({ y }) => y + ROW)) + TOP;
  }

  addTopic(topic: Topic): void {
    const top = this.#y;
    const id = `e:${topic.path}`;
    for (const subscription of topic.subscriptions) this.#addSubscription(topic, subscription);
    if (topic.subscriptions.length === 0) this.#y += ROW;
    const middle = (top + this.#y - ROW) / 2;
    this.nodes.push(
      node({ id, kind: 'topic', text: topic.path, icon: 'topic', path: topic.path, column: 1, y: middle }),
    );
    this.#addSenders(topic.path, id, middle);
  }

  addQueue(queue: Queue): void {
    const known = this.#queues.get(queue.path);
    const draft = known ?? this.#placeQueue(queue.path, this.#y);
    Object.assign(draft, { active: queue.counts.active, deadLetter: queue.counts.deadLetter });
    this.#addReceivers(queue.path, draft);
    this.#addSenders(queue.path, draft.id, draft.y);
    if (known === undefined) this.#y = Math.max(this.#y, draft.y) + ROW;
    const { forwardTo } = queue;
    if (forwardTo !== undefined)
      this.#forward(draft.id, forwardTo, this.#y, this.#source.rateOf(queue.path).outgoing);
  }

  #addSubscription(topic: Topic, subscription: Subscription): void {
    const { path, rules, counts, forwardTo } = subscription;
    const top = this.#y;
    const shown = rules.slice(0, MOST_RULES);
    const height = Math.max(ROW, shown.length * RULE_ROW);
    const y = top + (height - ROW) / 2;
    const id = `e:${path}`;
    const { deadLetter, active } = counts;
    const text = shortName(path);
    this.nodes.push({
      ...node({ id, kind: 'subscription', text, icon: 'subscription', path, column: 3, y }),
      active,
      deadLetter,
    });
    const rate = this.#source.rateOf(path);
    for (const [index, rule] of shown.entries()) {
      const ruleId = `r:${path}/${rule}`;
      const ruleY = top + (height - shown.length * RULE_ROW) / 2 + index * RULE_ROW;
      const name =
        index === MOST_RULES - 1 && rules.length > MOST_RULES ? `${rules.length - index} more` : rule;
      this.nodes.push(
        node({ id: ruleId, kind: 'rule', text: name, icon: 'rule', path: topic.path, column: 2, y: ruleY }),
      );
      const ruleRate = rate.incoming / shown.length;
      this.#connect(`e:${topic.path}`, ruleId, ruleRate);
      this.#connect(ruleId, id, ruleRate);
    }
    if (forwardTo === undefined) this.#addReceivers(path, { id, y });
    else this.#forward(id, forwardTo, y, rate.outgoing);
    this.#y = top + height;
  }

  #forward(from: string, forwardTo: string, y: number, rate: number): void {
    const to = forwardTo.toLowerCase(); // it keeps its spelling (ENT-02)
    const target = this.#source.entities.find((one) => one.path === to);
    const isTopic = target?.kind === 'topic';
    const id = isTopic ? `e:${target.path}` : (this.#queues.get(to) ?? this.#placeQueue(to, y)).id;
    this.edges.push({ id: `${from}>${id}`, from, to: id, isForwarding: true, rate });
  }

  #placeQueue(path: string, y: number): Draft {
    const draft = node({ id: `e:${path}`, kind: 'queue', text: path, icon: 'queue', path, column: 4, y });
    this.nodes.push(draft);
    this.#queues.set(path, draft);
    return draft;
  }

  #addSenders(path: string, to: string, y: number): void {
    const groups = this.#source.sendersTo(path);
    const { incoming } = this.#source.rateOf(path);
    for (const [index, group] of groups.slice(0, 3).entries()) {
      const id = `s:${group.name}`;
      if (!this.nodes.some((each) => each.id === id)) {
        this.nodes.push(client(id, group, 0, this.#freeY(0, y + index * ROW)));
      }
      this.#connect(id, to, incoming / groups.length);
    }
  }

  #addReceivers(path: string, from: { readonly id: string; readonly y: number }): void {
    const groups = this.#source.receiversOf(path);
    const { outgoing } = this.#source.rateOf(path);
    for (const [index, group] of groups.slice(0, 3).entries()) {
      const id = `c:${path}:${group.name}`;
      this.nodes.push(client(id, group, 5, this.#freeY(5, from.y + index * ROW)));
      this.#connect(from.id, id, outgoing / groups.length);
    }
  }

  /** The nearest place below in which no other node of the column stands. */
  #freeY(column: number, wanted: number): number {
    let y = wanted;
    const taken = this.nodes.filter((each) => each.column === column).map((each) => each.y);
    while (taken.some((other) => Math.abs(other - y) < ROW - 4)) y += ROW;
    return y;
  }

  #connect(from: string, to: string, rate: number): void {
    this.edges.push({ id: `${from}>${to}`, from, to, isForwarding: false, rate });
  }
}

function node(given: Pick<Draft, 'id' | 'kind' | 'text' | 'icon' | 'path' | 'column' | 'y'>): Draft {
  return { ...given, active: undefined, deadLetter: 0 };
}

function client(id: string, { name, connectionCount }: ClientGroup, column: number, y: number): Draft {
  const text = connectionCount > 1 ? `${name} ×${connectionCount}` : name;
  return node({ id, kind: 'client', text, icon: undefined, path: undefined, column, y });
}

/** Six columns; without topics only senders, queues and receivers have room. */
function columnsOf(
  width: number,
  hasTopics: boolean,
): readonly { readonly x: number; readonly width: number }[] {
  const shares = hasTopics ? [0.15, 0.13, 0.15, 0.13, 0.16, 0.15] : [0.22, 0, 0, 0, 0.26, 0.22];
  const used = shares.reduce((sum, share) => sum + share, 0);
  const gap = (width * (1 - used)) / (shares.filter((share) => share > 0).length - 1);
  let x = 0;
  return shares.map((share) => {
    const column = { x, width: width * share };
    if (share > 0) x += column.width + gap;
    return column;
  });
}

/** The line of an edge: around the nodes of the columns between, never behind them as long as there is a way. */
function pathOf(from: FlowNode | undefined, to: FlowNode | undefined, nodes: readonly FlowNode[]): string {
  if (from === undefined || to === undefined) return '';
  const isBack = to.x < from.x;
  const start: Point = { x: isBack ? from.x : from.x + from.width, y: from.y + NODE_HEIGHT / 2 };
  const end: Point = { x: isBack || to.x === from.x ? to.x + to.width : to.x, y: to.y + NODE_HEIGHT / 2 };
  const [left, right] = [Math.min(start.x, end.x), Math.max(start.x, end.x)];
  const between = nodes.filter((one) => one.x >= left && one.x + one.width <= right);
  const move = `M${start.x} ${start.y}`;
  if (between.length === 0) return `${move}${curve(start, end, isBack)}`;
  const edges = [
    Math.min(...between.map(({ x }) => x)),
    Math.max(...between.map((one) => one.x + one.width)),
  ];
  const [near = 0, far = 0] = isBack ? edges.toReversed() : edges;
  const y = freeLane(end.y, between);
  return `${move}${curve(start, { x: near, y }, isBack)}H${far}${curve({ x: far, y }, end, isBack)}`;
}

type Point = { readonly x: number; readonly y: number };

/** The height that is nearest to the wanted one and meets no node; the wanted one if all meet some. */
function freeLane(wanted: number, nodes: readonly FlowNode[]): number {
  const isFree = (y: number) => nodes.every((one) => Math.abs(one.y + NODE_HEIGHT / 2 - y) > NODE_HEIGHT / 2);
  const places = [0, 1, -1, 2, -2, 3, -3].map((step) => wanted + (step * ROW) / 2);
  return places.find((y) => y > 0 && isFree(y)) ?? wanted;
}

function curve({ x: x1, y: y1 }: Point, { x: x2, y: y2 }: Point, isBack: boolean): string {
  const width = Math.max(16, Math.abs(x2 - x1) / 2);
  // A line between nodes of one column goes around on their right.
  const [first, last] = x1 === x2 ? [width, width] : isBack ? [-width, width] : [width, -width];
  return `C${x1 + first} ${y1} ${x2 + last} ${y2} ${x2} ${y2}`;
}
