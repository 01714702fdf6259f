// The graph of what flows: the entities with traffic in the last five minutes or attached links, their clients and rules, and what leads where.

import { shortName } from '../../state/format.js';
import type { Listed } from '../../state/store.js';
import type { ClientGroup, Side } from './flow-clients.js';

export type FlowKind = 'sender' | 'topic' | 'rule' | 'subscription' | 'queue' | 'receiver';

export type FlowNode = {
  readonly id: string;
  readonly kind: FlowKind;
  readonly text: string;
  /** The entity that it is, or the topic of a rule. */
  readonly path: string | undefined;
  readonly active: number;
  readonly deadLetter: number;
  readonly traffic: EntityTraffic | undefined;
};

export type FlowEdge = {
  readonly from: string;
  readonly to: string;
  readonly isForwarding: boolean;
  /** Messages a second. */
  readonly rate: number;
};

/** Messages a second now, and whether there were any in the last five minutes. */
type EntityTraffic = {
  readonly incoming: number;
  readonly outgoing: number;
  readonly isActive: boolean;
};

export type FlowSource = {
  readonly entities: readonly Listed[];
  readonly clientsOf: (side: Side, path: string) => readonly ClientGroup[];
  readonly trafficOf: (path: string) => EntityTraffic | undefined;
};

export type FlowGraph = {
  readonly nodes: readonly FlowNode[];
  readonly edges: readonly FlowEdge[];
  /** Entities that flow and are left out, because there are too many; and those that do not flow. */
  readonly leftOutCount: number;
  readonly quietCount: number;
};

/** Queues and topics that are drawn, those with the most traffic; and what is drawn of each. */
const MOST_ENTITIES = 24;
const MOST_SUBSCRIPTIONS = 8;
const MOST_RULES = 3;
const MOST_CLIENTS = 3;

type Topic = Extract<Listed, { kind: 'topic' }>;
type Subscription = Extract<Listed, { kind: 'subscription' }>;
type Queue = Extract<Listed, { kind: 'queue' }>;

export function flowGraphOf(source: FlowSource): FlowGraph {
  const roots = source.entities.filter((one): one is Topic | Queue => one.kind !== 'subscription');
  const flowing = roots.filter((one) => flows(one, source));
  const drawn = new Set(
    flowing.toSorted((a, b) => weightOf(b, source) - weightOf(a, source)).slice(0, MOST_ENTITIES),
  );
  const builder = new GraphBuilder(source);
  // Topics first: the subscriptions that forward to a queue stand before it.
  for (const one of flowing) if (drawn.has(one) && one.kind === 'topic') builder.addTopic(one);
  for (const one of flowing) if (drawn.has(one) && one.kind === 'queue') builder.addQueue(one);
  return {
    nodes: [...builder.nodes.values()],
    edges: builder.edges,
    leftOutCount: flowing.length - drawn.size,
    quietCount: roots.length - flowing.length,
  };
}

function flows(entity: Listed, { trafficOf, clientsOf }: FlowSource): boolean {
  const { path, links } = entity;
  if (links.senders + links.receivers > 0 || trafficOf(path)?.isActive === true) return true;
  if (clientsOf('senders', path).length + clientsOf('receivers', path).length > 0) return true;
  return (
    entity.kind === 'topic' &&
    entity.subscriptions.some((each) => flows(each, { trafficOf, clientsOf, entities: [] }))
  );
}

function weightOf({ path, links }: Listed, { trafficOf }: FlowSource): number {
  const { incoming = 0, outgoing = 0, isActive = false } = trafficOf(path) ?? {};
  return incoming + outgoing + (isActive ? 0.01 : 0) + (links.senders + links.receivers) * 1e-6;
}

class GraphBuilder {
  readonly nodes = new Map<string, FlowNode>();
  readonly edges: FlowEdge[] = [];
  readonly #source: FlowSource;

  constructor(source: FlowSource) {
    this.#source = source;
  }

