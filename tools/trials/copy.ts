// Copies and moves a namespace from one Jitney to another while the command is killed at random moments and run again: everything must
// be there once, and in order.

import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Jitney } from '../../compat-tests/support/jitney.js';
import { LAST_LIMIT_MS, RunningProcess } from '../../compat-tests/support/running-process.js';
import { type Random, seededRandom } from '../../compat-tests/support/seeded-random.js';
import { temporaryDirectory } from '../../compat-tests/support/temporary-directory.js';

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const QUEUES = ['orders', 'baskets?requiresSession=true'];
const DEAD = '/$DeadLetterQueue';
const STORES = ['orders', `orders${DEAD}`, 'baskets', `baskets${DEAD}`];
const PAGE = 250;
const KILLS = 20;
const LONGEST_RUN_MS = 350;

type Copied = {
  readonly sequenceNumber: number;
  readonly state: string;
  readonly messageId: string;
  readonly sessionId?: string;
  readonly scheduledTime?: string;
  readonly deadLetterReason?: string;
  readonly deliveryCount: number;
  readonly raw: { readonly base64: string };
};

export type CopyTrial = {
  readonly messageCount: number;
  readonly killCount: number;
  readonly seed: number;
  readonly isMove: boolean;
};

/** Returns the number of violations. */
export async function runCopies({
  rounds = 1,
  seed,
}: {
  readonly rounds: number | undefined;
  readonly seed: number;
}): Promise<number> {
  let violations = 0;
  for (let round = 1; round <= rounds; round++) {
    for (const isMove of [false, true]) {
      const trial = { messageCount: 10_000, killCount: KILLS, seed: seed + round, isMove };
      const { problems, killedCount, elapsedMs } = await tryCopy(trial);
      violations += problems.length;
      for (const problem of problems) console.log(`seed ${trial.seed}: ${problem}`);
      const what = isMove ? 'move' : 'copy';
      console.log(
        `${what} of 10000 messages, killed ${killedCount} times, ${elapsedMs} ms in all: ${problems.length} violations`,
      );
    }
  }
  return violations;
}

/** Copies with kills, then once to the end, and compares both sides. */
export async function tryCopy({ messageCount, killCount, seed, isMove }: CopyTrial) {
  await using directory = await temporaryDirectory();
  await using from = await Jitney.start({ queues: QUEUES });
  await using to = await Jitney.start({ queues: QUEUES, dataDirectory: `${directory.path}/to` });
  await fill(from, messageCount);
  const before = await contentsOf(from);
  const states = await statesOf(from);
  const random = seededRandom(seed);
  const words = ['copy', from.connectionString, to.connectionString, '--messages'];
  if (isMove) words.push('--move', '--yes');
  const start = Date.now();
  const { killedCount, last } = await killMany(words, killCount, random);
  const command = last ?? new RunningProcess([PROGRAM, ...words]);
  const exit = await command.endedWithin(LAST_LIMIT_MS);
  const isDone = exit?.code === 0 || last !== undefined;
  const problems = isDone ? [] : [`the last run ended with ${exit?.code}: ${command.output}`];
  const elapsedMs = Date.now() - start;
  problems.push(...differences(before, await contentsOf(to)));
  if ((await statesOf(to)) !== states) problems.push('the states of sessions differ');
  const left = (await contentsOf(from)).flatMap(([, messages]) => messages).length;
  if (left !== (isMove ? 0 : messageCount)) problems.push(`${left} messages are left at the source`);
  return { problems, killedCount, elapsedMs };
}

/** A run that has said that it is done is the last one: the next would copy everything anew. */
async function killMany(words: readonly string[], count: number, random: Random) {
  for (let killedCount = 0; killedCount < count; killedCount++) {
    const command = new RunningProcess([PROGRAM, ...words]);
    await Promise.race([command.exited, delay(200 + random.between(0, LONGEST_RUN_MS))]);
    if (!command.isRunning) return { killedCount, last: command };
    command.signal('SIGKILL');
    await command.exited;
    if (/^(Copied|Moved)/m.test(command.stderr)) return { killedCount, last: command };
  }
  return { killedCount: count, last: undefined };
}

