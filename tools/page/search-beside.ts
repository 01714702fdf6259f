// What a search over a long queue costs others: the latency of sends that are awaited, one after the other, without and beside a search.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceBusSender } from '@azure/service-bus';
import type { Jitney } from '../../compat-tests/support/jitney.js';
import { connect } from '../../compat-tests/support/service-bus.js';
import { EventStream } from '../../src/watch/event-stream.js';

const ROUNDS = 4;
const ROUND_MS = 10_000;
/** Between two sends. */
const PAUSE_MS = 2;
const PERCENTILE = 0.99;

export type BesideFigures = {
  /** Milliseconds of the 99th percentile. */
  readonly alone: number;
  readonly besideSearch: number;
  /** Messages that a search looks at in a second. */
  readonly searchedPerSecond: number;
};

/** The rounds alternate, so that both kinds see the same machine. */
export async function measureBesideSearch(jitney: Jitney, queue: string): Promise<BesideFigures> {
  const client = connect(jitney.connectionString);
  const sender = client.createSender(queue);
  const [alone, besideSearch]: [number[], number[]] = [[], []];
  let [searchedCount, searchedMs] = [0, 0];
  try {
    await sendFor(sender, ROUND_MS / 2); // until V8 has compiled what is often used
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(...(await sendFor(sender, ROUND_MS)));
      const ending = new AbortController();
      const searching = searchUntil(jitney, ending.signal);
      const startedAt = performance.now();
      besideSearch.push(...(await sendFor(sender, ROUND_MS)));
      searchedMs += performance.now() - startedAt;
      ending.abort();
      searchedCount += await searching;
    }
  } finally {
    await client.close();
  }
  const searchedPerSecond = (searchedCount / searchedMs) * 1000;
  return { alone: percentile(alone), besideSearch: percentile(besideSearch), searchedPerSecond };
}

/** Milliseconds of each send. */
async function sendFor(sender: ServiceBusSender, durationMs: number): Promise<readonly number[]> {
  const endAt = performance.now() + durationMs;
  const latencies: number[] = [];
  while (performance.now() < endAt) {
    const sentAt = performance.now();
    await sender.sendMessages({ body: 'x' });
    latencies.push(performance.now() - sentAt);
    await sleep(PAUSE_MS);
  }
  return latencies;
}

/** Searches again and again for what is not there. Resolves with the number of messages that were looked at. */
async function searchUntil(jitney: Jitney, signal: AbortSignal): Promise<number> {
  const url = `http://localhost:${jitney.address.port}/$jitney/v1/search?text=nothing-like-this`;
  let count = 0;
  while (!signal.aborted) {
    let scannedCount = 0;
    try {
      const { body } = await fetch(url, { signal });
      const events = new EventStream();
      for await (const text of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
        for (const { data } of events.read(text)) ({ scannedCount } = JSON.parse(data));
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    count += scannedCount;
  }
  return count;
}

function percentile(latencies: readonly number[]): number {
  const sorted = latencies.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length * PERCENTILE)] ?? Number.NaN;
}
