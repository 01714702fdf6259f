// Builders for tests of transfers: a broker with `via`, through which messages go, and `there`, where they go.

import type { Turn } from '../../src/broker/broker.js';
import type { BehaviourOptions } from '../../src/broker/contract/behaviour-options.js';
import type { QueueDescription } from '../../src/broker/contract/entities/queue-description.js';
import type { NewMessage } from '../../src/broker/contract/message-properties.js';
import { BrokerUnderTest, messageOf, messageOfSize } from './broker-builders.js';

export const FAILED = '/$Transfer/$DeadLetterQueue';

/** The size that makes a queue of one megabyte full. */
const MEGABYTE = 2 ** 20;

type GivenQueue = Partial<Omit<QueueDescription, 'name'>>;
type Given = {
  readonly via?: GivenQueue;
  readonly there?: GivenQueue;
  readonly behaviour?: Partial<BehaviourOptions>;
};

export function withVia({ via = {}, there = {}, behaviour = {} }: Given = {}): BrokerUnderTest {
  const bus = new BrokerUnderTest({ limits: { maxMessageSizeBytes: MEGABYTE }, behaviour });
  bus.putQueue('via', via);
  bus.putQueue('there', { maxSizeInMegabytes: 1, ...there });
  return bus;
}

/** `there` takes nothing until its one message, number 1, is received. */
export function withFull(given: Given = {}) {
  const bus = withVia(given);
  fill(bus, 'there');
  return bus;
}

export function fill(bus: BrokerUnderTest, name: string): void {
  bus.send(name, messageOfSize(MEGABYTE));
}

/** Takes out what made it full. */
export function drain(bus: BrokerUnderTest, name: string): void {
  bus.receive(name, 1, 'receive-and-delete');
}

export function transfer(
  bus: BrokerUnderTest,
  messages: readonly (NewMessage | string)[],
  { through = 'via', to = 'there', isChecked = false } = {},
): Turn {
  return bus.execute({
    kind: 'transfer',
    entityPath: through,
    destination: to,
    messages: messages.map((message) => (typeof message === 'string' ? messageOf(message) : message)),
    isChecked,
  });
}

export function textsIn(bus: BrokerUnderTest, path: string): readonly string[] {
  return bus.peek(path).map((message) => bus.textOf(message));
}

export function countsOf(bus: BrokerUnderTest, name = 'via') {
  const { transfer: waiting, transferDeadLetter: failed } = bus.queueInfo(name).counts;
  return { waiting, failed };
}
