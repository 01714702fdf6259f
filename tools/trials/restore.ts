// Kills the built product with SIGKILL while it restores a snapshot: after the next start everything is as it was, or as the snapshot has
// it, and as the snapshot has it if the client was told so.

import { setTimeout as delay } from 'node:timers/promises';
import { Jitney } from '../../compat-tests/support/jitney.js';
import { seededRandom } from '../../compat-tests/support/seeded-random.js';
import { temporaryDirectory } from '../../compat-tests/support/temporary-directory.js';
import type { TrialOptions } from './run.js';

const SHARED_QUEUE = 'orders';
const MESSAGES = { left: 6000, right: 4000 } as const;
const SIDES = ['left', 'right'] as const;
const PAGE = 250;
const REPORTED_ROUNDS = 5;

type Side = (typeof SIDES)[number];

/** A snapshot, and what a start shows after it has been restored. */
type Prepared = { readonly snapshot: ArrayBuffer; readonly seen: string };

/** Returns the number of violations. */
export async function runRestores({ rounds = 60, seed }: TrialOptions): Promise<number> {
  await using directory = await temporaryDirectory();
  const random = seededRandom(seed);
  const prepared = { left: await prepare('left'), right: await prepare('right') };
  const { longestMs } = await restoreWhole(directory.path, prepared);
  const counts = { before: 0, after: 0, told: 0 };
  let violations = 0;
  let side: Side = 'right';
  for (let round = 1; round <= rounds; round++) {
    const other: Side = side === 'left' ? 'right' : 'left';
    const afterMs = random.between(0, Math.ceil(longestMs * 1.3));
    const isTold = await killAmid(directory.path, prepared[other].snapshot, afterMs);
    const seen = await seenIn(directory.path);
    const found = SIDES.find((one) => prepared[one].seen === seen);
    if (found === undefined || (isTold && found !== other)) {
      violations += 1;
      console.log(
        `round ${round}, seed ${seed}, killed after ${afterMs} ms: ${found ?? `neither (${seen.slice(0, 200)})`}, ${isTold ? '' : 'not '}told`,
      );
      return violations;
    }
    counts[found === side ? 'before' : 'after'] += 1;
    if (isTold) counts.told += 1;
    side = found;
    if (round % REPORTED_ROUNDS === 0) console.log(`${round} of ${rounds} rounds, ${violations} violations`);
  }
  console.log(
    `seed ${seed}: ${rounds} kills amid a restore of ${longestMs} ms: ${counts.before} as before, ${counts.after} as the snapshot, of which ${counts.told} were told; ${violations} violations`,
  );
  return violations;
}

async function prepare(side: Side): Promise<Prepared> {
  await using jitney = await Jitney.start({ queues: [SHARED_QUEUE, side] });
  for (let sent = 0; sent < MESSAGES[side]; sent += PAGE) {
    const messages = Array.from({ length: PAGE }, (_, index) => ({
      messageId: `${side}${sent + index}`,
      body: 'x'.repeat(200),
    }));
    await call(jitney, `messages?entity=${SHARED_QUEUE}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(messages),
    });
  }
  const snapshot = await (await call(jitney, 'snapshot')).arrayBuffer();
  return { snapshot, seen: await seenAt(jitney) };
}

/** Restores both once, the right one last, and measures the longest. */
async function restoreWhole(dataDirectory: string, prepared: Readonly<Record<Side, Prepared>>) {
  await using jitney = await Jitney.start({ queues: [SHARED_QUEUE], dataDirectory });
  let longestMs = 0;
  for (const side of SIDES) {
    const startedAt = performance.now();
    await call(jitney, 'snapshot', { method: 'PUT', body: prepared[side].snapshot });
    longestMs = Math.max(longestMs, Math.ceil(performance.now() - startedAt));
  }
  return { longestMs };
}

/** Resolves with whether the client was told that the snapshot is restored. */
async function killAmid(dataDirectory: string, snapshot: ArrayBuffer, afterMs: number): Promise<boolean> {
  const jitney = await Jitney.start({ queues: [SHARED_QUEUE], dataDirectory });
  const told = call(jitney, 'snapshot', { method: 'PUT', body: snapshot }).then(
    () => true,
    () => false,
  );
  await delay(afterMs);
  await jitney.killNine();
  return told;
}

async function seenIn(dataDirectory: string): Promise<string> {
  await using jitney = await Jitney.start({ queues: [SHARED_QUEUE], dataDirectory });
  return await seenAt(jitney);
}

/** The paths of all entities, and the messages with their numbers and ids. */
async function seenAt(jitney: Jitney): Promise<string> {
  type Entities = { readonly entities: readonly { readonly path: string }[] };
  type Page = {
    readonly messages: readonly { readonly sequenceNumber: number; readonly messageId: string }[];
    readonly next?: number;
  };
  const { entities } = (await (await call(jitney, 'entities')).json()) as Entities;
  const messages: string[] = [];
  for (let from: number | undefined = 0; from !== undefined; ) {
    const answer = await call(jitney, `messages?entity=${SHARED_QUEUE}&from=${from}&limit=${PAGE}`);
    const page = (await answer.json()) as Page;
    messages.push(...page.messages.map((one) => `${one.sequenceNumber} ${one.messageId}`));
    from = page.next;
  }
  return JSON.stringify([entities.map(({ path }) => path).sort(), messages.length, messages]);
}

async function call({ address }: Jitney, path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(`http://${address.host}:${address.port}/$jitney/v1/${path}`, init);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}
