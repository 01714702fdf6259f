// Drives the brokers in turn by one client process, and notes how fast they start and what they hold before and after.

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { programPath } from '../built-programs.js';
import { Child } from '../child.js';
import type { Answer, Task } from '../programs/plain-client.js';
import { rotated } from '../rounds.js';
import { PEER_NAMES, Peer, type PeerName } from './peers.js';
import {
  BODY_SIZES,
  type BodySize,
  messageCountOf,
  PLAIN_RUN_ORDER,
  type PlainScenarioName,
} from './plain-scenarios.js';
import { HOST } from './ports.js';
import type { Rabbitmq } from './rabbitmq.js';

type OfEach<Value> = Readonly<Record<PeerName, Value>>;

export type PeerMeasurement = {
  readonly peer: PeerName;
  readonly scenario: PlainScenarioName;
  readonly bodyBytes: number;
  readonly messagesPerSecond: number;
};

export type PeerFigures = {
  readonly rounds: readonly (readonly PeerMeasurement[])[];
  /** Milliseconds from the start of the process until it listens, of each start. */
  readonly starts: readonly OfEach<number>[];
  readonly idleBytes: OfEach<number>;
  readonly afterwards: OfEach<{ readonly residentBytes: number; readonly diskBytes: number }>;
  readonly rabbitmqVersion: string | undefined;
};

export type PeerOptions = {
  readonly rabbitmq: Rabbitmq;
  /** Everything the brokers write lies in it. */
  readonly directory: string;
  readonly roundCount: number;
  readonly tell: (line: string) => void;
};

const MOST_STARTS = 5;
const REST_MS = 3000;

export async function measurePeers(options: PeerOptions): Promise<PeerFigures> {
  const { roundCount, tell } = options;
  const starts: OfEach<number>[] = [];
  for (let start = 1; start < Math.min(MOST_STARTS, roundCount); start++) {
    await withPeers(options, async (peers) => starts.push(ofEach(peers, ({ startMs }) => startMs)));
    tell(`start ${start}`);
  }
  return withPeers(options, async (peers) => {
    starts.push(ofEach(peers, ({ startMs }) => startMs));
    await sleep(REST_MS);
    const idleBytes = ofEach(peers, (peer) => peer.residentBytes());
    tell('all brokers are up');
    const rounds = await measureRounds(peers, options);
    await sleep(REST_MS);
    const diskBytes = await Promise.all(peers.map((peer) => peer.diskBytes()));
    const afterwards = ofEach(peers, (peer, index) => ({
      residentBytes: peer.residentBytes(),
      diskBytes: diskBytes[index] ?? 0,
    }));
    const rabbitmqVersion = peers.find(({ version }) => version !== undefined)?.version;
    return { rounds, starts, idleBytes, afterwards, rabbitmqVersion };
  });
}

/** One starts after the other. Whatever happens, all are stopped and their data is gone then. */
async function withPeers<Value>(
  { directory, rabbitmq }: PeerOptions,
  use: (peers: readonly Peer[]) => Promise<Value>,
): Promise<Value> {
  const peers: Peer[] = [];
  try {
    for (const name of PEER_NAMES) peers.push(await Peer.start(name, join(directory, name), rabbitmq));
    return await use(peers);
  } finally {
    for (const peer of peers) await peer.stop();
  }
}

async function measureRounds(
  peers: readonly Peer[],
  { roundCount, tell }: PeerOptions,
): Promise<PeerMeasurement[][]> {
  const client = new Child(programPath('plain-client'), { isAsked: true });
  const rounds: PeerMeasurement[][] = [];
  try {
    // Round 0 warms everybody up and does not count.
    for (let number = 0; number <= roundCount; number++) {
      const round = await measureRound(client, rotated(peers, number));
      tell(number === 0 ? 'warm-up' : `round ${number}/${roundCount}`);
      if (number > 0) rounds.push(round);
    }
  } finally {
    await client.stop();
  }
  return rounds;
}

/** Each scenario against every broker before the next, so that what disturbs the machine disturbs all of them. */
async function measureRound(client: Child, peers: readonly Peer[]): Promise<PeerMeasurement[]> {
  const round: PeerMeasurement[] = [];
  for (const size of BODY_SIZES) {
    for (const scenario of PLAIN_RUN_ORDER) {
      for (const peer of peers) round.push(await measure(client, peer, { scenario, size }));
    }
  }
  return round;
}

async function measure(
  client: Child,
  { name, port, address, isDurable }: Peer,
  { scenario, size }: { readonly scenario: PlainScenarioName; readonly size: BodySize },
): Promise<PeerMeasurement> {
  const { bodyBytes, title } = size;
  const messageCount = messageCountOf(scenario, size);
  const answer = await client.ask<Answer>({
    ...{ host: HOST, port, address, isDurable },
    ...{ scenario, messageCount, bodyBytes },
  } satisfies Task);
  if ('error' in answer) throw new Error(`${scenario} of ${title} against ${name} failed: ${answer.error}`);
  return { peer: name, scenario, bodyBytes, messagesPerSecond: (messageCount * 1000) / answer.elapsedMs };
}

function ofEach<Value>(peers: readonly Peer[], figure: (peer: Peer, index: number) => Value): OfEach<Value> {
  return Object.fromEntries(peers.map((peer, index) => [peer.name, figure(peer, index)])) as OfEach<Value>;
}
