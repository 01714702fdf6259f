// How long Jitney takes from the start of its process until it listens, and how much memory it holds while nobody asks for anything.

import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryDirectory } from './brokers.js';
import { JITNEY, programPath } from './built-programs.js';
import { Child } from './child.js';
import { READY_LINE } from './programs/up.js';
import type { Usage } from './programs/usage-probe.js';
import { median } from './statistics.js';

export type StartUp = {
  readonly memoryStoreMs: number;
  readonly emptyDirectoryMs: number;
  /** Node with one socket, started in between. */
  readonly bareMs: number;
};

const ANYWHERE = ['--port', '0', '--http-port', 'off'];
const STARTS = 7;
const IDLE_MS = 3000;

export async function measureStartUp(): Promise<StartUp> {
  const memoryStore: number[] = [];
  const emptyDirectory: number[] = [];
  const bare: number[] = [];
  for (let start = 0; start < STARTS; start++) {
    bare.push(await timeToListening(programPath('bare-listener'), []));
    memoryStore.push(await timeToListening(JITNEY, [...ANYWHERE, '--memory']));
    const data = temporaryDirectory();
    emptyDirectory.push(await timeToListening(JITNEY, [...ANYWHERE, '--data', data]));
    rmSync(data, { recursive: true, force: true });
  }
  return {
    memoryStoreMs: median(memoryStore),
    emptyDirectoryMs: median(emptyDirectory),
    bareMs: median(bare),
  };
}

/** Resident bytes of a Jitney with its defaults, in an empty directory, after some seconds of rest. */
export async function measureIdleMemory(): Promise<number> {
  const data = temporaryDirectory();
  const child = new Child(JITNEY, {
    nodeArguments: ['--import', programPath('usage-probe')],
    programArguments: [...ANYWHERE, '--data', data],
    isAsked: true,
  });
  await child.printed(READY_LINE);
  await sleep(IDLE_MS);
  const { residentBytes } = await child.ask<Usage>({});
  await child.stop();
  rmSync(data, { recursive: true, force: true });
  return residentBytes;
}

async function timeToListening(program: string, programArguments: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const child = new Child(program, { programArguments, isAsked: false });
  await child.printed(READY_LINE);
  const elapsedMs = performance.now() - startedAt;
  await child.stop();
  return elapsedMs;
}
