// A whole emulator without sockets: engine, broker, memory journal and AMQP front end on a virtual clock.

import type { Duplex } from 'node:stream';
import { AmqpServer, type Ticker } from '../../src/amqp/amqp-server.js';
import type { FrameSink } from '../../src/amqp/frame-trace.js';
import { AZURE_IDLE_TIMEOUTS, NO_IDLE_TIMEOUTS } from '../../src/amqp/idle-watch.js';
import { Broker } from '../../src/broker/broker.js';
import type { Command } from '../../src/broker/contract/command.js';
import {
  describeSubscription,
  describeTopic,
  type SubscriptionDescription,
  type TopicDescription,
} from '../../src/broker/contract/entities/topic-description.js';
import type { RuleDescription } from '../../src/broker/contract/rule-description.js';
import type { ByteBudget } from '../../src/budget/byte-budget.js';
import { parseQueueSpec } from '../../src/config/given-queue.js';
import type { EmulatorOptions } from '../../src/config/options/emulator-options.js';
import { brokerOptions, chooseIdleTimeouts } from '../../src/config/part-options.js';
import { contentReader } from '../../src/content/message-reader.js';
import { Engine } from '../../src/engine/engine.js';
import type { Journal } from '../../src/engine/ports.js';
import { SystemGuids } from '../../src/engine/system-guids.js';
import type { StartTimer } from '../../src/engine/timer.js';
import { MemoryJournal } from '../../src/journal/memory-journal.js';
import type { Faults } from '../../src/steer/faults.js';
import { ActivityStream } from '../../src/watch/activity-stream.js';
import { memoryPipe } from './memory-pipe.js';
import { VirtualClock } from './virtual-clock.js';

export type EmulatorUnderTest = {
  readonly connections: AmqpServer['connections'];
  readonly engine: Engine;
  readonly clock: VirtualClock;
  /** Off until something listens. */
  readonly activity: ActivityStream;
  readonly server: AmqpServer;
  /** Faults of the emulator itself; a test that sees one has found a bug. */
  readonly faults: readonly unknown[];
  /** The client's end of a new connection. */
  connect(): Duplex;
  stop(): Promise<void>;
};

export type SubscriptionUnderTest = Partial<SubscriptionDescription> & {
  readonly name: string;
  /** Default: `$Default` alone. */
  readonly rules?: readonly RuleDescription[];
};

export type TopicUnderTest = Partial<TopicDescription> & {
  readonly name: string;
  readonly subscriptions?: readonly (string | SubscriptionUnderTest)[];
};

export type UnderTestOptions = Pick<
  EmulatorOptions,
  | 'tier'
  | 'limits'
  | 'jms'
  | 'expirySweep'
  | 'releaseLocksOnDetach'
  | 'expireWholeSession'
  | 'idleTimeouts'
  | 'authorizationTimeoutMs'
  | 'contentBudgetBytes'
> & {
  /** Specs such as `orders?lockDuration=PT5S`. */
  readonly queues: readonly string[];
  readonly topics?: readonly (string | TopicUnderTest)[];
  /** Default: a new one in memory. */
  readonly journal?: Journal;
  readonly onHint?: (hint: string) => void;
  readonly onFrame?: FrameSink;
  /** What moves the transport clock. Default: the machine's time. */
  readonly ticker?: Ticker;
  /** What ends waits for a session. Default: the machine's time. */
  readonly startTimer?: StartTimer;
  /** Milliseconds of the transport clock. Default: the machine's time. */
  readonly now?: () => number;
  /** Faults that befall the operations of clients. Default: none. */
  readonly faults?: Faults;
  /** Default: a new one of the usual size. */
  readonly budget?: ByteBudget;
  /** Default: any number. */
  readonly maxConnections?: number;
  readonly maxLinks?: number;
};

const START = Date.UTC(2026, 0, 1);

export async function openEmulatorUnderTest(options: UnderTestOptions): Promise<EmulatorUnderTest> {
  const guids = new SystemGuids();
  const nextGuid = () => guids.next();
  const clock = new VirtualClock(START);
  const journal = options.journal ?? new MemoryJournal();
  const broker = new Broker({ ...brokerOptions(options), nextGuid, messageReader: contentReader });
  const { contentBudgetBytes } = options;
  const engine = new Engine(
    broker,
    journal,
    clock,
    contentBudgetBytes === undefined ? {} : { contentBudgetBytes },
  );
  await engine.start();
  const queues = options.queues.map((spec): Command => {
    return { kind: 'put-entity', type: 'queue', description: parseQueueSpec(spec) };
  });
  for (const command of [...queues, ...(options.topics ?? []).flatMap(commandsFor)]) {
    const result = await engine.ask(command);
    if (result.kind === 'failed') throw result.error;
  }
  const faults: unknown[] = [];
  const activity = new ActivityStream(engine, () => clock.now(), { onFault: (fault) => faults.push(fault) });
  const server = new AmqpServer(engine, {
    activity,
    product: 'Jitney',
    version: '0.0.0',
    nextGuid,
    nudges: false,
    idleTimeouts: chooseIdleTimeouts(options, { azure: AZURE_IDLE_TIMEOUTS, off: NO_IDLE_TIMEOUTS }),
    ...(options.ticker === undefined ? {} : { ticker: options.ticker }),
    ...(options.startTimer === undefined ? {} : { startTimer: options.startTimer }),
    ...(options.now === undefined ? {} : { now: options.now }),
    ...(options.faults === undefined ? {} : { faults: options.faults }),
    ...(options.budget === undefined ? {} : { budget: options.budget }),
    ...(options.maxConnections === undefined ? {} : { maxConnections: options.maxConnections }),
    ...(options.maxLinks === undefined ? {} : { maxLinks: options.maxLinks }),
    jms: {
      choice: options.jms ?? 'azure',
      isBeyondTier: options.tier === 'standard' || options.tier === 'basic',
      maxMessageSizeBytes: brokerOptions(options).limits.maxMessageSizeCeilingBytes,
    },
    spansEntities: !brokerOptions(options).limits.hasOneEntityTransactions,
    onHint: options.onHint ?? (() => {}),
    onFrame: options.onFrame,
    onFault: (fault) => faults.push(fault),
  });
  return {
    engine,
    clock,
    activity,
    server,
    faults,
    connections: server.connections,
    connect() {
      const [client, ours] = memoryPipe();
      server.serve(ours);
      return client;
    },
    async stop() {
      server.close(undefined);
      await engine.stop();
    },
  };
}

function commandsFor(topic: string | TopicUnderTest): Command[] {
  const given: TopicUnderTest = typeof topic === 'string' ? { name: topic } : topic;
  const { name: topicName, subscriptions = [], ...properties } = given;
  return [
    { kind: 'put-entity', type: 'topic', description: describeTopic(topicName, properties) },
    ...subscriptions.map((each) => commandFor(topicName, typeof each === 'string' ? { name: each } : each)),
  ];
}

function commandFor(topicName: string, { name, rules, ...properties }: SubscriptionUnderTest): Command {
  return {
    kind: 'put-entity',
    type: 'subscription',
    topicName,
    description: describeSubscription(name, properties),
    rules,
  };
}
