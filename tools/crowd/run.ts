// Attacks the built product while a client beside waits for its own messages: `npm run measure -- crowd [<attack> ...]` (Linux).

import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../bench/brokers.js';
import { JITNEY } from '../bench/built-programs.js';
import { Child } from '../bench/child.js';
import { ATTACKED_QUEUE, ATTACKS } from './attacks.js';
import { Bystander } from './bystander.js';
import { problemsOf, type Row, reportOf } from './row.js';

const READY = 'Successfully Up';
const PORT_TEXT = /Endpoint=sb:\/\/localhost:(\d+)/;
const AFTER_MS = 10_000;
const ATTACK_LIMIT_MS = 120_000;
const SAMPLE_MS = 20;
const BYSTANDERS_QUEUE = 'bystander';
const ATTACKER = fileURLToPath(new URL('attacker.ts', import.meta.url));

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(ATTACKS);
const unknown = names.find((name) => !(name in ATTACKS));
if (unknown !== undefined) {
  console.error(`There is no attack '${unknown}'. There is: ${Object.keys(ATTACKS).join(', ')}`);
  process.exit(2);
}
for (const name of names) {
  console.log(`${name}: ${ATTACKS[name]?.about}`);
  const row = await rowOf(name);
  console.log(`  ${reportOf(row)}`);
  if (problemsOf(row).length > 0) process.exitCode = 1;
}

async function rowOf(attack: string): Promise<Row> {
  const directory = temporaryDirectory();
  const queues = ['--queue', ATTACKED_QUEUE, '--queue', BYSTANDERS_QUEUE];
  const programArguments = [
    'start',
    '--data',
    directory,
    '--port',
    '0',
    '--http-port',
    'off',
    '--limits',
    'none',
    ...queues,
  ];
  const server = new Child(JITNEY, { programArguments, isAsked: false });
  try {
    await server.printed(READY);
    const port = Number(PORT_TEXT.exec(server.output)?.[1]);
    const bystander = await Bystander.open(port, BYSTANDERS_QUEUE);
    await sleep(1000);
    bystander.take();
    const before = memoryMb(server.pid);
    let highest = before;
    const sampling = setInterval(() => {
      highest = Math.max(highest, memoryMb(server.pid));
    }, SAMPLE_MS);
    const nodeArguments = ['--import', 'tsx', ATTACKER, attack, String(port)];
    const { stdout } = await promisify(execFile)(process.execPath, nodeArguments, {
      timeout: ATTACK_LIMIT_MS,
    });
    clearInterval(sampling);
    const waits = bystander.take();
    await sleep(AFTER_MS);
    bystander.close();
    return {
      attack,
      waitP99Ms: waits.p99Ms,
      longestWaitMs: waits.longestMs,
      memoryMb: { before, highest, after: memoryMb(server.pid) },
      told: stdout.trim(),
    };
  } finally {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function memoryMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}
