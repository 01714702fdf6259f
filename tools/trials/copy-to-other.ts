// Copies and moves messages to a service without marks, as Azure is one, while the command is killed at random moments and run again: nothing
// may be lost, and each kill may bring one request twice at most.

import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Jitney, type JitneyOptions } from '../../compat-tests/support/jitney.js';
import { LAST_LIMIT_MS, RunningProcess } from '../../compat-tests/support/running-process.js';
import { seededRandom } from '../../compat-tests/support/seeded-random.js';
import { connect, takeAll } from '../../compat-tests/support/service-bus.js';
import { temporaryDirectory } from '../../compat-tests/support/temporary-directory.js';
import type { CopyTrial } from './copy.js';

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const MOST_IN_A_REQUEST = 250;
/** Said just before the first message is copied: a kill before it would show nothing. */
const SAID_FIRST = 'arrive active';
const LONGEST_RUN_MS = 400;

/** A service that is no Jitney for a command: without a control interface, in strict mode, over TLS. */
export async function otherService(options: JitneyOptions) {
  const jitney = await Jitney.start({ ...options, extraArguments: ['--no-control', '--auth', 'strict'] });
  const overTls = jitney.connectionString.replace(/;UseDevelopmentEmulator=true/i, '');
  return Object.assign(jitney, { overTls });
}

/** Returns the number of violations. */
export async function runCopiesToOther({
  rounds = 1,
  seed,
}: {
  readonly rounds: number | undefined;
  readonly seed: number;
}): Promise<number> {
  let violations = 0;
  for (let round = 1; round <= rounds; round++) {
    for (const isMove of [false, true]) {
      const trial = { messageCount: 10_000, killCount: 5, seed: seed + round, isMove };
      const { problems, killedCount, twiceCount, elapsedMs } = await tryCopyToOther(trial);
      violations += problems.length;
      for (const problem of problems) console.log(`seed ${trial.seed}: ${problem}`);
      console.log(
        `${isMove ? 'move' : 'copy'} of 10000 messages to a service without marks, killed ${killedCount} times, ${elapsedMs} ms in all: ${twiceCount} came twice, ${problems.length} violations`,
      );
    }
  }
  return violations;
}

/** Copies with kills, then once to the end, and counts what has arrived. */
export async function tryCopyToOther({ messageCount, killCount, seed, isMove }: CopyTrial) {
  await using home = await temporaryDirectory();
  await using from = await Jitney.start({ queues: ['orders'] });
  await using to = await otherService({ queues: ['orders'] });
  const ids = await fill(from, messageCount);
  const words = ['copy', from.connectionString, to.overTls, '--messages'];
  if (isMove) words.push('--move', '--yes');
  const begin = Date.now();
  const random = seededRandom(seed);
  const start = () => new RunningProcess([PROGRAM, ...words], { env: { HOME: home.path } });
  let killedCount = 0;
  let command = start();
  for (; killedCount < killCount; killedCount++) {
    await command.printed(SAID_FIRST, LAST_LIMIT_MS);
    await Promise.race([command.exited, delay(random.between(0, LONGEST_RUN_MS))]);
    if (!command.isRunning) break;
    command.signal('SIGKILL');
    await command.exited;
    // The next run would copy everything anew.
    if (/^(Copied|Moved)/m.test(command.stderr)) break;
    command = start();
  }
  const exit = await command.endedWithin(LAST_LIMIT_MS);
  const isDone = exit?.code === 0 || /^(Copied|Moved)/m.test(command.stderr);
  const problems = isDone ? [] : [`the last run ended with ${exit?.code}: ${command.output}`];
  const elapsedMs = Date.now() - begin;
  await using there = connect(to.connectionString);
  const arrived = (await takeAll(there, 'orders')).map(({ messageId }) => String(messageId));
  const twiceCount = arrived.length - new Set(arrived).size;
  const lost = ids.filter((id) => !new Set(arrived).has(id)).length;
  if (lost > 0) problems.push(`${lost} of ${messageCount} messages are lost`);
  if (twiceCount > MOST_IN_A_REQUEST * killedCount)
    problems.push(`${twiceCount} messages came twice with ${killedCount} kills`);
  await using client = connect(from.connectionString);
  const left = (await takeAll(client, 'orders')).length;
  if (left !== (isMove ? 0 : messageCount)) problems.push(`${left} messages are left at the source`);
  return { problems, killedCount, twiceCount, elapsedMs };
}

async function fill({ connectionString }: Jitney, count: number): Promise<readonly string[]> {
  await using client = connect(connectionString);
  const sender = client.createSender('orders');
  const ids = Array.from({ length: count }, (_, index) => `m${index}`);
  for (let start = 0; start < count; start += 500) {
    await sender.sendMessages(ids.slice(start, start + 500).map((messageId) => ({ body: 'x', messageId })));
  }
  return ids;
}
