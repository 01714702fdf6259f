// The whole server behind the real rhea client: many links, many messages, and what must not stall.

import type { Message, Receiver } from 'rhea';
import rhea from 'rhea';
import { afterEach, describe, expect, test } from 'vitest';
import { MemoryJournal } from '../../src/journal/memory-journal.js';
import { type EmulatorUnderTest, openEmulatorUnderTest } from '../support/emulator-under-test.js';
import { HeldJournal } from '../support/held-journal.js';
import { next, rheaConnect, turns, until } from '../support/rhea-client.js';
import { countFor } from '../support/thorough.js';

let emulator: EmulatorUnderTest;
afterEach(async () => {
  expect(emulator.faults).toEqual([]);
  await emulator.stop();
});

/** Sends `count` messages on a connection of their own and waits until all are accepted. */
async function sendMessages(
  queue: string,
  count: number,
  body: (index: number) => unknown = (index) => index,
) {
  const connection = rheaConnect(emulator.connect());
  const sender = connection.open_sender(queue);
  let accepted = 0;
  let sent = 0;
  sender.on('accepted', () => accepted++);
  sender.on('sendable', () => {
    while (sent < count && sender.sendable()) sender.send({ message_id: `m${sent}`, body: body(sent++) });
  });
  await until(() => accepted === count, `${count} messages are accepted`);
  connection.close();
}

function openReceiver(
  connection: ReturnType<typeof rheaConnect>,
  queue: string,
  credit: number,
  options: Record<string, unknown> = {},
): { receiver: Receiver; messages: Message[] } {
  const messages: Message[] = [];
  const receiver = connection.open_receiver({
    source: queue,
    credit_window: 0,
    autoaccept: false,
    autosettle: false,
    ...options,
  } as never);
  receiver.on('message', (context) => {
    if (context.message !== undefined) messages.push(context.message);
  });
  if (credit > 0) receiver.add_credit(credit);
  return { receiver, messages };
}

describe('links', () => {
  test('64 links share an AMQP session, and the one without credit holds up none of the others', async () => {
    const queues = Array.from({ length: 64 }, (_, index) => `q${index}`);
    emulator = await openEmulatorUnderTest({ queues });
    for (const queue of queues) await sendMessages(queue, 5);
    const connection = rheaConnect(emulator.connect());
    const links = queues.map((queue, index) => openReceiver(connection, queue, index === 0 ? 0 : 5));
    await until(
      () => links.slice(1).every(({ messages }) => messages.length === 5),
      'every link with credit has its messages',
    );
    expect(links[0]?.messages).toEqual([]);
    links[0]?.receiver.add_credit(5);
    await until(() => links[0]?.messages.length === 5, 'the last link has its messages too');
    connection.close();
  });

  test('accepted is sent only after the message is in the journal [SND-01]', async () => {
    const journal = new HeldJournal(new MemoryJournal());
    emulator = await openEmulatorUnderTest({ queues: ['q'], journal });
    const connection = rheaConnect(emulator.connect());
    const sender = connection.open_sender('q');
    await next(sender, 'sendable');
    let accepted = 0;
    sender.on('accepted', () => accepted++);
    journal.hold();
    sender.send({ message_id: 'held', body: 'x' });
    await until(() => journal.heldCount > 0, 'the journal was asked');
    await turns(50);
    expect(accepted).toBe(0);
    journal.release();
    await until(() => accepted === 1, 'the message is accepted');
    connection.close();
  });

  test('a journal that never answers leaves pipelining senders bounded, and all goes on when it answers', async () => {
    const journal = new HeldJournal(new MemoryJournal());
    emulator = await openEmulatorUnderTest({ queues: ['q?maxSizeInMegabytes=5120'], journal });
    const body = rhea.message.data_section(Buffer.alloc(200 * 1024));
    const perSender = 20;
    const senderCount = countFor(25, 50);
    let accepted = 0;
    const senders = await Promise.all(
      Array.from({ length: senderCount }, async () => {
        const sender = rheaConnect(emulator.connect()).open_sender('q');
        sender.on('accepted', () => accepted++);
        await next(sender, 'sendable');
        return sender;
      }),
    );
    journal.hold();
    for (let index = 0; index < perSender; index++) {
      for (const sender of senders) sender.send({ message_id: `${index}`, body });
      await turns(20);
    }
    await turns(2000);
    expect(accepted).toBe(0);
    // 98 MiB were sent, or 195 in the thorough run. Each may take in as much as is still free of 64, and a read more.
    expect(emulator.server.budget.sum).toBeLessThan(80 * 1024 * 1024);
    expect(emulator.server.budget.sum).toBeGreaterThan(50 * 1024 * 1024);
    journal.release();
    await until(() => accepted === senderCount * perSender, 'everything is accepted after all');
    for (const sender of senders) sender.connection.close();
  });

  test('a message over the limit of the tier is rejected, and the link lives on [SND-10, LIM-01]', async () => {
    emulator = await openEmulatorUnderTest({ queues: ['q'] });
    const connection = rheaConnect(emulator.connect());
    const sender = connection.open_sender('q');
    await next(sender, 'sendable');
    sender.send({ message_id: 'big', body: rhea.message.data_section(Buffer.alloc(300 * 1024)) });
    const { delivery } = await next(sender, 'rejected');
    const state = delivery?.remote_state as unknown as { error: { condition: string } } | undefined;
    expect(state?.error.condition).toBe('amqp:link:message-size-exceeded');
    sender.send({ message_id: 'small', body: 'x' });
    await next(sender, 'accepted');
    connection.close();
  });
});
