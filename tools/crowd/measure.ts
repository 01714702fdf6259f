// Measures one attack: an emulator of its own, others at work beside, the attacker's process, and what was seen before, during and after.

import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Child } from '../bench/child.js';
import { ATTACKED_QUEUE, type Attack, type Told } from './attack.js';
import { BYSTANDERS_QUEUES, Bystander } from './bystander.js';
import { control } from './client.js';
import { type Holding, leftBehind, type Row } from './row.js';
import { Server } from './server.js';
import { worse } from './waits.js';

export type Run = { readonly seed: number; readonly scale: number };

const ATTACKER = fileURLToPath(new URL('attacker.ts', import.meta.url));
const ATTACK_LIMIT_MS = 60_000;
/** With the preparation and all measures. */
const ROW_LIMIT_MS = 120_000;
const WARM_MS = 2000;
/** What happens when the client goes. */
const END_MS = 3000;
const RETURN_TRIES = 10;
const HOLDING_TRIES = 10;
/** Less is no growth. */
const MORE_MB = 5;

/** Rejects when the emulator does not come back. */
export async function measure(name: string, attack: Attack, run: Run): Promise<Row> {
  const queues = [ATTACKED_QUEUE, ...BYSTANDERS_QUEUES].flatMap((queue) => ['--queue', queue]);
  const server = await Server.start(['--limits', 'none', ...queues, ...(attack.options ?? [])]);
  const attacker = new Child(ATTACKER, {
    nodeArguments: ['--import', 'tsx'],
    programArguments: [name, ...[server.port, run.seed, run.scale].map(String)],
    isAsked: true,
  });
  const overdue = sleep(ROW_LIMIT_MS, undefined, { ref: false }).then(() => {
    throw new Error(`the emulator did not come back within ${ROW_LIMIT_MS / 1000} s`);
  });
  try {
    return await Promise.race([
      rowOf({ name, attack, server, attacker, pace: Math.min(1, 10 * run.scale) }),
      overdue,
    ]);
  } finally {
    await attacker.kill();
    await server.stop();
  }
}

type Parties = {
  readonly name: string;
  readonly attack: Attack;
  readonly server: Server;
  readonly attacker: Child;
  /** The part of the usual pauses. */
  readonly pace: number;
};

async function rowOf({ name, attack, server, attacker, pace }: Parties): Promise<Row> {
  await attacker.ask({});
  const bystanders = await Bystander.openAll(server.port);
  try {
    return await beside(bystanders, { name, attack, server, attacker, pace });
  } finally {
    for (const bystander of bystanders) bystander.close();
  }
}

async function beside(
  bystanders: readonly Bystander[],
  { name, attack, server, attacker, pace }: Parties,
): Promise<Row> {
  await sleep(WARM_MS * pace);
  const before = await holding(server);
  Bystander.take(bystanders);
  await server.turnMs();
  const delayed = server.delayed();
  const told = await inTime(attacker.ask<Told>({}));
  const during = Bystander.take(bystanders);
  const delayedPart = delayed();
  const held = await mostHolding(server);
  Bystander.take(bystanders); // they waited for the collections
  await attacker.kill();
  await sleep(END_MS * pace);
  const waits = worse(during, Bystander.take(bystanders));
  const turnMs = await server.turnMs();
  const after = await returned(server, before);
  const kept = await keptEntities(server.port, told.temporary ?? []);
  return {
    attack: name,
    column: attack.column ?? 'works',
    turnMs,
    waits,
    delayedPart,
    before,
    held,
    after,
    told: told.text,
    problems: [...(told.problems ?? []), ...kept],
  };
}

function inTime(told: Promise<Told>): Promise<Told> {
  const late = { text: '', problems: [`the attack was not done after ${ATTACK_LIMIT_MS / 1000} s`] };
  const failed = told.catch((error: Error) => ({ text: '', problems: [error.message] }));
  return Promise.race([failed, sleep(ATTACK_LIMIT_MS, late, { ref: false })]);
}

async function keptEntities(port: number, paths: readonly string[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const path of paths) {
    const { status } = await control(port, `entity?entity=${encodeURIComponent(path)}`);
    if (status !== 404) problems.push(`${path} has not gone with its client: ${status}`);
  }
  return problems;
}

/** The bystanders' own messages come and go, and do not count. */
async function holding(server: Server): Promise<Holding> {
  return { aliveMb: await server.aliveMb(), messageCount: await server.messageCount(BYSTANDERS_QUEUES) };
}

/** What is alive when no more is added. */
async function mostHolding(server: Server): Promise<Holding> {
  let most = await holding(server);
  for (let count = 0; count < HOLDING_TRIES; count++) {
    await sleep(1000);
    const now = await holding(server);
    if (now.aliveMb < most.aliveMb + MORE_MB) break;
    most = now;
  }
  return most;
}

/** What is alive when the client has gone and its memory is given back, or some seconds later. */
async function returned(server: Server, before: Holding): Promise<Holding> {
  let after = await holding(server);
  for (let count = 0; count < RETURN_TRIES && leftBehind(before, after).length > 0; count++) {
    await sleep(1000);
    after = await holding(server);
  }
  return after;
}
