// Large messages whose memory is used again at once, because little may be kept: whatever becomes of them, each client gets its bytes.

import { MemoryLevel } from 'memory-level';
import rhea, { type Connection, type EventContext } from 'rhea';
import { expect, test, vi } from 'vitest';
import { ContentSlabs } from '../../src/engine/content-slabs.js';
import { startJournal } from '../../src/journal/open-journal.js';
import { Random } from '../simulation/random.js';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { MemoryFiles } from '../support/memory-files.js';
import { next, rheaConnect, until } from '../support/rhea-client.js';

const MESSAGE_COUNT = 300;
/** Two slabs. */
const BUDGET_BYTES = 4 * 1024 * 1024;
const SLAB_BYTES = 1024 * 1024;
/** Messages of one sender that are not accepted yet. */
const IN_FLIGHT = 20;
const QUEUES = ['orders?maxDeliveryCount=3', 'bills'];
const DEAD_LETTERS = 'orders/$DeadLetterQueue';
const MARK_BYTES = 16;

/** Each 16 bytes say to which message they belong, and where they are in it. */
function bodyOf(id: number, byteLength: number): Buffer {
  const body = Buffer.alloc(byteLength, id);
  for (let at = 0; at + MARK_BYTES <= byteLength; at += MARK_BYTES) {
    body.writeUInt32BE(id, at);
    body.writeUInt32BE(at, at + 4);
  }
  return body;
}

class Workload {
  readonly #random: Random;
  readonly #emulator: EmulatorUnderTest;
  readonly #connections: Connection[] = [];
  sentCount = 0;
  receivedCount = 0;
  readonly wrong: string[] = [];

  constructor(emulator: EmulatorUnderTest, random: Random) {
    this.#emulator = emulator;
    this.#random = random;
  }

  send(queue: string): void {
    const sender = this.#connect().open_sender(queue);
    let openCount = 0;
    const sendMore = () => {
      for (; openCount < IN_FLIGHT && this.sentCount < MESSAGE_COUNT && sender.sendable(); openCount++) {
        sender.send(this.#nextMessage());
      }
    };
    sender.on('sendable', sendMore);
    sender.on('accepted', () => {
      openCount -= 1;
      sendMore();
    });
  }

  /** Settles what it gets in any way. `isSlow`: it often stops to read for some turns of the event loop. */
  receive(source: string, { credit = 200, isSlow = false, maxFrameSize = 65_536 } = {}): void {
    const connection = this.#connect(maxFrameSize);
    const receiver = connection.open_receiver({ source, credit_window: credit, autoaccept: false });
    receiver.on('message', (context: EventContext) => {
      this.#check(context);
      this.#settle(context);
      if (isSlow && this.#random.chance(0.1)) this.#pause(context);
    });
  }

  /** Receives all that is there, and deletes it. */
  async drain(source: string): Promise<void> {
    const link = { source, credit_window: 0, snd_settle_mode: 1, rcv_settle_mode: 0 } as const;
    const receiver = this.#connect().open_receiver(link);
    receiver.on('message', (context: EventContext) => this.#check(context));
    receiver.add_credit(2 * MESSAGE_COUNT);
    receiver.drain_credit();
    await next(receiver, 'receiver_drained');
  }

  /** Ends one of the connections, whatever waits to be written on it. */
  cut(): void {
    const index = this.#random.integer(this.#connections.length);
    const [connection] = this.#connections.splice(index, 1);
    streamOf(connection)?.destroy();
  }

  cutAll(): void {
    while (this.#connections.length > 0) this.cut();
  }

  #connect(maxFrameSize = 65_536): Connection {
    const connection = rheaConnect(this.#emulator.connect(), { max_frame_size: maxFrameSize });
    this.#connections.push(connection);
    return connection;
  }

  #nextMessage() {
    this.sentCount += 1;
    const id = this.sentCount;
    const most = this.#random.pick([20_000, 66_000, 250_000]);
    const bytes = 15_000 + this.#random.integer(most - 15_000);
    const properties = { id, bytes, note: 'n'.repeat(this.#random.pick([0, 3, 6000])) };
    const body = rhea.message.data_section(bodyOf(id, bytes));
    return { body, application_properties: properties };
  }

  #check({ message }: EventContext): void {
    this.receivedCount += 1;
    const { id, bytes } = message?.application_properties ?? {};
    if (!bodyOf(id, bytes).equals(message?.body.content)) this.wrong.push(`message ${id} of ${bytes} bytes`);
  }

  #settle({ delivery }: EventContext): void {
    const kind = this.#random.pickWeighted([
      ['accept', 5],
      ['abandon', 2],
      ['release', 1],
      ['dead-letter', 1],
      ['keep', 1],
    ] as const);
    if (kind === 'accept') delivery?.accept();
    else if (kind === 'abandon') delivery?.modified({ delivery_failed: true, undeliverable_here: false });
    else if (kind === 'release') delivery?.release({});
    else if (kind === 'dead-letter') delivery?.reject({ condition: 'com.microsoft:dead-letter' });
  }

  #pause({ connection }: EventContext): void {
    const stream = streamOf(connection);
    stream?.pause();
    let turns = this.#random.integer(40);
    const wait = () => (turns-- > 0 ? setImmediate(wait) : stream?.resume());
    wait();
  }
}

function streamOf(connection: Connection | undefined) {
  return (connection as { readonly socket?: NodeJS.ReadStream & { destroy(): void } } | undefined)?.socket;
}

test('large messages are whole for slow, small, cut and later receivers, and after a restart', async () => {
  const random = new Random(7);
  const rows = new MemoryLevel<string, string>();
  const files = new MemoryFiles();
  const open = async (journalFiles: MemoryFiles) => {
    const journal = await startJournal(rows, journalFiles, { location: 'memory' });
    return openEmulatorUnderTest({ queues: QUEUES, journal, contentBudgetBytes: BUDGET_BYTES });
  };
  const copies = vi.spyOn(ContentSlabs.prototype, 'copy');
  const emulator = await open(files);
  const work = new Workload(emulator, random);
  const receive = () => {
    const isSlow = random.chance(0.5);
    work.receive('orders', { isSlow, maxFrameSize: random.pick([4096, 65_536]) });
    work.receive('bills', { isSlow, credit: 1000 });
    work.receive(DEAD_LETTERS, { credit: 5 });
  };
  for (const queue of ['orders', 'bills', 'orders']) work.send(queue);
  receive();
  for (let wanted = 30; wanted <= MESSAGE_COUNT; wanted += 30) {
    await until(() => work.receivedCount >= wanted, `${wanted} messages were received`);
    for (let count = 0; count < 3; count++) work.cut();
    work.send(random.pick(['orders', 'bills']));
    receive();
  }
  work.cutAll();
  await emulator.stop();
  expect(work.wrong).toEqual([]);
  expect(emulator.faults).toEqual([]);
  const inSlabs = copies.mock.results.map(({ value }) => value as Uint8Array | undefined);
  copies.mockRestore();
  const slabCount = new Set(inSlabs.map((content) => content?.buffer)).size;
  const slabBytes = inSlabs.reduce((sum, content) => sum + (content?.length ?? 0), 0);
  expect(slabBytes, 'each slab was filled several times').toBeGreaterThan(2 * slabCount * SLAB_BYTES);

  await rows.open();
  const restarted = await open(files.kill());
  const later = new Workload(restarted, random);
  await Promise.all(['orders', 'bills', DEAD_LETTERS].map((source) => later.drain(source)));
  expect(later.wrong).toEqual([]);
  expect(later.receivedCount).toBeGreaterThan(0);
  await restarted.stop();
});
