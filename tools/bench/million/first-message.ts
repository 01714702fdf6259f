// How long the first message takes out of a queue: a receiver attaches, asks for one, and gets the one that waits there.

import type { Connection } from 'rhea';
import { type Address, closeConnection, nextEvent, openConnection, PEEK_LOCK } from './connection.js';

/** Milliseconds of each try, queue by queue in the order they were named. */
export async function timeFirstMessages(
  address: Address,
  queues: readonly string[],
  tryCount: number,
): Promise<number[][]> {
  let onLost = (_: Error) => {};
  const lost = new Promise<never>((_, reject) => {
    onLost = reject;
  });
  const connection = openConnection(address, onLost);
  const times = await Promise.race([runTries(connection, queues, tryCount), lost]);
  await closeConnection(connection);
  return times;
}

async function runTries(
  connection: Connection,
  queues: readonly string[],
  tryCount: number,
): Promise<number[][]> {
  const times = queues.map((): number[] => []);
  const senders = queues.map((queue) => connection.open_sender({ target: queue }));
  for (const sender of senders) if (!sender.sendable()) await nextEvent(sender, 'sendable');
  for (let count = 0; count < tryCount; count++) {
    // Nobody is always the first.
    for (let turn = 0; turn < queues.length; turn++) {
      const index = (count + turn) % queues.length;
      const accepted = nextEvent(connection, 'accepted');
      senders[index]?.send({ message_id: `try-${count}`, body: 'first' });
      await accepted;
      times[index]?.push(await timeFirstMessage(connection, queues[index] ?? ''));
    }
  }
  return times;
}

async function timeFirstMessage(connection: Connection, queue: string): Promise<number> {
  const startedAt = performance.now();
  const receiver = connection.open_receiver({ source: queue, ...PEEK_LOCK });
  receiver.add_credit(1);
  const { delivery } = await nextEvent(receiver, 'message');
  const elapsedMs = performance.now() - startedAt;
  const settled = nextEvent(receiver, 'settled');
  delivery?.accept();
  await settled;
  const closed = nextEvent(receiver, 'receiver_close');
  receiver.close();
  await closed;
  return elapsedMs;
}
