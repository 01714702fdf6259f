// Random histories of temporary queues and of subscriptions of JMS, durable or not, with and without selectors, with crashes: what is there
// is what a small model says.

import { expect, test } from 'vitest';
import type { Command } from '../../src/broker/contract/command.js';
import { describeTopic } from '../../src/broker/contract/entities/topic-description.js';
import type { InspectedEntity } from '../../src/broker/contract/inspection.js';
import { NEVER } from '../../src/broker/contract/instant.js';
import { BrokerUnderTest, COMPLETE, deliveriesTo, newMessage } from '../support/broker-builders.js';
import { contentOf } from '../support/json-reader.js';
import { countFor } from '../support/thorough.js';
import { Random } from './random.js';

const STEPS = 150;
const TOPIC = 'events';
const NAMES = ['a', 'b', 'c'];

const COLORS = ['red', 'blue', undefined] as const;
type Color = (typeof COLORS)[number];
/** What each takes: what is unknown is not taken (JMS-83). */
const SELECTORS: Readonly<Record<string, (color: Color) => boolean>> = {
  "color = 'red'": (color) => color === 'red',
  "NOT color = 'red'": (color) => color === 'blue',
  'color IS NULL': (color) => color === undefined,
};

type Node = {
  readonly path: string;
  readonly isDurable: boolean;
  readonly selector: string | undefined;
  readonly messages: Set<string>;
};
type Held = { readonly node: Node; readonly lockToken: string; readonly text: string };

class History {
  readonly #random: Random;
  #bus: BrokerUnderTest;
  /** Guids that no earlier life has used. */
  #guidCount = 0;
  #linkCount = 0;
  #textCount = 0;
  readonly nodes = new Map<string, Node>();
  /** What has happened that must. */
  readonly seen = new Set<'selected' | 'not selected' | 'refused' | 'made anew'>();
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
    this.#keepers.set(linkId, this.#node({ path: name, isDurable: false, selector: undefined }));
  }

  #subscribe(): void {
    const linkId = ++this.#linkCount;
    const isDurable = this.#random.chance(0.5);
    const selector = this.#random.pick([undefined, undefined, ...Object.keys(SELECTORS)]);
    const name = this.#random.pick(NAMES);
    const subscriber = { name, clientId: '', isDurable, isShared: true, selector };
    const rest = { receiveMode: 'peek-lock', autoDeleteOnIdleMs: NEVER, mayCreate: true } as const;
    const command = { kind: 'attach-subscriber', linkId, topicName: TOPIC, subscriber, ...rest } as const;
    const path = `${TOPIC}/Subscriptions/${name}$$${isDurable ? 'D' : 'ND'}`;
    const before = this.nodes.get(path);
    if (before !== undefined && before.selector !== selector) {
      if (this.#isKept(before)) {
        const { result } = this.#bus.execute(command); // JMS-53
        expect(result).toMatchObject({ kind: 'failed', error: { reason: 'not-allowed' } });
        this.seen.add('refused');
        return;
      }
      this.seen.add('made anew');
      this.nodes.delete(path); // JMS-56
    }
    this.#do(command);
    this.#keepers.set(linkId, this.#node({ path, isDurable, selector }));
  }

  #send(): void {
    const queues = [...this.nodes.keys()].filter((path) => !path.startsWith(TOPIC));
    const path = this.#random.pick([TOPIC, ...queues]);
    const color = this.#random.pick(COLORS);
    const content = contentOf({ user: { number: ++this.#textCount, ...(color && { color }) } });
    this.#bus.send(path, newMessage(content));
    for (const node of this.nodes.values()) {
      const isThere = path === TOPIC ? node.path.startsWith(TOPIC) : node.path === path;
      if (!isThere) continue;
      const isSelected = node.selector === undefined || SELECTORS[node.selector]?.(color) === true;
      if (node.selector !== undefined) this.seen.add(isSelected ? 'selected' : 'not selected');
      if (isSelected) node.messages.add(new TextDecoder().decode(content));
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
    if (!node.isDurable && !this.#isKept(node)) this.nodes.delete(node.path);
  }

  #unsubscribe(): void {
    const name = this.#random.pick(NAMES);
    const path = `${TOPIC}/Subscriptions/${name}$$D`;
    const node = this.nodes.get(path);
    const { result } = this.#bus.execute({ kind: 'unsubscribe', name, clientId: '' });
    const isFree = node !== undefined && !this.#isKept(node);
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

  #node(made: Omit<Node, 'messages'>): Node {
    const node = this.nodes.get(made.path) ?? { ...made, messages: new Set<string>() };
    this.nodes.set(made.path, node);
    return node;
  }

  #isKept(node: Node): boolean {
    return [...this.#keepers.values()].includes(node);
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

test('temporary queues and volatile subscriptions go with their links and with a crash, and durable ones lose nothing but what their selectors leave out [JMS-43, JMS-44, JMS-56, JMS-57, JMS-58, JMS-81]', () => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= countFor(15, 400); seed++) {
    const history = new History(seed);
    for (let count = 0; count < STEPS; count++) history.step();
    for (const what of history.seen) seen.add(what);
  }
  expect([...seen].sort()).toEqual(['made anew', 'not selected', 'refused', 'selected']);
});
