// Random histories of temporary queues and of subscriptions of JMS, durable or not, with crashes: what is there is what a small model says.

import { expect, test } from 'vitest';
import type { Command } from '../../src/broker/contract/command.js';
import { describeTopic } from '../../src/broker/contract/entities/topic-description.js';
import type { InspectedEntity } from '../../src/broker/contract/inspection.js';
import { NEVER } from '../../src/broker/contract/instant.js';
import { BrokerUnderTest, COMPLETE, deliveriesTo } from '../support/broker-builders.js';
import { countFor } from '../support/thorough.js';
import { Random } from './random.js';

const STEPS = 150;
const TOPIC = 'events';
const NAMES = ['a', 'b', 'c'];

type Node = { readonly path: string; readonly isDurable: boolean; readonly messages: Set<string> };
type Held = { readonly node: Node; readonly lockToken: string; readonly text: string };

class History {
  readonly #random: Random;
  #bus: BrokerUnderTest;
  /** Guids that no earlier life has used. */
  #guidCount = 0;
  #linkCount = 0;
  #textCount = 0;
  readonly nodes = new Map<string, Node>();
  /** The nodes that links keep. */
  readonly #keepers = new Map<number, Node>();
  readonly #held: Held[] = [];

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#bus = new BrokerUnderTest({ nextGuid: () => this.#nextGuid() });
    this.#bus.execute({ kind: 'put-entity', type: 'topic', description: describeTopic(TOPIC) });
  }

  step(): void {
    const act = this.#random.pick([
      () => this.#makeQueue(),
      () => this.#subscribe(),
      () => this.#subscribe(),
      () => this.#send(),
      () => this.#send(),
      () => this.#receive(),
      () => this.#complete(),
      () => this.#detach(),
      () => this.#unsubscribe(),
      () => this.#crash(),
    ]);
    act();
    this.#bus.tickAfter(5);
    this.#compare();
  }

  #nextGuid(): string {
    return (++this.#guidCount).toString(16).padStart(32, '0');
  }

  #makeQueue(): void {
    const linkId = ++this.#linkCount;
    const name = `temp-${linkId}`;
    const role = this.#random.pick(['sender', 'receiver'] as const);
    this.#do({ kind: 'attach-temporary', linkId, role, type: 'queue', name, receiveMode: 'peek-lock' });
    this.#keepers.set(linkId, this.#node(name, false));
  }

  #subscribe(): void {
    const linkId = ++this.#linkCount;
    const isDurable = this.#random.chance(0.5);
    const subscriber = { name: this.#random.pick(NAMES), clientId: '', isDurable, isShared: true };
    const rest = { receiveMode: 'peek-lock', autoDeleteOnIdleMs: NEVER, mayCreate: true } as const;
    this.#do({ kind: 'attach-subscriber', linkId, topicName: TOPIC, subscriber, ...rest });
    const path = `${TOPIC}/Subscriptions/${subscriber.name}$$${isDurable ? 'D' : 'ND'}`;
    this.#keepers.set(linkId, this.#node(path, isDurable));
  }

  #send(): void {
    const queues = [...this.nodes.keys()].filter((path) => !path.startsWith(TOPIC));
    const path = this.#random.pick([TOPIC, ...queues]);
    const text = `m${++this.#textCount}`;
    this.#bus.send(path, text);
    for (const node of this.nodes.values()) {
      if (path === TOPIC ? node.path.startsWith(TOPIC) : node.path === path) node.messages.add(text);
    }
  }

  #receive(): void {
    const receiving = [...this.#keepers].filter(([, node]) => node.path.startsWith(TOPIC));
    if (receiving.length === 0) return;
    const [linkId, node] = this.#random.pick(receiving);
    for (const { contentId, lockToken } of deliveriesTo(
      linkId,
      this.#bus.setCredit(linkId, 1_000, { drain: true }),
    )) {
      const text = new TextDecoder().decode(this.#bus.rows.contents.get(contentId));
      expect(node.messages.has(text)).toBe(true);
      if (lockToken !== undefined) this.#held.push({ node, lockToken, text });
    }
  }

  #complete(): void {
    const held = this.#held.pop();
    if (held === undefined) return;
    const { result } = this.#bus.settle(held.node.path, held, COMPLETE);
    if (result.kind === 'done') held.node.messages.delete(held.text);
  }

  #detach(): void {
    if (this.#keepers.size === 0) return;
    const [linkId, node] = this.#random.pick([...this.#keepers]);
    this.#keepers.delete(linkId);
    this.#do({ kind: 'detach', linkId, unsettled: this.#random.pick(['release', 'abandon']) });
    const isKept = node.isDurable || [...this.#keepers.values()].includes(node);
    if (!isKept) this.nodes.delete(node.path);
  }

  #unsubscribe(): void {
    const name = this.#random.pick(NAMES);
    const path = `${TOPIC}/Subscriptions/${name}$$D`;
    const node = this.nodes.get(path);
    const { result } = this.#bus.execute({ kind: 'unsubscribe', name, clientId: '' });
    const isFree = node !== undefined && ![...this.#keepers.values()].includes(node);
    expect(result.kind).toBe(isFree ? 'done' : 'failed');
    if (isFree) this.nodes.delete(path);
  }

  /** Nothing but what is durable is left. */
  #crash(): void {
    if (this.#random.chance(0.7)) return;
    const { now, rows } = this.#bus;
    this.#bus = new BrokerUnderTest({ rows, nextGuid: () => this.#nextGuid() });
    this.#bus.now = now;
    this.#keepers.clear();
    this.#held.length = 0;
    for (const { path, isDurable } of [...this.nodes.values()]) if (!isDurable) this.nodes.delete(path);
  }

  #node(path: string, isDurable: boolean): Node {
    const node = this.nodes.get(path) ?? { path, isDurable, messages: new Set<string>() };
    this.nodes.set(path, node);
    return node;
  }

  #do(command: Command): void {
    const { result } = this.#bus.execute(command);
    if (result.kind === 'failed') throw result.error;
  }

  /** Dead letters count, too: a message may have been abandoned too often. */
  #compare(): void {
    const { result } = this.#bus.execute({ kind: 'inspect-namespace' });
    const entities = result.kind === 'inspected-entities' ? result.entities : [];
    const all = entities.flatMap<InspectedEntity>((each) =>
      each.kind === 'topic' ? [...each.subscriptions] : [each],
    );
    const found = all.map(({ path, counts }) => [path, counts.active + counts.locked + counts.deadLetter]);
    const expected = [...this.nodes.values()].map(({ path, messages }) => [path, messages.size]);
    expect(found.sort()).toEqual(expected.sort());
  }
}

test('temporary queues and volatile subscriptions go with their links and with a crash, and durable ones lose nothing [JMS-43, JMS-44, JMS-57, JMS-58]', () => {
  for (let seed = 1; seed <= countFor(15, 400); seed++) {
    const history = new History(seed);
    for (let count = 0; count < STEPS; count++) history.step();
  }
});
