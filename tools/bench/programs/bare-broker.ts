// The program that is the broker alone, without wire and journal: what many sessions cost it in memory and in time. Needs --expose-gc.

import { randomUUID } from 'node:crypto';
import { Broker } from '../../../src/broker/broker.js';
import type { Command } from '../../../src/broker/command.js';
import type { Effect } from '../../../src/broker/effect.js';
import { describeQueue } from '../../../src/broker/entities/queue-description.js';
import { LIMITS_OF_TIER } from '../../../src/broker/limits.js';
import type { NewMessage } from '../../../src/broker/queue/message-properties.js';
import { contentReader } from '../../../src/content/message-reader.js';
import { median } from '../statistics.js';

/** Asks for the one measurement. */
export type Task = { readonly sessionCount: number; readonly acceptCount: number };

export type BrokerFigures = {
  readonly acceptCount: number;
  /** Of a session that nobody holds, with one message and a state, without that message. */
  readonly sessionBytes: number;
  /** Of that message, in a queue without sessions. */
  readonly messageBytes: number;
  readonly acceptCpuMs: number;
  /** By the clock, whatever else happened meanwhile. */
  readonly longestAcceptMs: number;
  /** When of each only the shortest of its tries counts: without what others, and the collection of garbage, do to any. */
  readonly undisturbedAcceptMs: number;
  readonly detachCpuMs: number;
};

export type Answer = BrokerFigures | { readonly error: string };

const QUEUE = 'q';
const CONNECTION_ID = 1;
const BATCH_COUNT = 100;
const CONTENT = new Uint8Array(1024);
const STATE = new Uint8Array(64);
const COLLECTIONS = 3;
const WARM_UP_COUNT = 1000;
const ROUNDS = 5;
const MICROSECONDS_PER_MS = 1000;
/** The instant of all commands: nothing comes due. */
const NOW = Date.UTC(2026, 0, 1);

process.on('message', (task: Task) => process.send?.(perform(task)));
// The process that started this one is gone.
process.on('disconnect', () => process.exit());

function perform(task: Task): Answer {
  try {
    return measure(task);
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function measure({ sessionCount, acceptCount }: Task): BrokerFigures {
  const plain = weigh(() => fill(openBroker(false), sessionCount));
  const { broker, bytes } = weigh(() => setStates(fill(openBroker(true), sessionCount), sessionCount));
  acceptAndDetach(broker, Math.min(WARM_UP_COUNT, acceptCount));
  const rounds = Array.from({ length: ROUNDS }, () => acceptAndDetach(broker, acceptCount));
  return {
    acceptCount,
    sessionBytes: (bytes - plain.bytes) / sessionCount,
    messageBytes: plain.bytes / sessionCount,
    acceptCpuMs: median(rounds.map((round) => round.acceptCpuMs)),
    longestAcceptMs: Math.max(...rounds.map(({ acceptTimes }) => longest(acceptTimes))),
    undisturbedAcceptMs: longest(shortestOfEach(rounds.map(({ acceptTimes }) => acceptTimes))),
    detachCpuMs: median(rounds.map((round) => round.detachCpuMs)),
  };
}

function shortestOfEach(rounds: readonly Float64Array[]): Float64Array {
  const [first = new Float64Array()] = rounds;
  return first.map((_, index) => Math.min(...rounds.map((times) => times[index] ?? 0)));
}

function longest(times: Float64Array): number {
  return times.reduce((most, time) => Math.max(most, time), 0);
}

function weigh(build: () => Broker): { broker: Broker; bytes: number } {
  const before = usedHeapBytes();
  const broker = build();
  return { broker, bytes: usedHeapBytes() - before };
}

function usedHeapBytes(): number {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error('this program needs --expose-gc');
  for (let collection = 0; collection < COLLECTIONS; collection++) gc();
  return process.memoryUsage().heapUsed;
}

function openBroker(requiresSession: boolean): Broker {
  const broker = new Broker({
    limits: LIMITS_OF_TIER.standard,
    nextGuid: () => randomUUID().replaceAll('-', ''),
    messageReader: contentReader,
  });
  const description = describeQueue(QUEUE, { requiresSession, maxSizeInMegabytes: 5120 });
  execute(broker, { kind: 'put-entity', type: 'queue', description });
  return broker;
}

/** A message for each session, with and without sessions the same. */
function fill(broker: Broker, count: number): Broker {
  for (let from = 0; from < count; from += BATCH_COUNT) {
    const messages = Array.from({ length: Math.min(BATCH_COUNT, count - from) }, (_, index) =>
      newMessage(from + index),
    );
    execute(broker, { kind: 'send', entityPath: QUEUE, messages });
  }
  return broker;
}

function setStates(broker: Broker, count: number): Broker {
  for (let linkId = 0; linkId < count; linkId++) {
    const sessionId = idOfSession(linkId);
    execute(broker, acceptCommand(linkId, sessionId));
    const session = { sessionId, connectionId: CONNECTION_ID };
    execute(broker, { kind: 'set-session-state', entityPath: QUEUE, session, state: STATE });
    execute(broker, { kind: 'detach', linkId });
  }
  return broker;
}

type Round = {
  readonly acceptCpuMs: number;
  readonly acceptTimes: Float64Array;
  readonly detachCpuMs: number;
};

/** All are held at once, or it would be the same session again and again. */
function acceptAndDetach(broker: Broker, count: number): Round {
  const acceptTimes = new Float64Array(count);
  const acceptCpuMs = cpuMsOfEach(count, (linkId) => {
    const startedAt = performance.now();
    const effects = execute(broker, acceptCommand(linkId, undefined));
    acceptTimes[linkId] = performance.now() - startedAt;
    if (effects[0]?.kind !== 'session-accepted') throw new Error(`accept ${linkId} got no session`);
  });
  const detachCpuMs = cpuMsOfEach(count, (linkId) => {
    execute(broker, { kind: 'detach', linkId });
  });
  return { acceptCpuMs, acceptTimes, detachCpuMs };
}

function cpuMsOfEach(count: number, perform: (index: number) => void): number {
  const before = process.cpuUsage();
  for (let index = 0; index < count; index++) perform(index);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / MICROSECONDS_PER_MS / count;
}

function acceptCommand(linkId: number, sessionId: string | undefined): Command {
  const link = { linkId, connectionId: CONNECTION_ID, receiveMode: 'peek-lock' } as const;
  return { kind: 'accept-session', entityPath: QUEUE, ...link, sessionId };
}

function execute(broker: Broker, command: Command): readonly Effect[] {
  const { result, effects } = broker.execute(command, NOW);
  if (result.kind === 'failed') throw result.error;
  return effects;
}

/** A string of its own each time, as decoding makes it. */
function idOfSession(index: number): string {
  return Buffer.from(`session-${String(index).padStart(9, '0')}`).toString();
}

function newMessage(index: number): NewMessage {
  return {
    content: CONTENT,
    messageId: `message-${index}`,
    sessionId: idOfSession(index),
    replyToSessionId: undefined,
    partitionKey: undefined,
    viaPartitionKey: undefined,
    timeToLiveMs: undefined,
    scheduledEnqueueTime: undefined,
    headBytes: 0,
    largestPropertyBytes: 0,
    unsupportedProperty: undefined,
  };
}
