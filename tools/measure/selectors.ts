// `npm run measure -- selectors [--messages N --rounds N]`: what a message costs that a consumer selects, and what selecting costs others, in
// processor time of the built emulator, so that other programs do not count. The exit code is 1 when a ratio is below what is asked (Linux).

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import rhea from 'rhea';
import { int } from '../../test/support/frame-encoder.js';
import { applicationProperties, dataSection } from '../../test/support/frame-message.js';
import { JITNEY } from '../bench/built-programs.js';
import { Child } from '../bench/child.js';
import { openConnection, openSender, sendBatch } from '../crowd/client.js';

/** The rate of a consumer that selects one in two, as a part of that of one that takes all. */
const ASKED_OF_SELECTING = 0.5;
/** The rate on another queue while a consumer waits for what it selects, as a part of that without it. */
const ASKED_OF_OTHERS = 0.9;
const QUEUES = ['plain', 'selecting', 'other'];
const PORT_TEXT = /Endpoint=sb:\/\/localhost:(\d+)/;
const TICKS_PER_SECOND = 100;
const BATCH = 200;
const CREDIT = 500;
const WARM = 20_000;
const KILOBYTE = 'x'.repeat(1000);

const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
  },
});
const [count, rounds] = [Number(values.messages), Number(values.rounds)];
if (!Number.isInteger(count) || count < 1000 || !Number.isInteger(rounds) || rounds < 1) {
  console.error('Give --messages as a number from 1000 on, and --rounds as one from 1 on.');
  process.exit(2);
}

const selecting: number[] = [];
const others: number[] = [];
for (let round = 1; round <= rounds; round++) {
  const ratios = await measureRound();
  selecting.push(ratios.selecting);
  others.push(ratios.others);
}
const isGood = [
  report('a consumer that selects one in two, to one that takes all', selecting, ASKED_OF_SELECTING),
  report('another queue beside a consumer that waits, to without it', others, ASKED_OF_OTHERS),
].every(Boolean);
process.exit(isGood ? 0 : 1);

function report(what: string, ratios: readonly number[], asked: number): boolean {
  const median = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 0;
  console.log(`${what}: ${median.toFixed(2)}, asked ${asked}${median < asked ? ': BELOW' : ''}`);
  return median >= asked;
}

async function measureRound(): Promise<{ readonly selecting: number; readonly others: number }> {
  const options = ['--memory', '--port', '0', '--http-port', 'off'];
  const child = new Child(JITNEY, {
    programArguments: ['start', ...options, ...QUEUES.flatMap((queue) => ['--queue', queue])],
    isAsked: false,
  });
  await child.printed('Successfully Up');
  const connection = openConnection(Number(PORT_TEXT.exec(child.output)?.[1]), 'tcp', {
    'com.microsoft:is-client-provider': true,
  });
  await once(connection, 'connection_open');
  const measured = (work: () => Promise<unknown>) => costOf(child.pid, work);
  try {
    for (const queue of ['plain', 'selecting']) await send(connection, queue, count);
    await sendAndReceive(connection, WARM); // compiles the code
    const half = Math.floor(count / 2);
    const plain = await measured(() => receive(connection, 'plain', half));
    const selected = await measured(() => receive(connection, 'selecting', half, 'number = 1'));
    const before = await measured(() => sendAndReceive(connection, half));
    open(connection, 'selecting', 'number = 2').add_credit(CREDIT);
    await sendAndReceive(connection, BATCH); // by then it has looked at all that is there
    const beside = await measured(() => sendAndReceive(connection, half));
    const told = [`all ${shown(plain, half)}`, `selected ${shown(selected, half)}`];
    told.push(`other queue ${shown(before, half)}`, `beside one that waits ${shown(beside, half)}`);
    console.log(told.join(' · '));
    return { selecting: plain.cpuMs / selected.cpuMs, others: before.cpuMs / beside.cpuMs };
  } finally {
    connection.close();
    await child.stop();
  }
}

type Cost = { readonly cpuMs: number; readonly wallMs: number };

function shown({ cpuMs, wallMs }: Cost, messages: number): string {
  return `${((1000 * cpuMs) / messages).toFixed(0)} µs (${((1000 * messages) / wallMs).toFixed(0)}/s)`;
}

async function costOf(pid: number, work: () => Promise<unknown>): Promise<Cost> {
  const [cpu, started] = [cpuMsOf(pid), performance.now()];
  await work();
  return { cpuMs: cpuMsOf(pid) - cpu, wallMs: performance.now() - started };
}

/** User and system time. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

async function send(connection: rhea.Connection, queue: string, messages: number): Promise<void> {
  const sender = await openSender(connection, queue);
  for (let sent = 0; sent < messages; sent += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, index) =>
      Buffer.concat([applicationProperties({ number: int(index % 2) }), dataSection(KILOBYTE)]),
    );
    await sendBatch(sender, batch);
  }
  sender.close();
}

function open(connection: rhea.Connection, queue: string, selector?: string): rhea.Receiver {
  const filter = selector === undefined ? {} : { filter: rhea.filter.selector(selector) };
  return connection.open_receiver({ source: { address: queue, ...filter }, credit_window: 0 });
}

/** Each is accepted. */
async function receive(
  connection: rhea.Connection,
  queue: string,
  messages: number,
  selector?: string,
): Promise<void> {
  const receiver = open(connection, queue, selector);
  let received = 0;
  let asked = Math.min(messages, CREDIT);
  receiver.add_credit(asked);
  await new Promise<void>((resolve) => {
    receiver.on('message', () => {
      received += 1;
      if (received === messages) resolve();
      else if (asked < messages && received % (CREDIT / 2) === 0) {
        const more = Math.min(CREDIT / 2, messages - asked);
        asked += more;
        receiver.add_credit(more);
      }
    });
  });
  receiver.close();
  await once(receiver, 'receiver_close');
}

async function sendAndReceive(connection: rhea.Connection, messages: number): Promise<void> {
  await send(connection, 'other', messages);
  await receive(connection, 'other', messages);
}