  addTopic(topic: Topic): void {
    const id = this.#addEntity(topic);
    this.#addSenders(topic.path, id);
    const { subscriptions } = topic;
    const shown = subscriptions
      .toSorted((a, b) => Number(flows(b, this.#source)) - Number(flows(a, this.#source)))
      .slice(0, subscriptions.length > MOST_SUBSCRIPTIONS ? MOST_SUBSCRIPTIONS - 1 : MOST_SUBSCRIPTIONS);
    for (const subscription of shown) this.#addSubscription(topic, subscription, id);
    const more = subscriptions.length - shown.length;
    if (more === 0) return;
    const moreId = `more:${topic.path}`;
    this.#add({ id: moreId, kind: 'subscription', text: `${more} more subscriptions`, path: topic.path });
    this.#connect(id, moreId, 0);
  }

  addQueue(queue: Queue): void {
    const id = this.#addEntity(queue);
    this.#addSenders(queue.path, id);
    this.#addWayOut(queue, id);
  }

  #addSubscription(topic: Topic, subscription: Subscription, topicId: string): void {
    const { path, rules } = subscription;
    const id = this.#addEntity(subscription);
    const rate = this.#source.trafficOf(path)?.incoming ?? 0;
    const shown = rules.length > MOST_RULES ? rules.slice(0, MOST_RULES - 1) : rules;
    const names = rules.length > MOST_RULES ? [...shown, `${rules.length - shown.length} more rules`] : shown;
    for (const name of names) {
      const ruleId = `rule:${path}/${name}`;
      this.#add({ id: ruleId, kind: 'rule', text: name, path: topic.path });
      this.#connect(topicId, ruleId, rate / names.length);
      this.#connect(ruleId, id, rate / names.length);
    }
    if (names.length === 0) this.#connect(topicId, id, 0);
    this.#addWayOut(subscription, id);
  }

  #addWayOut({ path, forwardTo }: Queue | Subscription, id: string): void {
    const rate = this.#source.trafficOf(path)?.outgoing ?? 0;
    if (forwardTo !== undefined) {
      const wanted = forwardTo.toLowerCase(); // it keeps its spelling (ENT-02)
      const target = this.#source.entities.find((one) => one.path.toLowerCase() === wanted);
      const to = target === undefined ? `entity:${wanted}` : this.#addEntity(target);
      if (target === undefined) this.#add({ id: to, kind: 'queue', text: forwardTo, path: forwardTo });
      this.edges.push({ from: id, to, isForwarding: true, rate });
    }
    const groups = this.#source.clientsOf('receivers', path);
    for (const { text, name } of clientTexts(groups)) {
      const clientId = `receiver:${path}:${name}`;
      this.#add({ id: clientId, kind: 'receiver', text, path: undefined });
      this.#connect(id, clientId, rate / groups.length);
    }
  }

  #addSenders(path: string, to: string): void {
    const groups = this.#source.clientsOf('senders', path);
    const rate = (this.#source.trafficOf(path)?.incoming ?? 0) / Math.max(1, groups.length);
    for (const { text, name } of clientTexts(groups)) {
      // One that sends to several entities stands once.
      const id = name === undefined ? `sender:${path}:more` : `sender:${name}`;
      this.#add({ id, kind: 'sender', text, path: undefined });
      this.#connect(id, to, rate);
    }
  }

  #addEntity(entity: Listed): string {
    const { path, kind, counts } = entity;
    const id = `entity:${path.toLowerCase()}`;
    const text = kind === 'subscription' ? shortName(path) : path;
    const { active, deadLetter } = counts;
    this.#add({ id, kind, text, path, active, deadLetter, traffic: this.#source.trafficOf(path) });
    return id;
  }

  #add(given: Partial<FlowNode> & Pick<FlowNode, 'id' | 'kind' | 'text' | 'path'>): void {
    if (!this.nodes.has(given.id)) {
      this.nodes.set(given.id, { active: 0, deadLetter: 0, traffic: undefined, ...given });
    }
  }

  #connect(from: string, to: string, rate: number): void {
    this.edges.push({ from, to, isForwarding: false, rate });
  }
}

/** The first clients by name, and how many more there are. */
function clientTexts(
  groups: readonly ClientGroup[],
): readonly { readonly text: string; readonly name: string | undefined }[] {
  const shown = groups.length > MOST_CLIENTS ? groups.slice(0, MOST_CLIENTS - 1) : groups;
  const texts = shown.map(({ name, connectionCount }) => ({
    text: connectionCount > 1 ? `${name} ×${connectionCount}` : name,
    name,
  }));
  const more = groups.length - shown.length;
  return more === 0 ? texts : [...texts, { text: `${more} more clients`, name: undefined }];
}