async function call<Answer>(jitney: Jitney, path: string, body?: object): Promise<Answer> {
  const { host, port } = jitney.address;
  const url = `http://${host}:${port}/$jitney/v1/${path}`;
  const post = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(url, body === undefined ? {} : post);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** Active, scheduled, deferred and dead-lettered messages, some in sessions with states. */
async function fill(jitney: Jitney, count: number): Promise<void> {
  for (let start = 0; start < count; start += PAGE) {
    const numbers = Array.from({ length: Math.min(PAGE, count - start) }, (_, index) => start + index);
    const inBaskets = (start / PAGE) % 2 === 1;
    const store = inBaskets ? 'baskets' : 'orders';
    const lineOf = (number: number) => ({
      messageId: `m${number}`,
      body: `body ${number}`,
      applicationProperties: { number },
      ...(inBaskets ? { sessionId: `s${number % 7}` } : {}),
      ...stateOf(number),
    });
    const alive = numbers.filter((number) => number % 10 !== 4);
    const dead = numbers.filter((number) => number % 10 === 4);
    await call(jitney, `messages:import?entity=${store}`, {
      messages: alive.map(lineOf),
      ...(inBaskets ? { sessionStates: [{ sessionId: `s${start % 7}`, stateBase64: 'AAH/' }] } : {}),
    });
    await call(jitney, `messages:import?entity=${store}${DEAD}`, {
      messages: dead.map((number) => ({
        ...lineOf(number),
        deadLetterReason: 'NoAddress',
        deliveryCount: 10,
      })),
    });
  }
}

function stateOf(number: number): object {
  if (number % 10 === 1) return { state: 'scheduled', scheduledEnqueueTime: '2099-01-01T00:00:00.000Z' };
  return number % 10 === 2 ? { state: 'deferred', deliveryCount: 2 } : {};
}

type Contents = readonly (readonly [path: string, messages: readonly string[]])[];

/** The messages of each store in their order, each as a text of what must be kept. */
async function contentsOf(jitney: Jitney): Promise<Contents> {
  const contents: (readonly [string, string[]])[] = [];
  for (const path of STORES) {
    const messages: string[] = [];
    for (let from: number | undefined = 0; from !== undefined; ) {
      const page: { readonly messages: readonly Copied[]; readonly next?: number } = await call(
        jitney,
        `messages?entity=${encodeURIComponent(path)}&from=${from}&limit=${PAGE}&raw=true`,
      );
      messages.push(...page.messages.map(kept));
      from = page.next;
    }
    contents.push([path, messages]);
  }
  return contents;
}

async function statesOf(jitney: Jitney): Promise<string> {
  type Session = { readonly sessionId: string; readonly stateBytes?: number };
  const page = await call<{ readonly sessions: readonly Session[] }>(jitney, 'sessions?entity=baskets');
  return JSON.stringify(page.sessions.map(({ sessionId, stateBytes }) => [sessionId, stateBytes]));
}

function kept({
  state,
  messageId,
  sessionId,
  scheduledTime,
  deadLetterReason,
  deliveryCount,
  raw,
}: Copied): string {
  return JSON.stringify([
    messageId,
    state,
    sessionId,
    scheduledTime,
    deadLetterReason,
    deliveryCount,
    raw.base64,
  ]);
}

function differences(before: Contents, after: Contents): string[] {
  return before.flatMap(([path, messages], index) => {
    const found = after[index]?.[1] ?? [];
    const lost = messages.filter((one) => !new Set(found).has(one)).length;
    const twice = found.length - new Set(found).size;
    const isInOrder = JSON.stringify(found) === JSON.stringify(messages);
    if (isInOrder) return [];
    return [`${path}: ${lost} of ${messages.length} lost, ${twice} twice, ${found.length} found`];
  });
}
